/** Notices when nothing has come for too long. */
import type { Clock } from '../../../../ports/clock.js';

export interface StallGuardOptions {
  readonly clock: Clock;
  readonly millis: number;
  /** Called once, at the earliest after that much silence. */
  stalled(): void;
}

/** One timer, however much comes. */
export class StallGuard {
  readonly #options: StallGuardOptions;
  #touchedAt: number;
  #cancel: () => void;

  constructor(options: StallGuardOptions) {
    this.#options = options;
    this.#touchedAt = options.clock.monotonic();
    this.#cancel = this.#arm(options.millis);
  }

  /** Something came. */
  touch(): void {
    this.#touchedAt = this.#options.clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(millis: number): () => void {
    const { clock } = this.#options;
    return clock.timer(millis, () => {
      const left = this.#touchedAt + this.#options.millis - clock.monotonic();
      if (left > 0) this.#cancel = this.#arm(left);
      else this.#options.stalled();
    });
  }
}
