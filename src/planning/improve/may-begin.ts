/** Whether packing from nothing can begin at all: where no pod can be placed first, no order places any. */
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { howManyFitNew, rowOf } from '../model/launch/room.js';
import type { Problem } from '../model/problem.js';
import { leftOut } from '../pack/pack.js';
import { Packing } from '../rules/packing.js';

/** As `rebuild` packs where it leaves most to the order of binding. */
const FREELY = { isCourteous: false, keepsBundles: false, mayComeBefore: true };

/** By all rules, for one pod of each class, on every node that exists and on one of every offering. */
export function mayBegin(problem: Problem): boolean {
  // These may be placed together where neither could come alone.
  if (problem.classes.some(({ asks }) => asks.at(-1)?.affinity.length !== 0)) return true;
  const packing = new Packing(problem, FREELY);
  return leftOut(packing).some((pods) => pods.asks.some((ask) => mayBeFirst(packing, pods, ask)));
}

function mayBeFirst(packing: Packing, pods: PodClass, ask: Ask): boolean {
  if (packing.targets.some((target) => packing.mayPut(pods, ask, target))) return true;
  const { launchables, admission, snapshot } = packing.problem;
  const admitted = admission.columns(ask.constraint);
  return launchables.rowColumns.some((columns, row) => {
    if (!packing.isWithinLimits(row)) return false;
    if (howManyFitNew(pods.requests, rowOf(launchables.net, snapshot.resources.length, row), 1) === 0)
      return false;
    return columns.some((column) => admitted[column] === 1 && mayOpenFor(packing, pods, ask, column));
  });
}

function mayOpenFor(packing: Packing, pods: PodClass, ask: Ask, column: number): boolean {
  const target = packing.open(column);
  const may = packing.mayPut(pods, ask, target);
  packing.close(target);
  return may;
}
