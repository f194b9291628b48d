/** Choices drawn from a seed: the same seed makes the same choices on every host. */
import { seededRandom } from '../support/workloads.js';

export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** In [0, 1). */
  next(): number {
    return this.#random();
  }

  /** Whether something with this probability happens. */
  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  oneOf<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.#random() * list.length)] ?? list[0];
  }

  /** A non-empty part of the list, in its order. */
  part<T>(list: readonly [T, ...T[]]): readonly T[] {
    const kept = list.filter(() => this.chance(0.5));
    return kept.length > 0 ? kept : [this.oneOf(list)];
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, rank: this.#random() }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ item }) => item);
  }
}
