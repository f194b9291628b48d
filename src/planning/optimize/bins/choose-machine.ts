/** Chooses the machine and zone of the next bin: the one whose fill is worth most by price, found by branch and bound. */
import { CPU_AXIS, MEMORY_AXIS } from '../problem/bin-problem.js';
import { copyContents } from './open-bin.js';
import { fillBin } from './fill.js';
import type { Places } from './places.js';
import { real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Mean items below which a machine's fill is tried several times. */
const FEW_ITEMS = 14;
/** How much better than the best so far a machine must promise to be, to be tried. */
const WORTH_TRYING = 1.0005;
/** Share of the price from which a fill is good enough not to be tried again. */
const GOOD_FILL = 0.995;

/** Puts the best fill into `w.best`; false when no place holds anything. */
export function chooseBin(w: Workspace, places: Places): boolean {
  const { machines, zones } = w.problem;
  const { potential, estimate } = places;
  const { hope } = w.settings;
  for (let i = 0; i < places.count; i++) estimate[i] = Math.min(real(potential, i), real(estimate, i) + hope);
  let best = 0;
  for (;;) {
    const i = mostHopeful(places, best * WORTH_TRYING);
    if (i < 0) return best > 0;
    const machine = whole(places.machine, i);
    if (!w.left.canBuy(machine)) {
      estimate[i] = 0;
      continue;
    }
    const zone = whole(places.zone, i);
    const price = real(machines.price, machine * zones + zone);
    const efficiency = fillWell(w, machine, zone, best * price) / price;
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
function fillWell(w: Workspace, machine: number, zone: number, value: number): number {
  const { bin, table, problem } = w;
  const first = machine * problem.resources;
  const cpu = real(problem.machines.capacity, first + CPU_AXIS);
  const memory = real(problem.machines.capacity, first + MEMORY_AXIS);
  const isSmall = cpu < FEW_ITEMS * table.meanCpu || memory < FEW_ITEMS * table.meanMemory;
  const enough = GOOD_FILL * real(problem.machines.price, machine * problem.zones + zone);
  let most = 0;
  for (let i = isSmall ? w.settings.tries : 1; i > 0 && most < enough; i--) {
    fillBin(w, machine, zone, -1);
    if (bin.value > most && bin.value > value) copyContents(bin, w.best);
    most = Math.max(most, bin.value);
  }
  return most;
}
