/**
 * When a batch is complete: nothing has come for a while, or the first has waited long enough, or all expected pods are
 * there.
 */
import type { Clock } from '../../ports/clock.js';
import { untilAborted } from '../time/deadline.js';

export interface BatchWindowOptions {
  /** The batch closes when nothing has come for so long, */
  readonly idleMillis: number;
  /** and at the latest so long after the first. */
  readonly maxMillis: number;
  readonly clock: Clock;
}

export class BatchWindow {
  readonly #options: BatchWindowOptions;
  #firstAt: number | undefined;
  #lastAt = 0;
  #isClosed = false;
  #stopTimer: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(options: BatchWindowOptions) {
    this.#options = options;
  }

  /** Something came: opens the window, or keeps it open. */
  add(): void {
    this.#lastAt = this.#options.clock.monotonic();
    if (this.#firstAt !== undefined) return;
    this.#firstAt = this.#lastAt;
    this.#watch();
  }

  /** Everything has come: closes the window at once, if it is open. */
  close(): void {
    if (this.#firstAt === undefined || this.#isClosed) return;
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#wake?.();
  }

  /**
   * Waits for the window to open and close; what comes after belongs to the next one. For one caller at a time.
   * @throws PortError Cancelled.
   */
  async next(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, 'wait for a batch', () => this.#closed());
    this.#firstAt = undefined;
    this.#isClosed = false;
  }

  #closed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#isClosed) resolve();
    });
  }

  /** One timer per window is set again when it was too early, rather than one per thing that comes. */
  #watch(): void {
    const { clock, idleMillis, maxMillis } = this.#options;
    const end = Math.min(this.#lastAt + idleMillis, (this.#firstAt ?? 0) + maxMillis);
    const left = end - clock.monotonic();
    if (left <= 0) {
      this.close();
      return;
    }
    this.#stopTimer = clock.timer(left, () => {
      this.#watch();
    });
  }
}
