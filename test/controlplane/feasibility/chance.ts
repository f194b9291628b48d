/** Chance from a seed: the same seed makes the same clusters and pods. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1 (mulberry32). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** True this often, of 1. */
  often(share: number): boolean {
    return this.#next() < share;
  }

  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** @throws RangeError when there is nothing to choose from. */
  one<const Choices extends readonly unknown[]>(choices: Choices): Choices[number] {
    if (choices.length === 0) throw new RangeError('nothing to choose from');
    return choices[this.number(0, choices.length - 1)];
  }

  /** `count` different ones, or all when there are fewer. */
  some<T>(choices: readonly T[], count: number): readonly T[] {
    const left = [...choices];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(this.number(0, left.length - 1), 1));
    return taken;
  }
}
