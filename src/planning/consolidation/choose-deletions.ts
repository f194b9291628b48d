/** Which nodes to empty for a given moving cost: those whose going saves most, as far as room and budget last. */
import { real } from '../optimize/problem/typed-read.js';
import type { ClusterNodes } from './cluster-nodes.js';
import type { NodeSums } from './node-sums.js';

/** What the choice may use. */
export interface DeletionLimits {
  /** Moving cost at most. */
  readonly budget: number;
  /** Share of the free room that can be used: some is always left over. */
  readonly fill: number;
  /** Node → 1 where it must stay after all. */
  readonly pinned: Uint8Array;
  /** Begins a count of nodes that go together: asked about one after the other, whether it may go with those before. */
  readonly beginCount?: (() => (node: number) => boolean) | undefined;
}

export interface Deletions {
  readonly nodes: readonly number[];
  /** Whether the kept nodes' room is known not to hold what is displaced. */
  readonly mustBuy: boolean;
}

/** What room is taken to be worth, by what it costs on new machines: 0 while there is plenty, 1 once more must be bought. */
const ROOM_PRICES: readonly number[] = [0, 0.25, 0.5, 0.7, 0.85, 0.95, 1];
/** New machines are never quite full. */
const NEW_MACHINE_LOSS = 1.02;
/** So that nodes whose emptying costs nothing come first, in order of their price. */
const LEAST_COST = 1e-6;

/**
 * Nodes to delete, in the order found. For each price of room, nodes are ordered by saving (price, less what their room
 * is worth) per moving cost, and the prefix with the least estimated price is taken; the best of all prices wins.
 */
export function chooseDeletions(nodes: ClusterNodes, sums: NodeSums, limits: DeletionLimits): Deletions {
  let best: Estimate = { price: totalOf(nodes.price), order: [], count: 0, mustBuy: false };
  for (const roomPrice of ROOM_PRICES) {
    const order = orderOfDeletion(nodes, sums, limits, roomPrice);
    const estimate = bestPrefix(nodes, sums, limits, order);
    if (estimate.price < best.price) best = estimate;
  }
  return { nodes: best.order.slice(0, best.count), mustBuy: best.mustBuy };
}

function totalOf(price: Float64Array): number {
  return price.reduce((sum, each) => sum + each, 0);
}

/** Nodes worth deleting at a price of room, the best first, as many as the budget allows. */
function orderOfDeletion(
  nodes: ClusterNodes,
  sums: NodeSums,
  { budget, fill, pinned, beginCount }: DeletionLimits,
  roomPrice: number,
): readonly number[] {
  const score = new Float64Array(nodes.count);
  const candidates: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    const cost = real(sums.movingCost, node);
    if (cost > budget || pinned[node] === 1) continue;
    const worth = fill * real(sums.roomWorth, node) + (1 - fill) * real(sums.itemWorth, node);
    const saving = real(nodes.price, node) - roomPrice * worth;
    if (saving <= 0) continue;
    score[node] = saving / Math.max(LEAST_COST, cost);
    candidates.push(node);
  }
  candidates.sort((one, other) => real(score, other) - real(score, one) || one - other);
  let left = budget;
  const mayGo = beginCount?.() ?? (() => true);
  return candidates.filter((node) => {
    const cost = real(sums.movingCost, node);
    if (cost > left || !mayGo(node)) return false;
    left -= cost;
    return true;
  });
}

interface Estimate {
  /** USD/h. */
  readonly price: number;
  readonly order: readonly number[];
  readonly count: number;
  readonly mustBuy: boolean;
}

/** How far to go in the order: kept nodes' prices, and what does not fit into their room at the price of new machines. */
function bestPrefix(
  nodes: ClusterNodes,
  sums: NodeSums,
  limits: DeletionLimits,
  order: readonly number[],
): Estimate {
  const width = sums.perUnit.length;
  const free = openRoom(nodes, sums, width);
  const displaced = new Float64Array(width);
  let kept = totalOf(nodes.price);
  let price = kept;
  let count = 0;
  let mustBuy = false;
  order.forEach((node, index) => {
    kept -= real(nodes.price, node);
    const isOpen = nodes.closed[node] !== 1;
    let shortage = 0;
    for (let axis = 0, at = node * width; axis < width; axis++, at++) {
      displaced[axis] = real(displaced, axis) + real(sums.asked, at);
      if (isOpen) free[axis] = real(free, axis) - real(sums.free, at);
      shortage +=
        real(sums.perUnit, axis) * Math.max(0, real(displaced, axis) - limits.fill * real(free, axis));
    }
    const estimate = kept + NEW_MACHINE_LOSS * shortage;
    if (estimate >= price) return;
    price = estimate;
    count = index + 1;
    mustBuy = shortage > 0;
  });
  return { price, order, count, mustBuy };
}

/** R: what is free on nodes that take items. */
function openRoom(nodes: ClusterNodes, sums: NodeSums, width: number): Float64Array {
  const free = new Float64Array(width);
  for (let at = 0; at < sums.free.length; at++) {
    if (nodes.closed[Math.floor(at / width)] === 1) continue;
    free[at % width] = real(free, at % width) + real(sums.free, at);
  }
  return free;
}
