/** A failed AWS call, in a port's words and in AWS' own. */
import { PortError, type PortErrorCode, type PortErrorDetails } from '../../../../ports/port-error.js';
import { verdictOn, type Again } from './error-table.js';

interface AwsErrorDetails extends PortErrorDetails {
  readonly awsCode: string;
  readonly status: number | undefined;
  readonly requestID: string | undefined;
  readonly again: Again;
}

export class AwsError extends PortError {
  /** As AWS spells it; where there was no answer, the system's or the SDK's name for what went wrong. */
  readonly awsCode: string;
  /** Of the HTTP answer, where there was one. */
  readonly status: number | undefined;
  /** For AWS' support to find the call by. */
  readonly requestID: string | undefined;
  /** Whether the same call may be sent again at once. */
  readonly again: Again;

  constructor(code: PortErrorCode, details: AwsErrorDetails) {
    super(code, details);
    this.awsCode = details.awsCode;
    this.status = details.status;
    this.requestID = details.requestID;
    this.again = details.again;
  }

  /** Whether AWS did it is unknown. */
  get mayHaveHappened(): boolean {
    return this.again === 'if-repeatable';
  }
}

/** What a call was: an IAM action such as `ec2:CreateFleet`, and whom or what it was about. */
export interface CallName {
  readonly action: string;
  readonly subject: string | undefined;
}

/** `ec2:CreateFleet for general-1`. */
export function callText({ action, subject }: CallName): string {
  return subject === undefined ? action : `${action} for ${subject}`;
}

/**
 * The SDK's error, or whatever else came out of a call, as an error of ours. The SDK's is not kept as cause: it drags the whole
 * answer along.
 */
export function awsError(error: unknown, call: CallName): AwsError {
  const { awsCode, status, requestID, message, retryAfterMillis } = partsOf(error);
  const { code, again } = verdictOn(awsCode, status);
  return new AwsError(code, {
    operation: callText(call),
    message: describe(code, { awsCode, status, message, action: call.action }),
    awsCode,
    status,
    requestID,
    again,
    retryAfterMillis,
  });
}

interface Parts {
  readonly awsCode: string;
  readonly status: number | undefined;
  readonly requestID: string | undefined;
  readonly message: string;
  readonly retryAfterMillis: number | undefined;
}

function partsOf(error: unknown): Parts {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  const metadata = (fields['$metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const status = numberOf(metadata['httpStatusCode']);
  const isService = fields['$fault'] !== undefined;
  return {
    awsCode: isService ? serviceCode(fields) : systemCode(fields, status),
    status,
    requestID: textOf(metadata['requestId']),
    // Only what AWS says of itself: an answer that could not be read may hold anything.
    message: isService || status === undefined ? messageOf(error) : '',
    retryAfterMillis: retryAfter(fields['$response']),
  };
}

/** A PortError's says first what was being done, as this one will. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof PortError ? text.replace(/^[^ ]+(?: for [^ ]+)?: /, '') : text;
}

/** Query services tell the code in `Code`, where the SDK's own name for the error differs from it. */
function serviceCode(fields: Readonly<Record<string, unknown>>): string {
  const code = textOf(fields['Code']) ?? textOf(fields['name']) ?? '';
  return code === 'Unknown' ? '' : code;
}

/** Of our own deadlines, as the SDK calls the same things. */
const OWN_CODES: ReadonlyMap<unknown, string> = new Map([
  ['TimedOut', 'TimeoutError'],
  ['Cancelled', 'AbortError'],
]);
const SDK_NAMES: ReadonlySet<string> = new Set(['TimeoutError', 'AbortError', 'WebPage']);

/** ECONNRESET and its like stand in `code`, a time-out only in `name`. */
function systemCode(fields: Readonly<Record<string, unknown>>, status: number | undefined): string {
  const named = textOf(fields['name']) ?? '';
  const name = named === 'Error' ? '' : named;
  if (SDK_NAMES.has(name)) return name;
  const code = OWN_CODES.get(fields['code']) ?? textOf(fields['code']);
  // How the SDK stumbled over an answer says nothing; that there was one does.
  return code ?? (status === undefined ? name : '');
}

function retryAfter(response: unknown): number | undefined {
  const { headers } = (response ?? {}) as { readonly headers?: Readonly<Record<string, string>> };
  const seconds = Number(headers?.['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

interface Description {
  readonly awsCode: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly action: string;
}

const MOST_TEXT = 500;

function describe(code: PortErrorCode, { awsCode, status, message, action }: Description): string {
  // It is long, and only the account's own people can decode it.
  const text = message.split(/\s*Encoded authorization failure message/)[0]?.slice(0, MOST_TEXT) ?? '';
  const said = [awsCode, text].filter((part) => part !== '').join(': ');
  if (code === 'Forbidden')
    return `needs the permission ${deniedAction(awsCode, message) ?? action}: ${said}`;
  if (text !== '') return said;
  const answer = status === undefined ? 'no response' : `a response with status ${String(status)}`;
  return `${answer} without a message${awsCode === '' ? '' : ` (${awsCode})`}`;
}

/** Another action than the one called, as when CreateFleet may not run instances or pass a role. */
function deniedAction(awsCode: string, message: string): string | undefined {
  if (awsCode.includes('ServiceLinkedRoleCreation')) return 'iam:CreateServiceLinkedRole';
  return /not authorized to perform:? ([a-z0-9-]+:\w+)/.exec(message)?.[1];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
