/** What generators draw from: a seeded source of numbers, and choices made with it. */
import { seededRandom } from '../../world/seeded-random.js';

export class Draw {
  readonly #next: () => number;

  constructor(seed: number) {
    const random = seededRandom(seed);
    this.#next = () => random.next();
  }

  /** In [0, 1). */
  number(): number {
    return this.#next();
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /** @throws RangeError when the list is empty. */
  oneOf<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError('nothing to draw from');
    return item;
  }

  /** A copy of the list in another order. */
  shuffled<T>(list: readonly T[]): readonly T[] {
    const result = [...list];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const [left, right] = [result[last], result[other]];
      if (left === undefined || right === undefined) continue;
      result[last] = right;
      result[other] = left;
    }
    return result;
  }
}
