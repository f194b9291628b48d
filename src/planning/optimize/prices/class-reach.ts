/** Where classes may go at all: which zones have a machine that takes an item, and which machines are too small for it. */
import type { BinProblem } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Whether a machine that may be bought somewhere admits an item of the class and has room for it. */
export function takes(problem: BinProblem, machine: number, item: number): boolean {
  const { admits, requirementSets, machines, classes } = problem;
  const signature = whole(machines.signature, machine);
  const admitted = admits[signature * requirementSets + whole(classes.requirementSet, item)] === 1;
  return admitted && hasRoom(problem, machine, item);
}

export function hasRoom(
  { machines, classes, resources }: BinProblem,
  machine: number,
  item: number,
): boolean {
  for (let resource = 0; resource < resources; resource++) {
    const request = real(classes.requests, item * resources + resource);
    if (request > real(machines.capacity, machine * resources + resource)) return false;
  }
  return true;
}

/** Class → its zones in which one of the machines takes it, a bit each; 0 for classes without items or with a cap of 0. */
export function classReach(problem: BinProblem, kept: Int32Array): Int32Array {
  const { classes } = problem;
  const offered = Int32Array.from(kept, (machine) => offeredZones(problem, machine));
  const reach = new Int32Array(classes.count);
  /** Requirement set → the machine that served it last: most often it serves the next class too. */
  const last = new Int32Array(problem.requirementSets);
  for (let item = 0; item < classes.count; item++) {
    if (!mayBePlaced(problem, item)) continue;
    const wanted = whole(classes.zoneMask, item);
    const set = whole(classes.requirementSet, item);
    const first = whole(last, set);
    let found = 0;
    for (let step = 0; step < kept.length && found !== wanted; step++) {
      const index = (first + step) % kept.length;
      const gain = whole(offered, index) & wanted & ~found;
      if (gain === 0 || !takes(problem, whole(kept, index), item)) continue;
      if (found === 0) last[set] = index;
      found |= gain;
    }
    reach[item] = found;
  }
  return reach;
}

function mayBePlaced({ classes, cap }: BinProblem, item: number): boolean {
  const group = whole(classes.capGroup, item);
  return whole(classes.items, item) > 0 && (group < 0 || whole(cap, group) > 0);
}

function offeredZones({ machines, zones }: BinProblem, machine: number): number {
  let mask = 0;
  for (let zone = 0; zone < zones; zone++)
    if (real(machines.price, machine * zones + zone) < Infinity) mask |= 1 << zone;
  return mask;
}
