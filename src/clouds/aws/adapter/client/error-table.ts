/** What AWS' error codes mean behind a port. The one table for all services. */
import type { PortErrorCode } from '../../../../ports/port-error.js';

/**
 * Whether the same call may be sent again at once: `always`, since it certainly did nothing; `if-repeatable`, since it may have
 * happened; `never`, since the answer would be the same.
 */
export type Again = 'always' | 'if-repeatable' | 'never';

export interface Verdict {
  readonly code: PortErrorCode;
  readonly again: Again;
}

/** Behind each code of a port, those of AWS, without the suffix `Exception`. */
const MEANINGS: readonly (readonly [Verdict, readonly string[]])[] = [
  [
    { code: 'RateLimited', again: 'always' },
    [
      'RequestLimitExceeded',
      'Throttling',
      'Throttled',
      'ThrottledRequest',
      'RequestThrottled',
      'TooManyRequests',
      'EC2Throttled',
      'BandwidthLimitExceeded',
      'PriorRequestNotComplete',
      'SlowDown',
      'OverLimit',
      'KmsThrottled',
    ],
  ],
  [
    { code: 'InsufficientCapacity', again: 'never' },
    [
      'InsufficientInstanceCapacity',
      'InsufficientCapacity',
      'InsufficientCapacityOnHost',
      'InsufficientHostCapacity',
      'InsufficientReservedInstanceCapacity',
      'InsufficientVolumeCapacity',
      'InsufficientAddressCapacity',
      'InsufficientFreeAddressesInSubnet',
      'ReservationCapacityExceeded',
      'SpotMaxPriceTooLow',
      'UnfulfillableCapacity',
      'Unsupported',
    ],
  ],
  [
    { code: 'QuotaExceeded', again: 'never' },
    [
      'VcpuLimitExceeded',
      'InstanceLimitExceeded',
      'MaxSpotInstanceCountExceeded',
      'MaxFleetCountExceeded',
      'MaxIOPSLimitExceeded',
      'VolumeLimitExceeded',
      'LimitExceeded',
      'ResourceLimitExceeded',
      'ServiceQuotaExceeded',
      'TagLimitExceeded',
      'VersionLimitExceeded',
    ],
  ],
  [
    { code: 'TokenMismatch', again: 'never' },
    ['IdempotentParameterMismatch', 'IdempotencyTokenParameterMismatch'],
  ],
  [
    { code: 'NotFound', again: 'never' },
    [
      'NotFound',
      'NoSuchEntity',
      'ResourceNotFound',
      'ParameterNotFound',
      'ParameterVersionNotFound',
      'QueueDoesNotExist',
      'NonExistentQueue',
      'InvalidAMIID.Unavailable',
      'InvalidLaunchTemplateId.VersionNotFound',
      'InvalidPlacementGroup.Unknown',
    ],
  ],
  [{ code: 'AlreadyExists', again: 'never' }, ['AlreadyExists', 'EntityAlreadyExists', 'Duplicate']],
  [
    { code: 'Conflict', again: 'never' },
    [
      'IncorrectState',
      'IncorrectInstanceState',
      'DependencyViolation',
      'DeleteConflict',
      'ConcurrentModification',
      'ResourceInUse',
    ],
  ],
  [
    { code: 'Forbidden', again: 'never' },
    [
      'UnauthorizedOperation',
      'AccessDenied',
      'AccessDeniedFault',
      'OperationNotPermitted',
      'OptInRequired',
      'PendingVerification',
      'Blocked',
      'Unauthorized',
      'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
    ],
  ],
  [
    { code: 'Unauthorized', again: 'never' },
    [
      'AuthFailure',
      'UnrecognizedClient',
      'InvalidClientTokenId',
      'InvalidAccessKeyId',
      'ExpiredToken',
      'SignatureDoesNotMatch',
      'InvalidSignature',
      'MissingAuthenticationToken',
      'IncompleteSignature',
      // The SDK's own: nothing on this machine says who we are.
      'CredentialsProviderError',
      'TokenProviderError',
    ],
  ],
  // The SDK learns from the answer by how much the host's clock is wrong.
  [
    { code: 'Unauthorized', again: 'always' },
    ['RequestExpired', 'RequestTimeTooSkewed', 'RequestInTheFuture'],
  ],
  [
    { code: 'TimedOut', again: 'if-repeatable' },
    ['TimeoutError', 'RequestTimeout', 'RequestTimedOut', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'],
  ],
  [
    { code: 'Unavailable', again: 'if-repeatable' },
    [
      'InternalError',
      'InternalFailure',
      'InternalServerError',
      'InternalService',
      'ServiceUnavailable',
      'ServiceFailure',
      'ServerException',
      'Unavailable',
      'ECONNRESET',
      'EPIPE',
      'ERR_STREAM_PREMATURE_CLOSE',
    ],
  ],
  // No server was reached.
  [
    { code: 'Unavailable', again: 'always' },
    [
      'ECONNREFUSED',
      'EAI_AGAIN',
      'ENOTFOUND',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'EHOSTDOWN',
      'EADDRNOTAVAIL',
      'EMFILE',
    ],
  ],
  [{ code: 'Cancelled', again: 'never' }, ['AbortError', 'RequestAborted']],
  // The SDK refused to send it.
  [{ code: 'Invalid', again: 'never' }, ['TypeError', 'RangeError', 'SerializationException']],
];

const BY_CODE = new Map(MEANINGS.flatMap(([verdict, codes]) => codes.map((code) => [code, verdict])));

/** Where the code says nothing, the status of the answer does. */
const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [401, { code: 'Unauthorized', again: 'never' }],
  [403, { code: 'Forbidden', again: 'never' }],
  [404, { code: 'NotFound', again: 'never' }],
  [408, { code: 'TimedOut', again: 'if-repeatable' }],
  [409, { code: 'Conflict', again: 'never' }],
  [429, { code: 'RateLimited', again: 'always' }],
]);

const INVALID: Verdict = { code: 'Invalid', again: 'never' };
/** No answer that could be read: whether it happened is unknown. */
const UNREADABLE: Verdict = { code: 'Unavailable', again: 'if-repeatable' };

/**
 * What an error with this code, as AWS spells it, and this HTTP status (undefined when there was no answer) means. Codes with
 * parts are judged by the whole, then by the last part: `InvalidSubnetID.NotFound`.
 */
export function verdictOn(awsCode: string, status: number | undefined): Verdict {
  const spellings = [awsCode, awsCode.slice(awsCode.lastIndexOf('.') + 1)];
  for (const spelling of spellings) {
    const known = BY_CODE.get(spelling) ?? BY_CODE.get(spelling.replace(/Exception$/, ''));
    if (known !== undefined) return known;
  }
  return verdictOnStatus(status);
}

function verdictOnStatus(status: number | undefined): Verdict {
  if (status === undefined || status < 400 || status >= 500) return UNREADABLE;
  return BY_STATUS.get(status) ?? INVALID;
}
