/** One bin after the other until nothing is left that a bin can hold. */
import type { BinList } from './bin-list.js';
import { fillBin } from './fill.js';
import type { Leftovers } from './leftovers.js';
import { copyContents } from './open-bin.js';
import type { Places } from './places.js';
import type { Workspace } from './workspace.js';
import { type BinProblem, CPU_AXIS, MEMORY_AXIS } from '../problem/bin-problem.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Share of the worth of all items that is left when the tail begins. */
const TAIL_SHARE = 0.3;
/** What a cap group's share of bins counts at most. */
const MOST_SHARE = 2;

/** Packs what is left into bins behind the ones of `bins`; stops, and returns false, once those cost more than `limit`. */
export function packRest(w: Workspace, bins: BinList, limit: number): boolean {
  const { left } = w;
  w.stranded.fill(0);
  w.buyable.reset();
  let spent = 0;
  for (;;) {
    left.tidyWhenWorthIt();
    if (left.isEmpty()) return true;
    const worth = worthLeft(w);
    if (w.tailStart < 0 && worth <= TAIL_SHARE * w.worthAtStart) startTail(w, bins);
    setCapFactors(w, worth);
    if (!chooseNext(w) && !rescueBin(w)) return true;
    const before = bins.count;
    commit(w, bins);
    spent += (bins.count - before) * real(bins.price, before);
    if (spent > limit) return false;
  }
}

/** From here on bins are packed again once the pass is through, starting from what is known of the bin types now. */
function startTail(w: Workspace, bins: BinList): void {
  w.tailStart = bins.count;
  for (const places of w.places) places.remember();
}

/** USD/h that all items left are worth. */
export function worthLeft({ left }: Workspace): number {
  let worth = 0;
  for (let block = 0; block < left.blocks; block++) worth += real(left.blockWorth, block);
  return worth;
}

/** Classes that a cap spreads over many bins must go in early: the last of them would have bins of their own. */
function setCapFactors(w: Workspace, worth: number): void {
  const { left, problem, capFactor } = w;
  if (w.settings.capBoost === 0 || capFactor.length === 0) return;
  const binTypes = Math.max(1, worth / w.meanBinPrice);
  for (let group = 0; group < capFactor.length; group++) {
    const share = whole(left.capped, group) / Math.max(1, whole(problem.cap, group)) / binTypes;
    capFactor[group] = 1 + w.settings.capBoost * Math.min(MOST_SHARE, share);
  }
}

function chooseNext(w: Workspace): boolean {
  const { zoneNeed, places } = w;
  if (zoneNeed === null) return places.some((all) => chooseBin(w, all));
  zoneNeed.rank(w.left);
  return zoneNeed.order.some((zone) => {
    const there = places[zone];
    return there !== undefined && chooseBin(w, there);
  });
}

/** Buys the best bin; again while it holds one class that is the only one left. */
function commit(w: Workspace, bins: BinList): void {
  const { best, left, problem } = w;
  const price = real(problem.binTypes.price, best.binType * problem.zones + best.zone);
  const again = best.count === 1 && left.listed - left.exhausted === 1;
  do {
    for (let i = 0; i < best.count; i++) left.move(whole(best.classes, i), best.zone, whole(best.items, i));
    left.buy(best.binType, 1);
    bins.push(best, price);
  } while (again && fitsAgain(w));
}

function fitsAgain({ best, left, problem }: Workspace): boolean {
  const k = whole(best.classes, 0);
  const items = whole(best.items, 0);
  const group = whole(problem.classes.quotaGroup, k);
  if (items > whole(left.remaining, k) || !left.canBuy(best.binType)) return false;
  return group < 0 || items <= whole(left.quota, group * problem.zones + best.zone);
}

/** Mean items below which the fill of a bin is tried several times. */
const FEW_ITEMS = 14;
/** How much better than the best so far a bin type must promise to be, to be tried. */
const WORTH_TRYING = 1.0005;
/** Share of the price from which a fill is good enough not to be tried again. */
const GOOD_FILL = 0.995;

/** Puts the best fill into `w.best`; false when no place holds anything. */
function chooseBin(w: Workspace, places: Places): boolean {
  const { binTypes, zones } = w.problem;
  const { potential, estimate } = places;
  const { hope } = w.settings;
  for (let i = 0; i < places.count; i++) estimate[i] = Math.min(real(potential, i), real(estimate, i) + hope);
  let best = 0;
  for (;;) {
    const i = mostHopeful(places, best * WORTH_TRYING);
    if (i < 0) return best > 0;
    const binType = whole(places.binType, i);
    if (!w.left.canBuy(binType)) {
      estimate[i] = 0;
      continue;
    }
    const zone = whole(places.zone, i);
    const price = real(binTypes.price, binType * zones + zone);
    const efficiency = fillWell(w, binType, zone, best * price) / price;
    best = Math.max(best, efficiency);
    estimate[i] = Math.min(efficiency, best - 1e-9);
  }
}

/** The place of the highest estimate above `best`, or -1. */
function mostHopeful({ count, potential, estimate }: Places, best: number): number {
  let most = best;
  let place = -1;
  for (let i = 0; i < count && real(potential, i) > most; i++) {
    if (real(estimate, i) > most) {
      most = real(estimate, i);
      place = i;
    }
  }
  return place;
}

/** The value of the best of some fills, which is copied to `w.best` where it is above `value`. */
function fillWell(w: Workspace, binType: number, zone: number, value: number): number {
  const { bin, table, problem } = w;
  const first = binType * problem.resources;
  const cpu = real(problem.binTypes.capacity, first + CPU_AXIS);
  const memory = real(problem.binTypes.capacity, first + MEMORY_AXIS);
  const isSmall = cpu < FEW_ITEMS * table.meanCpu || memory < FEW_ITEMS * table.meanMemory;
  const enough = GOOD_FILL * real(problem.binTypes.price, binType * problem.zones + zone);
  let most = 0;
  for (let i = isSmall ? w.settings.tries : 1; i > 0 && most < enough; i--) {
    fillBin(w, binType, zone, -1);
    if (bin.value > most && bin.value > value) copyContents(bin, w.best);
    most = Math.max(most, bin.value);
  }
  return most;
}

/** Marks the classes of which no bin type holds even one item. */
export function markHopeless({ problem, hopeless, prices }: Workspace): void {
  const largestFirst = prices.kept.toSorted(
    (a, b) => capacityOf(problem, b) - capacityOf(problem, a) || a - b,
  );
  for (let k = 0; k < problem.classes.count; k++) {
    hopeless[k] = largestFirst.some((binType) => holds(problem, binType, k)) ? 0 : 1;
  }
}

function capacityOf({ binTypes, resources }: BinProblem, binType: number): number {
  return real(binTypes.capacity, binType * resources);
}

/** Puts the cheapest bin for one of the classes left into `w.best`; false when none of them can have one. */
function rescueBin(w: Workspace): boolean {
  const { left, stranded } = w;
  for (let block = 0; block < left.blocks; block++) {
    for (let i = whole(left.blockStart, block); i < whole(left.blockEnd, block); i++) {
      const k = whole(left.active, i);
      if (whole(left.remaining, k) === 0 || flag(stranded, k) === 1) continue;
      if (rescueClass(w, k)) return true;
      stranded[k] = 1;
    }
  }
  return false;
}

/** Of bin types of one price the first is taken. */
function rescueClass(w: Workspace, k: number): boolean {
  const { problem, left, buyable } = w;
  let cheapest = Infinity;
  let bestBinType = -1;
  let bestZone = -1;
  for (let at = 0; at < buyable.count; at++) {
    if (buyable.leastPrice(at) > cheapest) break;
    const binType = buyable.binType(at);
    if (!left.canBuy(binType)) {
      buyable.strike(at);
      continue;
    }
    w.rescueLooks++;
    if (!holds(problem, binType, k)) continue;
    for (let zone = 0; zone < problem.zones; zone++) {
      const price = real(problem.binTypes.price, binType * problem.zones + zone);
      const isNearer = price < cheapest || (price === cheapest && binType < bestBinType);
      if (!isNearer || price === Infinity || !isOpen(problem, left, k, zone)) continue;
      cheapest = price;
      bestBinType = binType;
      bestZone = zone;
    }
  }
  buyable.tidy();
  if (bestBinType < 0) return false;
  fillBin(w, bestBinType, bestZone, k);
  copyContents(w.bin, w.best);
  return true;
}

function isOpen({ classes, zones }: BinProblem, left: Leftovers, k: number, zone: number): boolean {
  const group = whole(classes.quotaGroup, k);
  return (
    ((whole(classes.zoneMask, k) >> zone) & 1) === 1 &&
    (group < 0 || whole(left.quota, group * zones + zone) > 0)
  );
}

/** Whether an empty bin of the type holds one item, in some zone of the class where it is offered; a cap below 1 forbids all. */
function holds(
  { binTypes, classes, resources, zones, admits, requirementSets, cap }: BinProblem,
  binType: number,
  k: number,
): boolean {
  const row = whole(binTypes.signature, binType) * requirementSets;
  if (flag(admits, row + whole(classes.requirementSet, k)) === 0) return false;
  const group = whole(classes.capGroup, k);
  if (group >= 0 && whole(cap, group) < 1) return false;
  for (let r = 0; r < resources; r++) {
    if (real(classes.requests, k * resources + r) > real(binTypes.capacity, binType * resources + r))
      return false;
  }
  const mask = whole(classes.zoneMask, k);
  for (let zone = 0; zone < zones; zone++) {
    if (((mask >> zone) & 1) === 1 && real(binTypes.price, binType * zones + zone) < Infinity) return true;
  }
  return false;
}
