/** Pseudo-random choices from a fixed start, the same every time: planning knows neither a clock nor a source of randomness. */

/** Multiplier and increment of a linear congruential generator (Knuth, MMIX), the lower 32 bits. */
const FACTOR = 1_597_334_677;
const STEP = 1_013_904_223;

/** A linear congruential generator that starts from the same number each time. */
export class SeededRandom {
  #state = 1;

  /** In [0, 1). */
  next(): number {
    this.#state = (Math.imul(this.#state, FACTOR) + STEP) >>> 0;
    return this.#state / 2 ** 32;
  }

  /** Whether something with this probability happens. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer from 0 up to, and without, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, rank: this.next() }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ item }) => item);
  }
}
