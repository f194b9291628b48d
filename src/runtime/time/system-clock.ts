/** The host's clock. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';

/** The longest time that setTimeout knows; a longer one would end at once. */
const LONGEST_MILLIS = 2 ** 31 - 1;

/** Neither a timer nor a sleeper keeps the process alive: a running one lives through its servers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  timer,
};

function sleep(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      stop();
      reject(new PortError('Cancelled', { operation: 'sleep', message: 'the signal was aborted' }));
    };
    const stop = timer(millis, () => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    });
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}

function timer(millis: number, callback: () => void): () => void {
  let timeout: NodeJS.Timeout;
  const arm = (left: number): void => {
    const part = Math.min(Math.max(left, 0), LONGEST_MILLIS);
    timeout = setTimeout(() => {
      if (left > part) arm(left - part);
      else callback();
    }, part);
    timeout.unref();
  };
  arm(millis);
  return () => {
    clearTimeout(timeout);
  };
}
