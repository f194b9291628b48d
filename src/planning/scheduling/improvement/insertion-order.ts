/** The order in which pods are placed one at a time, drawn by chance. */
import type { Chance } from '../chance.js';
import { valueOf } from '../fill-estimate.js';
import type { Packing } from '../packing.js';
import type { PodClass } from '../pod-class.js';

export function waitingPods({ remaining }: Packing): number {
  return remaining.reduce((sum, left) => sum + left, 0);
}

/** Each class as often as it has pods without a place: in any order, or the large ones first, or the important ones first. */
export function insertionOrder({ remaining, problem }: Packing, chance: Chance): readonly PodClass[] {
  const waiting = problem.classes.flatMap((pods) =>
    Array.from({ length: Math.max(0, remaining[pods.index] ?? 0) }, () => pods),
  );
  const order = chance.shuffled(waiting);
  const sizeOf = ({ requests }: PodClass): number => valueOf(requests, problem.worth);
  if (chance.happens(0.3)) order.sort((left, right) => sizeOf(right) - sizeOf(left));
  if (chance.happens(0.5)) order.sort((left, right) => right.priority - left.priority);
  return order;
}
