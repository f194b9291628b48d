/** Faults that a test arranges for the next calls of the fake cloud. */
import type { Cloud } from '../../../src/ports/cloud.js';
import { PortError } from '../../../src/ports/port-error.js';
import { untilAborted } from '../../../src/runtime/time/deadline.js';

export type CloudOperation = keyof Cloud;

export interface CloudFault {
  /**
   * `answer-lost`: it is done, and nobody hears of it. `timed-out`: it is not done, and nobody hears of it. `unavailable`,
   * `throttled`, `forbidden`: it is refused. `stalled`: it is not done, and there is no answer until the caller gives up.
   */
  readonly kind: 'answer-lost' | 'timed-out' | 'unavailable' | 'throttled' | 'forbidden' | 'stalled';
}

export class CloudFaults {
  readonly #planned = new Map<CloudOperation, CloudFault['kind'][]>();

  /** The next calls of this operation meet the fault, after those arranged before. */
  next(operation: CloudOperation, fault: CloudFault, times = 1): void {
    const kinds = Array.from({ length: times }, () => fault.kind);
    this.#planned.set(operation, [...(this.#planned.get(operation) ?? []), ...kinds]);
  }

  /** Does it, unless a fault is due. @throws PortError as the fault says; Cancelled when the signal is aborted. */
  async meet<T>(
    operation: CloudOperation,
    signal: AbortSignal | undefined,
    act: () => T | Promise<T>,
  ): Promise<T> {
    if (signal?.aborted === true) throw failure('Cancelled', operation, 'the signal was aborted');
    const kind = this.#planned.get(operation)?.shift();
    if (kind === undefined) return act();
    switch (kind) {
      case 'answer-lost':
        await act();
        throw failure('TimedOut', operation, 'the answer was lost');
      case 'timed-out':
        throw failure('TimedOut', operation, 'the request was lost');
      case 'unavailable':
        throw failure('Unavailable', operation, 'the connection was refused');
      case 'forbidden':
        throw failure('Forbidden', operation, 'the permission is missing');
      case 'throttled':
        throw new PortError('RateLimited', {
          operation,
          message: 'Request limit exceeded.',
          retryAfterMillis: 1000,
        });
      case 'stalled':
        return untilAborted(signal ?? new AbortController().signal, operation, never);
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function failure(
  code: 'Cancelled' | 'TimedOut' | 'Unavailable' | 'Forbidden',
  operation: string,
  message: string,
): PortError {
  return new PortError(code, { operation, message });
}
