/** What re-typing works on: the bin types by price, and what the bin at hand asks. */
import type { BinTypePrices } from '../prices/bin-type-prices.js';
import type { BinProblem } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Bin types by their least price, and what one bin asks. */
export class Retyping {
  readonly binTypes: Int32Array;
  /** As long as `binTypes`. */
  readonly leastPrice: Float64Array;
  readonly sum: Float64Array;
  /** Requirement sets of the bin, each once. */
  readonly sets: Int32Array;
  setCount = 0;
  zoneMask = 0;

  constructor(problem: BinProblem, prices: BinTypePrices) {
    const least = (binType: number) => {
      const first = binType * problem.zones;
      return Math.min(...problem.binTypes.price.subarray(first, first + problem.zones));
    };
    const leastPrices = new Map(Array.from(prices.kept, (binType) => [binType, least(binType)]));
    this.binTypes = prices.kept.toSorted(
      (a, b) => (leastPrices.get(a) ?? 0) - (leastPrices.get(b) ?? 0) || a - b,
    );
    this.leastPrice = Float64Array.from(this.binTypes, (binType) => leastPrices.get(binType) ?? 0);
    this.sum = new Float64Array(problem.resources);
    this.sets = new Int32Array(problem.requirementSets);
  }
}

/** Bin types by their least price that accounts still take: what was found to be too much for them is not asked again. */
export class Buyable {
  readonly #all: Int32Array;
  readonly #allPrices: Float64Array;
  readonly #binTypes: Int32Array;
  readonly #prices: Float64Array;
  #count = 0;
  #isFull = false;
  #struck = 0;

  /** `binTypes` by ascending least price, with these prices in USD/h. */
  constructor(binTypes: Int32Array, leastPrice: Float64Array) {
    this.#all = binTypes;
    this.#allPrices = leastPrice;
    this.#binTypes = new Int32Array(binTypes.length);
    this.#prices = new Float64Array(binTypes.length);
  }

  /** Accounts may have more left than before: all bin types are to be asked again. */
  reset(): void {
    this.#isFull = false;
  }

  get count(): number {
    if (!this.#isFull) {
      this.#binTypes.set(this.#all);
      this.#prices.set(this.#allPrices);
      this.#count = this.#all.length;
      this.#struck = 0;
      this.#isFull = true;
    }
    return this.#count;
  }

  binType(at: number): number {
    return whole(this.#binTypes, at);
  }

  /** USD/h. */
  leastPrice(at: number): number {
    return real(this.#prices, at);
  }

  /** Leaves out a bin type from the next `tidy` on. */
  strike(at: number): void {
    this.#binTypes[at] = -1;
    this.#struck++;
  }

  tidy(): void {
    if (this.#struck === 0) return;
    let kept = 0;
    for (let at = 0; at < this.#count; at++) {
      const binType = whole(this.#binTypes, at);
      if (binType < 0) continue;
      this.#binTypes[kept] = binType;
      this.#prices[kept++] = real(this.#prices, at);
    }
    this.#count = kept;
    this.#struck = 0;
  }
}
