/** What can go wrong behind a port: one closed set of codes, whichever adapter is there. */

/** Code → whether the same call may succeed later. */
const RETRYABLE = {
  /** The object is not there. */
  NotFound: false,
  AlreadyExists: false,
  /** Another client changed the object in between: read it again. */
  Conflict: true,
  /** The rights are missing (403). */
  Forbidden: false,
  /** Not authenticated (401). */
  Unauthorized: true,
  /** The process only observes, and this would change something. */
  ReadOnly: false,
  /** The request itself is wrong. */
  Invalid: false,
  /** A resourceVersion that is too old (410): list again. */
  Gone: false,
  /** PodDisruptionBudgets stand in the way of an eviction (429, and 500 where several are about the pod). */
  Blocked: true,
  /** Too many requests. */
  RateLimited: true,
  /** 5xx, refused and broken connections. */
  Unavailable: true,
  /** No answer in time; whether it happened is unknown. */
  TimedOut: true,
  /** The caller's signal was aborted. */
  Cancelled: false,
  /** Insufficient capacity: none of the requested offerings is available. */
  InsufficientCapacity: false,
  /** The client token was used with other parameters: the launch happened. */
  TokenMismatch: false,
  /** An account's quota is reached. */
  QuotaExceeded: false,
} as const;

export type PortErrorCode = keyof typeof RETRYABLE;

export interface PortErrorDetails {
  /** What was being done, to what: `create nodeclaims/general-1`. */
  readonly operation: string;
  readonly message: string;
  /** How long the other side asked to wait. */
  readonly retryAfterMillis?: number | undefined;
  readonly cause?: unknown;
}

export class PortError extends Error {
  readonly code: PortErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMillis: number | undefined;

  constructor(code: PortErrorCode, details: PortErrorDetails) {
    super(`${details.operation}: ${details.message}`, { cause: details.cause });
    this.name = 'PortError';
    this.code = code;
    this.retryable = RETRYABLE[code];
    this.retryAfterMillis = details.retryAfterMillis;
  }
}

/** Whether the error came through a port with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly PortErrorCode[]): error is PortError {
  return error instanceof PortError && codes.includes(error.code);
}
