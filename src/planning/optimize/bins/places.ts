/** Where the next bin may be bought: pairs of bin type and zone, with the value that is expected of them. */
import type { Leftovers } from './leftovers.js';
import type { BinTypePrices } from '../prices/bin-type-prices.js';
import type { BinProblem } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Pairs of bin type and zone looked at, the ones of most potential. */
const MOST_PLACES = 400;
/** Potential below which a bin type is bought only if nothing else holds what is left. */
const LEAST_POTENTIAL = 0.02;

/** Pairs of bin type and zone by falling potential, with the value that is expected of a fill now. */
export class Places {
  readonly count: number;
  readonly binType: Int32Array;
  readonly zone: Int32Array;
  readonly potential: Float64Array;
  readonly estimate: Float64Array;
  readonly #remembered: Float64Array;

  constructor(problem: BinProblem, prices: BinTypePrices, zones: readonly number[]) {
    const { zones: width } = problem;
    const places: number[] = [];
    for (const binType of prices.kept) {
      for (const zone of zones) {
        if (real(prices.potential, binType * width + zone) > LEAST_POTENTIAL)
          places.push(binType * width + zone);
      }
    }
    places.sort((a, b) => real(prices.potential, b) - real(prices.potential, a) || a - b);
    const kept = places.slice(0, MOST_PLACES);
    this.count = kept.length;
    this.binType = Int32Array.from(kept, (place) => Math.floor(place / width));
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

/** Where zones cost the same: which zone has most left to do that no other zone can take. */
export class ZoneNeed {
  /** Zones by falling need; every zone once. */
  readonly order: Int32Array;
  readonly #need: Float64Array;
  /** Quota group → USD/h that its mean item is worth. */
  readonly #quotaWorth: Float64Array;
  readonly #problem: BinProblem;

  constructor(problem: BinProblem, worth: Float64Array) {
    this.#problem = problem;
    this.order = Int32Array.from({ length: problem.zones }, (_, zone) => zone);
    this.#need = new Float64Array(problem.zones);
    this.#quotaWorth = meanWorth(problem, worth);
  }

  /** Ranks the zones by what is left; of equal need the lower number comes first. */
  rank(left: Leftovers): void {
    const need = this.#need;
    need.fill(0);
    this.#addBlocks(left);
    this.#addQuotas(left);
    for (let i = 1; i < this.order.length; i++) {
      const zone = whole(this.order, i);
      let place = i;
      for (; place > 0 && isBefore(need, zone, whole(this.order, place - 1)); place--) {
        this.order[place] = whole(this.order, place - 1);
      }
      this.order[place] = zone;
    }
  }

  #addBlocks({ blocks, blockMask, blockWorth }: Leftovers): void {
    const { zones } = this.#problem;
    const everywhere = 2 ** zones - 1;
    for (let block = 0; block < blocks; block++) {
      const mask = whole(blockMask, block) & everywhere;
      if (mask === everywhere) continue;
      const share = real(blockWorth, block) / Math.max(1, ones(mask));
      for (let zone = 0; zone < zones; zone++) {
        if (((mask >> zone) & 1) === 1) this.#need[zone] = real(this.#need, zone) + share;
      }
    }
  }

  #addQuotas({ quota }: Leftovers): void {
    const { zones } = this.#problem;
    for (let i = 0; i < quota.length; i++) {
      const zone = i % zones;
      const worth = real(this.#quotaWorth, (i - zone) / zones);
      this.#need[zone] = real(this.#need, zone) + whole(quota, i) * worth;
    }
  }
}

function isBefore(need: Float64Array, a: number, b: number): boolean {
  return real(need, a) > real(need, b) || (real(need, a) === real(need, b) && a < b);
}

function ones(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

function meanWorth({ classes, quota, zones }: BinProblem, worth: Float64Array): Float64Array {
  const groups = quota.length / Math.max(1, zones);
  const sum = new Float64Array(groups);
  const items = new Float64Array(groups);
  for (let k = 0; k < classes.count; k++) {
    const group = whole(classes.quotaGroup, k);
    if (group < 0) continue;
    sum[group] = real(sum, group) + whole(classes.items, k) * real(worth, k);
    items[group] = real(items, group) + whole(classes.items, k);
  }
  return sum.map((total, group) => total / Math.max(1, real(items, group)));
}
