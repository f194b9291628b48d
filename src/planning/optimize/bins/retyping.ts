/** What re-typing works on: the machines by price, and what the bin at hand asks. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { MachinePrices } from '../prices/machine-prices.js';

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
