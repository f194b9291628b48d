/** Pending writes of Decisions and events: a bounded queue, urgent ones first. */

/** One request. */
export interface PendingWrite {
  /** For log lines. */
  readonly what: string;
  /** Whether there is still something to write; where this is not given there is. */
  readonly isNeeded?: () => boolean;
  readonly write: (signal: AbortSignal) => Promise<void>;
}

export interface PendingWritesOptions {
  /** How many writes may wait in each of the two lanes. */
  readonly most: number;
}

export class PendingWrites {
  readonly #most: number;
  readonly #urgent: PendingWrite[] = [];
  readonly #others: PendingWrite[] = [];
  #wake: () => void = () => undefined;

  constructor({ most }: PendingWritesOptions) {
    this.#most = most;
  }

  /** Answers whether there was room for it. */
  add(pending: PendingWrite, isUrgent: boolean): boolean {
    const lane = isUrgent ? this.#urgent : this.#others;
    if (lane.length >= this.#most) return false;
    lane.push(pending);
    this.#wake();
    return true;
  }

  /** Removes and returns the next write. */
  take(): PendingWrite | undefined {
    return this.#urgent.shift() ?? this.#others.shift();
  }

  /** Resolves when there is something, or when the signal is aborted. */
  filled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#urgent.length + this.#others.length > 0 || signal.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
