/** What each node holds and is worth, summed once for all points of a curve. */
import { PODS_AXIS, type BinProblem } from '../../optimize/problem/bin-problem.js';
import { priceByResource } from '../../optimize/prices/bin-type-prices.js';
import { real, whole } from '../../optimize/problem/typed-read.js';
import type { ClusterNodes } from './cluster-nodes.js';

/** Of what is divided by moving cost: nodes whose emptying costs nothing are in order of their price. */
export const LEAST_COST = 1e-6;

export interface NodeSums {
  /** Resource → USD/h per unit on new nodes, in the mean over all items. */
  readonly perUnit: Float64Array;
  /** Prices like `perUnit`, and for each resource the least price of it alone: room that is short costs the highest of them. */
  readonly roomPrices: readonly Float64Array[];
  /** Class → USD/h that an item is worth on new nodes, at its cheapest zone. */
  readonly value: Float64Array;
  /** nodes × R: what its items ask for. */
  readonly asked: Float64Array;
  /** nodes × R: what of its room is free, 0 at least. */
  readonly free: Float64Array;
  /** Node → moving cost of its items; Infinity where it cannot be emptied. */
  readonly movingCost: Float64Array;
}

export function sumNodes(problem: BinProblem, nodes: ClusterNodes, maxPivots: number): NodeSums {
  const { resources } = problem;
  const { perUnit, value } = pricePods(problem, nodes, maxPivots);
  const asked = new Float64Array(nodes.count * resources);
  const free = new Float64Array(nodes.count * resources);
  const movingCost = new Float64Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    if (nodes.stays[node] === 1) movingCost[node] = Infinity;
    for (let item = whole(nodes.firstItem, node); item < whole(nodes.firstItem, node + 1); item++) {
      const from = whole(nodes.itemClass, item) * resources;
      for (let axis = 0, at = node * resources; axis < resources; axis++, at++)
        asked[at] = real(asked, at) + real(problem.classes.requests, from + axis);
      movingCost[node] = real(movingCost, node) + real(nodes.movingCost, item);
    }
    for (let at = node * resources; at < (node + 1) * resources; at++)
      free[at] = Math.max(0, real(nodes.room, at) - real(asked, at));
  }
  return { perUnit, roomPrices: [perUnit, ...pricesAlone(problem)], value, asked, free, movingCost };
}

/** For each resource prices by which only it costs something: what a unit of it costs at least. */
function pricesAlone({ binTypes, resources, zones }: BinProblem): readonly Float64Array[] {
  return Array.from({ length: resources }, (_, axis) => {
    let least = Infinity;
    for (let binType = 0; binType < binTypes.count; binType++) {
      const room = real(binTypes.capacity, binType * resources + axis);
      for (let at = binType * zones; room > 0 && at < (binType + 1) * zones; at++)
        least = Math.min(least, real(binTypes.price, at) / room);
    }
    return new Float64Array(resources).fill(least < Infinity ? least : 0, axis, axis + 1);
  });
}

/** How many items of each class there are, all nodes together. */
function countItems({ classes }: BinProblem, { itemClass }: ClusterNodes): Int32Array {
  const counts = new Int32Array(classes.count);
  for (const item of itemClass) counts[item] = whole(counts, item) + 1;
  return counts;
}

/** What room is worth if everything were bought again: what the last room of a crowded cluster is worth. */
function pricePods(
  problem: BinProblem,
  nodes: ClusterNodes,
  maxPivots: number,
): Pick<NodeSums, 'perUnit' | 'value'> {
  const { resources, classes, zones } = problem;
  const items = countItems(problem, nodes);
  const { duals } = priceByResource({ ...problem, classes: { ...classes, items } }, maxPivots);
  const perUnit = new Float64Array(resources);
  const asked = new Float64Array(resources);
  const value = new Float64Array(classes.count);
  for (let item = 0; item < classes.count; item++) {
    const group = duals.groupOf.subarray(item * zones, (item + 1) * zones).find((each) => each >= 0) ?? -1;
    for (let axis = 0; axis < resources; axis++) {
      const request = real(classes.requests, item * resources + axis);
      const worth = group < 0 ? 0 : request * real(duals.perUnit, group * resources + axis);
      value[item] = real(value, item) + worth;
      perUnit[axis] = real(perUnit, axis) + worth * whole(items, item);
      asked[axis] = real(asked, axis) + request * whole(items, item);
    }
  }
  for (let axis = 0; axis < resources; axis++)
    perUnit[axis] = real(asked, axis) > 0 ? real(perUnit, axis) / real(asked, axis) : 0;
  return { perUnit, value };
}

/** Pods that an item of the class is. */
export function podsOf({ classes, resources }: BinProblem, item: number): number {
  return real(classes.requests, item * resources + PODS_AXIS);
}
