/** Items that no place of the ranking takes: rare machines, items of no price, accounts that run out. */
import type { BinProblem } from '../problem/bin-problem.js';
import { fillBin } from './fill.js';
import type { Leftovers } from './leftovers.js';
import { copyContents } from './open-bin.js';
import { flag, real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Marks the classes of which no machine holds even one item. */
export function markHopeless({ problem, hopeless, prices }: Workspace): void {
  const largestFirst = prices.kept.toSorted(
    (a, b) => capacityOf(problem, b) - capacityOf(problem, a) || a - b,
  );
  for (let k = 0; k < problem.classes.count; k++) {
    hopeless[k] = largestFirst.some((machine) => holds(problem, machine, k)) ? 0 : 1;
  }
}

function capacityOf({ machines, resources }: BinProblem, machine: number): number {
  return real(machines.capacity, machine * resources);
}

/** Puts the cheapest machine for one of the classes left into `w.best`; false when none of them can have one. */
export function rescueBin(w: Workspace): boolean {
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

/** Of machines of one price the first is taken. */
function rescueClass(w: Workspace, k: number): boolean {
  const { problem, left, buyable } = w;
  let cheapest = Infinity;
  let bestMachine = -1;
  let bestZone = -1;
  for (let at = 0; at < buyable.count; at++) {
    if (buyable.leastPrice(at) > cheapest) break;
    const machine = buyable.machine(at);
    if (!left.canBuy(machine)) {
      buyable.strike(at);
      continue;
    }
    w.rescueLooks++;
    if (!holds(problem, machine, k)) continue;
    for (let zone = 0; zone < problem.zones; zone++) {
      const price = real(problem.machines.price, machine * problem.zones + zone);
      const isNearer = price < cheapest || (price === cheapest && machine < bestMachine);
      if (!isNearer || price === Infinity || !isOpen(problem, left, k, zone)) continue;
      cheapest = price;
      bestMachine = machine;
      bestZone = zone;
    }
  }
  buyable.tidy();
  if (bestMachine < 0) return false;
  fillBin(w, bestMachine, bestZone, k);
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

/** Whether an empty machine holds one item, in some zone of the class where it is offered; a cap below 1 forbids all. */
function holds(
  { machines, classes, resources, zones, admits, requirementSets, cap }: BinProblem,
  machine: number,
  k: number,
): boolean {
  const row = whole(machines.signature, machine) * requirementSets;
  if (flag(admits, row + whole(classes.requirementSet, k)) === 0) return false;
  const group = whole(classes.capGroup, k);
  if (group >= 0 && whole(cap, group) < 1) return false;
  for (let r = 0; r < resources; r++) {
    if (real(classes.requests, k * resources + r) > real(machines.capacity, machine * resources + r))
      return false;
  }
  const mask = whole(classes.zoneMask, k);
  for (let zone = 0; zone < zones; zone++) {
    if (((mask >> zone) & 1) === 1 && real(machines.price, machine * zones + zone) < Infinity) return true;
  }
  return false;
}
