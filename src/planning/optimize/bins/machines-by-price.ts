/** What re-typing works on: the machines by price, and what the bin at hand asks. */
import type { MachinePrices } from '../prices/machine-prices.js';
import type { BinProblem } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Machines by their least price, and what one bin asks. */
export class Retyping {
  readonly machines: Int32Array;
  /** As long as `machines`. */
  readonly leastPrice: Float64Array;
  readonly sum: Float64Array;
  /** Requirement sets of the bin, each once. */
  readonly sets: Int32Array;
  setCount = 0;
  zoneMask = 0;

  constructor(problem: BinProblem, prices: MachinePrices) {
    const least = (machine: number) => {
      const first = machine * problem.zones;
      return Math.min(...problem.machines.price.subarray(first, first + problem.zones));
    };
    const leastPrices = new Map(Array.from(prices.kept, (machine) => [machine, least(machine)]));
    this.machines = prices.kept.toSorted(
      (a, b) => (leastPrices.get(a) ?? 0) - (leastPrices.get(b) ?? 0) || a - b,
    );
    this.leastPrice = Float64Array.from(this.machines, (machine) => leastPrices.get(machine) ?? 0);
    this.sum = new Float64Array(problem.resources);
    this.sets = new Int32Array(problem.requirementSets);
  }
}

/** Machines by their least price that accounts still take: what was found to be too much for them is not asked again. */
export class Buyable {
  readonly #all: Int32Array;
  readonly #allPrices: Float64Array;
  readonly #machines: Int32Array;
  readonly #prices: Float64Array;
  #count = 0;
  #isFull = false;
  #struck = 0;

  /** `machines` by ascending least price, with these prices in USD/h. */
  constructor(machines: Int32Array, leastPrice: Float64Array) {
    this.#all = machines;
    this.#allPrices = leastPrice;
    this.#machines = new Int32Array(machines.length);
    this.#prices = new Float64Array(machines.length);
  }

  /** Accounts may have more left than before: all machines are to be asked again. */
  reset(): void {
    this.#isFull = false;
  }

  get count(): number {
    if (!this.#isFull) {
      this.#machines.set(this.#all);
      this.#prices.set(this.#allPrices);
      this.#count = this.#all.length;
      this.#struck = 0;
      this.#isFull = true;
    }
    return this.#count;
  }

  machine(at: number): number {
    return whole(this.#machines, at);
  }

  /** USD/h. */
  leastPrice(at: number): number {
    return real(this.#prices, at);
  }

  /** Leaves out a machine from the next `tidy` on. */
  strike(at: number): void {
    this.#machines[at] = -1;
    this.#struck++;
  }

  tidy(): void {
    if (this.#struck === 0) return;
    let kept = 0;
    for (let at = 0; at < this.#count; at++) {
      const machine = whole(this.#machines, at);
      if (machine < 0) continue;
      this.#machines[kept] = machine;
      this.#prices[kept++] = real(this.#prices, at);
    }
    this.#count = kept;
    this.#struck = 0;
  }
}
