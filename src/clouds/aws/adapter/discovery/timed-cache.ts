/** Answers that are good for a while. */
import type { Clock } from '../../../../ports/clock.js';

interface Kept<V> {
  readonly value: V;
  /** Monotonic. */
  readonly until: number;
}

/** Node classes are few, and so are their questions; beyond this, the oldest go. */
const MOST_ENTRIES = 1_000;

export class TimedCache<V> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<V>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): V | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#clock.monotonic() < kept.until ? kept.value : undefined;
  }

  set(key: string, value: V, millis: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: this.#clock.monotonic() + millis });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_ENTRIES && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** What is kept, or else the answer of `ask`, kept for as long as `millisFor` says. Failures are not kept. */
  async through(key: string, ask: () => Promise<V>, millisFor: (value: V) => number): Promise<V> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = await ask();
    this.set(key, value, millisFor(value));
    return value;
  }

  clear(): void {
    this.#kept.clear();
  }
}
