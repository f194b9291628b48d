/** A mutex for asynchronous work. */
import { untilAborted } from '../time/deadline.js';

/** First come, first served. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs the work after all earlier calls have ended.
   * @throws PortError Cancelled, when the signal is aborted before the work starts; else whatever the work throws.
   */
  async runExclusive<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    this.#last = Promise.all([before, new Promise<void>((resolve) => (done = resolve))]);
    try {
      await untilAborted(signal, 'wait for the mutex', async () => {
        await before;
      });
      return await work();
    } finally {
      done();
    }
  }
}
