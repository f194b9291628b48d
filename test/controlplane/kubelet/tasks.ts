/** Work that is due later or again and again, all of which can be called off. */

export type Act = () => Promise<void> | void;

export class Tasks {
  readonly #onError: (error: unknown) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs `act` in so many milliseconds; with 0 at once. An error of it goes to `onError`. */
  after(millis: number, act: Act): void {
    if (this.#isStopped) return;
    if (millis === 0) {
      this.#run(act);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#run(act);
    }, millis);
    this.#timers.add(timer);
  }

  /** Runs `act` every so many milliseconds, the first time after one such span; a run that takes longer delays the next. */
  every(millis: number, act: Act): void {
    this.after(millis, async () => {
      try {
        await act();
      } finally {
        this.every(millis, act);
      }
    });
  }

  /** Calls off what is not running yet; what is due later can be planned again afterwards. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Calls everything off for good and resolves when what is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.clear();
    await Promise.all(this.#running);
  }

  #run(act: Act): void {
    const running = this.#guarded(act).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #guarded(act: Act): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#onError(error);
    }
  }
}
