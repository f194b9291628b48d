/** One bin after the other until nothing is left that a machine can be bought for. */
import type { BinList } from './bin-list.js';
import { chooseBin } from './choose-machine.js';
import { rescueBin } from './rescue.js';
import { real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Share of the worth of all items that is left when the tail begins. */
const TAIL_SHARE = 0.3;
/** What a cap group's share of machines counts at most. */
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

/** From here on bins are packed again once the pass is through, starting from what is known of the machines now. */
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

/** Classes that a cap spreads over many machines must go in early: the last of them would have machines of their own. */
function setCapFactors(w: Workspace, worth: number): void {
  const { left, problem, capFactor } = w;
  if (w.settings.capBoost === 0 || capFactor.length === 0) return;
  const machines = Math.max(1, worth / w.machineWorth);
  for (let group = 0; group < capFactor.length; group++) {
    const share = whole(left.capped, group) / Math.max(1, whole(problem.cap, group)) / machines;
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
  const price = real(problem.machines.price, best.machine * problem.zones + best.zone);
  const again = best.count === 1 && left.listed - left.exhausted === 1;
  do {
    for (let i = 0; i < best.count; i++) left.move(whole(best.classes, i), best.zone, whole(best.items, i));
    left.buy(best.machine, 1);
    bins.push(best, price);
  } while (again && fitsAgain(w));
}

function fitsAgain({ best, left, problem }: Workspace): boolean {
  const k = whole(best.classes, 0);
  const items = whole(best.items, 0);
  const group = whole(problem.classes.quotaGroup, k);
  if (items > whole(left.remaining, k) || !left.canBuy(best.machine)) return false;
  return group < 0 || items <= whole(left.quota, group * problem.zones + best.zone);
}
