/** Gives every bin the cheapest bin type and zone that hold what is in it. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { BinList } from './bin-list.js';
import type { Retyping } from './bin-types-by-price.js';
import { flag, real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Less than any difference in price that matters, USD/h. */
const NOTHING = 1e-12;

/** Share of a bin's worth that a bin type which holds it costs at least: it would be worth more than its price otherwise. */
const LEAST_SHARE = 0.98;

/** Re-types the bins from one on. */
export function retypeBins(w: Workspace, bins: BinList, from: number): void {
  for (let bin = from; bin < bins.count; bin++) {
    addUp(w, bins, bin);
    retypeBin(w, bins, bin);
  }
}

function addUp({ problem, retyping }: Workspace, bins: BinList, bin: number): void {
  const { classes, resources } = problem;
  const { sum } = retyping;
  sum.fill(0);
  retyping.setCount = 0;
  retyping.zoneMask = -1;
  for (let entry = whole(bins.start, bin); entry < whole(bins.start, bin + 1); entry++) {
    const k = whole(bins.classes, entry);
    const items = whole(bins.items, entry);
    for (let r = 0; r < resources; r++) {
      sum[r] = real(sum, r) + items * real(classes.requests, k * resources + r);
    }
    retyping.zoneMask &= whole(classes.zoneMask, k);
    if (whole(classes.quotaGroup, k) >= 0) retyping.zoneMask &= 1 << whole(bins.zone, bin);
    addSet(retyping, whole(classes.requirementSet, k));
  }
}

function addSet(retyping: Retyping, set: number): void {
  for (let i = 0; i < retyping.setCount; i++) if (whole(retyping.sets, i) === set) return;
  retyping.sets[retyping.setCount++] = set;
}

function retypeBin(w: Workspace, bins: BinList, bin: number): void {
  const { problem, retyping } = w;
  for (
    let i = firstAtLeast(retyping.leastPrice, LEAST_SHARE * real(bins.value, bin));
    i < retyping.binTypes.length;
    i++
  ) {
    if (real(retyping.leastPrice, i) >= real(bins.price, bin) - NOTHING) return;
    const binType = whole(retyping.binTypes, i);
    if (!holdsBin(problem, retyping, binType)) continue;
    const zone = cheapestZone(problem, retyping, binType);
    if (zone < 0) continue;
    const price = real(problem.binTypes.price, binType * problem.zones + zone);
    if (price < real(bins.price, bin) - NOTHING && exchange(w, whole(bins.binType, bin), binType)) {
      bins.binType[bin] = binType;
      bins.zone[bin] = zone;
      bins.price[bin] = price;
    }
  }
}

/** The place of the first price that is not below `least`; prices ascend. */
function firstAtLeast(prices: Float64Array, least: number): number {
  let low = 0;
  let high = prices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (real(prices, middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function holdsBin(problem: BinProblem, { sum, sets, setCount }: Retyping, binType: number): boolean {
  const { binTypes, resources, admits, requirementSets } = problem;
  for (let r = 0; r < resources; r++) {
    if (real(sum, r) > real(binTypes.capacity, binType * resources + r)) return false;
  }
  const row = whole(binTypes.signature, binType) * requirementSets;
  for (let i = 0; i < setCount; i++) if (flag(admits, row + whole(sets, i)) === 0) return false;
  return true;
}

function cheapestZone({ binTypes, zones }: BinProblem, { zoneMask }: Retyping, binType: number): number {
  let best = -1;
  let price = Infinity;
  for (let zone = 0; zone < zones; zone++) {
    if (((zoneMask >> zone) & 1) === 0 || real(binTypes.price, binType * zones + zone) >= price) continue;
    price = real(binTypes.price, binType * zones + zone);
    best = zone;
  }
  return best;
}

/** Gives one bin back and buys one of another type, where its account can take it. */
function exchange({ left }: Workspace, old: number, binType: number): boolean {
  left.buy(old, -1);
  const can = left.canBuy(binType);
  left.buy(can ? binType : old, 1);
  return can;
}
