/** Fills one machine in one zone with what is left: picks by balance and worth while there is much room, then closes it. */
import { CPU_AXIS, MEMORY_AXIS } from '../problem/bin-problem.js';
import { takeBestTogether } from './close-bin.js';
import { gatherCandidates, refreshCandidates } from './gather.js';
import { mostOf, openBin, take } from './open-bin.js';
import { hasRoomFor, pickInBulk } from './pick.js';
import { real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Mean items of room from which picking by sample is worth while again: small classes are left when large ones no longer fit. */
const BULK_AGAIN_ITEMS = 16;

/** Fills `w.bin` anew; `forced`, if not -1, is a class of which one item must go in first, and fits. */
export function fillBin(w: Workspace, machine: number, zone: number, forced: number): void {
  w.fills++;
  openBin(w, machine, zone);
  const { room } = w.bin;
  w.perCpu = inverse(real(room, CPU_AXIS));
  w.perMemory = inverse(real(room, MEMORY_AXIS));
  w.perWorth = w.settings.worthWeight / real(w.problem.machines.price, machine * w.problem.zones + zone);
  if (forced >= 0) take(w, forced, 1);
  gatherCandidates(w);
  const { candidates } = w;
  w.looks += candidates.count;
  let bulkItems = w.settings.closingItems;
  while (candidates.count > 1) {
    if (hasRoomFor(w, bulkItems)) {
      pickInBulk(w, bulkItems);
      refreshCandidates(w);
    }
    bulkItems = BULK_AGAIN_ITEMS;
    if (candidates.count > 1) takeBestTogether(w);
    refreshCandidates(w);
  }
  if (candidates.count === 1) {
    const k = whole(candidates.classes, 0);
    take(w, k, mostOf(w, k));
  }
}

function inverse(amount: number): number {
  return amount > 0 ? 1 / amount : 0;
}
