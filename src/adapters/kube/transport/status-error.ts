/** Decides which PortError an answer of the API server amounts to, and what a connection that failed does. */
import { plainObject } from '../../../apis/decode/plain.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import { PortError, type PortErrorCode } from '../../../ports/port-error.js';

/** By `reason` of a Status: StatusReason of apimachinery's meta/v1. */
const BY_REASON: Readonly<Record<string, PortErrorCode>> = {
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Forbidden: 'Forbidden',
  Unauthorized: 'Unauthorized',
  Gone: 'Gone',
  Expired: 'Gone',
  Invalid: 'Invalid',
  BadRequest: 'Invalid',
  MethodNotAllowed: 'Invalid',
  NotAcceptable: 'Invalid',
  UnsupportedMediaType: 'Invalid',
  RequestEntityTooLarge: 'Invalid',
  TooManyRequests: 'RateLimited',
  Timeout: 'TimedOut',
  ServerTimeout: 'Unavailable',
  InternalError: 'Unavailable',
  ServiceUnavailable: 'Unavailable',
  StoreReadError: 'Unavailable',
};

/** By HTTP status, where the answer is no Status or one with a reason that is not known. */
const BY_STATUS: Readonly<Record<number, PortErrorCode>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'TimedOut',
  409: 'Conflict',
  410: 'Gone',
  429: 'RateLimited',
  504: 'TimedOut',
};

/** Of an answer that is no Status: a proxy's page, for example. */
const MOST_TEXT = 300;

/** A refusal as it came over the wire. */
export interface Refusal {
  /** What was being done, as in PortErrorDetails. */
  readonly operation: string;
  /** An eviction's 429 is a PodDisruptionBudget's. */
  readonly isEviction: boolean;
  readonly httpStatus: number;
  /** The header Retry-After, in seconds or as a date. */
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The Status itself, if there is one, is the error's cause. */
export function errorOfRefusal(refusal: Refusal): PortError {
  const status = parseStatus(refusal.body);
  const code = codeOf(status, refusal.httpStatus);
  const wait = retryAfterMillis(refusal.retryAfter, refusal.now) ?? retryAfterOf(status);
  const isBlocked = refusal.isEviction && status !== undefined && isOfBudgets(status, code);
  const text = status === undefined ? refusal.body.trim().slice(0, MOST_TEXT) : messageOf(status);
  return new PortError(isBlocked ? 'Blocked' : code, {
    operation: refusal.operation,
    message: `${String(refusal.httpStatus)} ${text}`.trim(),
    retryAfterMillis: wait,
    cause: status,
  });
}

/**
 * Whether budgets refuse the eviction: one does with 429; more than one for a pod are answered 500 without a reason, which faults of
 * the server have. Priority and fairness answers 429, too, but with a line of text.
 */
function isOfBudgets({ reason, code: httpStatus }: JsonObject, code: PortErrorCode): boolean {
  return code === 'RateLimited' || (httpStatus === 500 && reason === undefined);
}

/** The error that a Status in the middle of a watch amounts to. */
export function errorOfStatus(operation: string, status: JsonObject): PortError {
  const httpStatus = typeof status['code'] === 'number' ? status['code'] : 500;
  return new PortError(codeOf(status, httpStatus), {
    operation,
    message: `${String(httpStatus)} ${messageOf(status)}`.trim(),
    retryAfterMillis: retryAfterOf(status),
    cause: status,
  });
}

/** The error that a request which got no whole answer amounts to. */
export function errorOfFailure(operation: string, error: unknown): PortError {
  if (error instanceof PortError) return error;
  const message = error instanceof Error ? describe(error) : String(error);
  return new PortError('Unavailable', { operation, message, cause: error });
}

/** Whether the server has not come to that resourceVersion, as after a restore of etcd. */
export function isResourceVersionTooLarge(error: PortError): boolean {
  const causes = plainObject(plainObject(error.cause)?.['details'])?.['causes'];
  return (
    Array.isArray(causes) &&
    causes.some((cause) => plainObject(cause)?.['reason'] === 'ResourceVersionTooLarge')
  );
}

/** A host with several addresses fails with an error of errors, whose own message is empty. */
function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message;
  return text.includes(code) ? text : `${code} ${text}`;
}

function codeOf(status: JsonObject | undefined, httpStatus: number): PortErrorCode {
  const reason = status?.['reason'];
  const known = typeof reason === 'string' ? BY_REASON[reason] : undefined;
  return known ?? BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'Unavailable' : 'Invalid');
}

function parseStatus(body: string): JsonObject | undefined {
  try {
    const status = plainObject(JSON.parse(body));
    return status?.['kind'] === 'Status' ? status : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(status: JsonObject): string {
  const { message, reason } = status;
  if (typeof message === 'string' && message !== '') return message;
  return typeof reason === 'string' ? reason : 'no message';
}

function retryAfterOf(status: JsonObject | undefined): number | undefined {
  const seconds = plainObject(status?.['details'])?.['retryAfterSeconds'];
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfterMillis(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
