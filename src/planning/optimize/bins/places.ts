/** Where the next bin may be bought: pairs of machine and zone, with what may be hoped of them. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { MachinePrices } from '../prices/machine-prices.js';
import { real } from '../problem/typed-read.js';

/** Pairs of machine and zone looked at, the ones of most potential. */
const MOST_PLACES = 400;
/** Potential below which a machine is bought only if nothing else holds what is left. */
const LEAST_POTENTIAL = 0.02;

/** Pairs of machine and zone by falling potential, with what may be hoped of a fill now. */
export class Places {
  readonly count: number;
  readonly machine: Int32Array;
  readonly zone: Int32Array;
  readonly potential: Float64Array;
  readonly estimate: Float64Array;
  readonly #remembered: Float64Array;

  constructor(problem: BinProblem, prices: MachinePrices, zones: readonly number[]) {
    const { zones: width } = problem;
    const places: number[] = [];
    for (const machine of prices.kept) {
      for (const zone of zones) {
        if (real(prices.potential, machine * width + zone) > LEAST_POTENTIAL)
          places.push(machine * width + zone);
      }
    }
    places.sort((a, b) => real(prices.potential, b) - real(prices.potential, a) || a - b);
    const kept = places.slice(0, MOST_PLACES);
    this.count = kept.length;
    this.machine = Int32Array.from(kept, (place) => Math.floor(place / width));
    this.zone = Int32Array.from(kept, (place) => place % width);
    this.potential = Float64Array.from(kept, (place) => real(prices.potential, place));
    this.estimate = this.potential.slice();
    this.#remembered = this.potential.slice();
  }

  /** Keeps the estimates of this moment. */
  remember(): void {
    this.#remembered.set(this.estimate);
  }

  /** Goes back to the estimates that were kept. */
  recall(): void {
    this.estimate.set(this.#remembered);
  }

  /** Forgets what fills were worth. */
  reset(): void {
    this.estimate.set(this.potential);
  }
}
