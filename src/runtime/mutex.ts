/** Things that must not be done at the same time, one after the other. */
import { untilAborted } from './deadline.js';

/** Whoever asks first is first. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Does the work when all that was asked for before has ended.
   * @throws PortError Cancelled, when the signal is aborted before its turn has come; else whatever the work throws.
   */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    this.#last = Promise.all([before, new Promise<void>((resolve) => (done = resolve))]);
    try {
      await untilAborted(signal, 'wait for its turn', async () => {
        await before;
      });
      return await work();
    } finally {
      done();
    }
  }
}
