/** What is still to be written: a bounded number of things, and what matters before what is only good to know. */

/** One request. */
export interface Letter {
  /** For log lines. */
  readonly what: string;
  /** Whether there is still something to write; where this is not given there is. */
  readonly isNeeded?: () => boolean;
  readonly write: (signal: AbortSignal) => Promise<void>;
}

export interface OutboxOptions {
  /** How many letters may wait in each of the two lanes. */
  readonly most: number;
}

export class Outbox {
  readonly #most: number;
  readonly #urgent: Letter[] = [];
  readonly #others: Letter[] = [];
  #wake: () => void = () => undefined;

  constructor({ most }: OutboxOptions) {
    this.#most = most;
  }

  /** Answers whether there was room for it. */
  add(letter: Letter, isUrgent: boolean): boolean {
    const lane = isUrgent ? this.#urgent : this.#others;
    if (lane.length >= this.#most) return false;
    lane.push(letter);
    this.#wake();
    return true;
  }

  /** Takes out what is to be written next. */
  take(): Letter | undefined {
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
