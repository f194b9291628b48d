/** Packs a whole problem: with the optimizer's bins or without, by priority where there is not enough for all. */
import { packingOrder, type PackingOrder } from './packing-order.js';
import { Packer } from './packer.js';
import { Packing } from '../rules/packing.js';
import type { Problem } from '../model/problem.js';

/**
 * Places every pod that can be placed, first-fit by decreasing size. All priorities are packed together, which fills nodes
 * best; only where a pod is left out while one of lower priority is not are they packed one after the other, and the
 * better of the two is taken.
 */
export function pack(problem: Problem): Packing {
  const together = packInBands(problem, packingOrder(problem, true));
  if (!isInverted(together)) return together;
  const apart = packInBands(problem, packingOrder(problem, false));
  return leavesLess(apart, together) ? apart : together;
}

/** Packs in this order. */
export function packInBands(problem: Problem, order: PackingOrder): Packing {
  const packing = new Packing(problem);
  new Packer(packing, order).run();
  return packing;
}

/** Whether pods are left out while some of lower priority are placed. */
export function isInverted({ remaining, problem: { classes } }: Packing): boolean {
  const leftOut = classes.filter(({ index }) => (remaining[index] ?? 0) > 0);
  const highest = Math.max(...leftOut.map(({ priority }) => priority));
  return classes.some(
    ({ index, pods, priority }) => priority < highest && (remaining[index] ?? 0) < pods.length,
  );
}

/** Whether, at the highest priority at which they differ, fewer pods are left out. */
export function leavesLess(packing: Packing, than: Packing): boolean {
  const { classes } = packing.problem;
  const priorities = [...new Set(classes.map(({ priority }) => priority))].sort(
    (left, right) => right - left,
  );
  for (const priority of priorities) {
    const left = ({ remaining }: Packing): number =>
      classes.reduce((sum, pods) => sum + (pods.priority === priority ? (remaining[pods.index] ?? 0) : 0), 0);
    if (left(packing) !== left(than)) return left(packing) < left(than);
  }
  return false;
}
