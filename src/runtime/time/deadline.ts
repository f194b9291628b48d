/** Ends waiting: at a time, or when the caller aborts. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';
import { linkedSignal } from './linked-signal.js';

export interface Deadline {
  readonly clock: Clock;
  readonly millis: number;
  readonly signal?: AbortSignal | undefined;
  /** What is waited for, as in PortErrorDetails. */
  readonly operation: string;
}

/** A signal that is aborted at a deadline, until that is called off. */
export interface DeadlineSignal {
  /** Aborted at the deadline, with PortError TimedOut, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Ends the waiting for both. To be called in any case. */
  readonly callOff: () => void;
}

export function deadlineSignal({ clock, millis, signal, operation }: Deadline): DeadlineSignal {
  const own = linkedSignal(signal);
  const stop = clock.timer(millis, () => {
    own.abort(
      new PortError('TimedOut', { operation, message: `no answer after ${String(millis)} milliseconds` }),
    );
  });
  return {
    signal: own.signal,
    callOff: () => {
      stop();
      own.unlink();
    },
  };
}

/**
 * Does something with a signal that is aborted at the deadline or with the caller's signal. Answers then at once, whether
 * or not the work heeds its signal.
 * @throws PortError TimedOut or Cancelled; else whatever the work throws.
 */
export async function withDeadline<T>(
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, callOff } = deadlineSignal(deadline);
  try {
    return await untilAborted(signal, deadline.operation, work);
  } finally {
    callOff();
  }
}

/**
 * What the work answers, unless the signal is aborted before.
 * @throws the signal's reason where it is a PortError, else PortError Cancelled; or whatever the work throws.
 */
export function untilAborted<T>(
  signal: AbortSignal,
  operation: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(abortError(signal, operation));
    };
    if (signal.aborted) {
      giveUp();
      return;
    }
    signal.addEventListener('abort', giveUp, { once: true });
    work(signal)
      .then(resolve, (error: unknown) => {
        reject(signal.aborted ? abortError(signal, operation) : asError(error));
      })
      .finally(() => {
        signal.removeEventListener('abort', giveUp);
      });
  });
}

function abortError(signal: AbortSignal, operation: string): PortError {
  const reason: unknown = signal.reason;
  return reason instanceof PortError
    ? reason
    : new PortError('Cancelled', { operation, message: 'the signal was aborted', cause: reason });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
