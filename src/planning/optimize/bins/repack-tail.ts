/** Undoes the last bins, where most of the loss is, and packs them again from another start; keeps what is cheaper. */
import type { BinList } from './bin-list.js';
import { packRest } from './pass.js';
import { retypeBins } from './retype.js';
import { whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Costs above the old ones at which the new bins are given up; re-typing may still bring them below. */
const GIVE_UP = 1.02;

/** Packs the bins from one on again; returns whether they became cheaper. */
export function repackTail(w: Workspace, bins: BinList, from: number): boolean {
  const price = bins.totalPrice(from);
  const left = itemsLeft(w);
  w.spare.clear();
  w.spare.append(bins, from);
  putBack(w, bins, from);
  bins.truncate(from);
  w.left.list();
  for (const places of w.places) places.recall();
  const complete = packRest(w, bins, price * GIVE_UP);
  retypeBins(w, bins, from);
  if (complete && itemsLeft(w) <= left && bins.totalPrice(from) < price - 1e-9) return true;
  putBack(w, bins, from);
  bins.truncate(from);
  bins.append(w.spare, 0);
  takeAgain(w, bins, from);
  return false;
}

/** Items that no bin holds. */
export function itemsLeft({ left }: Workspace): number {
  let sum = 0;
  for (let k = 0; k < left.remaining.length; k++) sum += whole(left.remaining, k);
  return sum;
}

function putBack(w: Workspace, bins: BinList, from: number): void {
  for (let bin = from; bin < bins.count; bin++) moveBin(w, bins, bin, -1);
}

function takeAgain(w: Workspace, bins: BinList, from: number): void {
  for (let bin = from; bin < bins.count; bin++) moveBin(w, bins, bin, 1);
}

function moveBin({ left }: Workspace, bins: BinList, bin: number, sign: number): void {
  const zone = whole(bins.zone, bin);
  for (let entry = whole(bins.start, bin); entry < whole(bins.start, bin + 1); entry++) {
    left.move(whole(bins.classes, entry), zone, sign * whole(bins.items, entry));
  }
  left.buy(whole(bins.machine, bin), sign);
}
