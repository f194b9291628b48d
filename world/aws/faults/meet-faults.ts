/** Carries a call through the faults that it meets. */
import type { Clock } from '../../../src/ports/clock.js';
import type { Random } from '../../../src/ports/random.js';
import { ServiceError } from '../model/service-error.js';
import { pickMillis } from '../model/span.js';
import type { Fault } from './fault-plan.js';

export interface FaultyCall<T> {
  readonly faults: readonly Fault[];
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly act: () => Promise<T>;
}

/**
 * Does it as far as its faults let it come.
 * @throws ServiceError where a fault says so; an error with the code ECONNRESET where the connection breaks; the signal's
 *   reason where no answer comes.
 */
export async function meetFaults<T>({ faults, clock, random, signal, act }: FaultyCall<T>): Promise<T> {
  const late = faults.filter(({ kind }) => kind === 'lost-answer' || kind === 'reset-after');
  for (const fault of faults) await meetBefore(fault, { clock, random, signal });
  const answer = await act();
  for (const { kind } of late) {
    if (kind === 'reset-after') throw connectionReset();
    await silence(signal);
  }
  return answer;
}

async function meetBefore(
  fault: Fault,
  { clock, random, signal }: Pick<FaultyCall<unknown>, 'clock' | 'random' | 'signal'>,
): Promise<void> {
  switch (fault.kind) {
    case 'latency':
      await clock.sleep(
        pickMillis({ from: fault.millis, to: fault.upToMillis ?? fault.millis }, random),
        signal,
      );
      return;
    case 'throttle':
      throw throttled();
    case 'error':
      throw new ServiceError(
        fault.code,
        fault.message ?? 'An internal error has occurred',
        fault.status ?? 500,
      );
    case 'reset':
      throw connectionReset();
    case 'lost-request':
      await silence(signal);
      return;
    case 'lost-answer':
    case 'reset-after':
    case 'offering':
      return;
  }
}

/** As EC2 answers when a token bucket is empty. */
export function throttled(): ServiceError {
  return new ServiceError('RequestLimitExceeded', 'Request limit exceeded.', 503);
}

/** No answer until the caller gives up. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => {
      reject(reasonOf(signal));
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason });
}

const RESET = 'ECONNRESET';

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: RESET });
}

export function isConnectionReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === RESET;
}
