/** What the whole cluster could cost at least, for every amount of moving: the cheapest cluster for these pods. */
import type { Bin, BinProblem, OptimizerOptions } from '../../optimize/problem/bin-problem.js';
import { DEFAULT_OPTIMIZER_OPTIONS } from '../../optimize/problem/bin-problem.js';
import { optimize } from '../../optimize/optimize.js';
import { real, whole } from '../../optimize/problem/typed-read.js';
import { chooseDeletions } from './choose-deletions.js';
import type { ClusterNodes, CurvePoint, MoveCurveInput, MoveCurveOptions } from './cluster-nodes.js';
import { Displaced } from './displaced.js';
import { podsOf, sumNodes, type NodeSums } from './node-sums.js';
import { refill, type FillOrder } from './refill.js';

/** Shares of free room that a plan counts on; the next is tried where the one before had to buy against expectation. */
const FILLS: readonly number[] = [0.985, 0.95];
/** Times that nodes whose items found no place are kept after all, before the point is given up. */
const MAX_ATTEMPTS = 3;

/** Effort for the new nodes of a point: a curve has many points, and a thirtieth of the best plan's effort finds most. */
export const DEFAULT_MOVE_CURVE_OPTIONS: MoveCurveOptions = {
  optimizer: { ...DEFAULT_OPTIMIZER_OPTIONS, maxFills: 600 },
  fillOrders: ['RoomiestFirst'],
};

/**
 * The curve of price against moving cost: `points` plans with evenly spaced budgets. The first is the cluster as it is;
 * every next one is at most as expensive as the one before and moves at most its budget. Each is whole: every item has one
 * place, within room, requirement sets, zone masks, caps and quotas. Room of deleted nodes' accounts is not counted on:
 * new nodes must fit the limits beside the old ones. A zone that is above its quota today stays so, and gets no more.
 *
 * Nothing is searched exhaustively: a point chooses the nodes to delete by what their room is worth, fills the kept
 * nodes' room and buys the rest. Ten points for 2,000 nodes with 20,000 pods take about 0.6 s of processor
 * time once warm, twice that cold.
 */
export function priceMoveCurve(
  { problem, nodes, points }: MoveCurveInput,
  options: MoveCurveOptions = DEFAULT_MOVE_CURVE_OPTIONS,
): readonly CurvePoint[] {
  const sums = sumNodes(problem, nodes, options.optimizer.maxPivots);
  const total = sums.movingCost.reduce((sum, cost) => (cost < Infinity ? sum + cost : sum), 0);
  const market = { problem, nodes, sums, bought: new Map<string, readonly Bin[]>(), ...options };
  const curve: CurvePoint[] = [asItIs(market)];
  for (let index = 1; index < points; index++) {
    const budget = (total * index) / (points - 1);
    const last = curve.at(-1) ?? asItIs(market);
    const next = cheapestWithin(market, budget);
    curve.push({ ...(next !== undefined && next.hourly < last.hourly ? next : last), budget });
  }
  return curve;
}

interface Market {
  readonly problem: BinProblem;
  readonly nodes: ClusterNodes;
  readonly sums: NodeSums;
  /** What was bought before, by what had no place and what quotas left: shares and orders of filling often leave the same. */
  readonly bought: Map<string, readonly Bin[]>;
  readonly optimizer: OptimizerOptions;
  readonly beginCount?: MoveCurveOptions['beginCount'];
  readonly fillOrders: readonly FillOrder[];
}

function asItIs(market: Market): CurvePoint {
  const deleted = new Uint8Array(market.nodes.count);
  return pointOf(market, 0, {
    deleted,
    displaced: new Displaced(market.problem, market.nodes, deleted),
    bins: [],
  });
}

/** The cheaper of the plans that count on more and on less of the free room; undefined when none is whole. */
function cheapestWithin(market: Market, budget: number): CurvePoint | undefined {
  let best: CurvePoint | undefined;
  for (const fill of FILLS) {
    const point = attempt(market, budget, fill);
    if (point === undefined) continue;
    if (best === undefined || point.plan.hourly < best.hourly) best = point.plan;
    if (point.mustBuy || point.plan.bins.length === 0) break;
  }
  return best;
}

interface Attempt {
  readonly plan: CurvePoint;
  /** Whether it was known before that new nodes would be needed. */
  readonly mustBuy: boolean;
}

/** A whole plan; nodes whose items found no place are kept, and the rest is tried again. */
function attempt(market: Market, budget: number, fill: number): Attempt | undefined {
  const { nodes, sums, beginCount } = market;
  const pinned = new Uint8Array(nodes.count);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const deleted = new Uint8Array(nodes.count);
    const chosen = chooseDeletions(nodes, sums, { budget, fill, pinned, beginCount });
    for (const node of chosen.nodes) deleted[node] = 1;
    const plan = cheapestFill(market, budget, { deleted, pinned });
    if (plan !== undefined) return { plan, mustBuy: chosen.mustBuy };
  }
  return undefined;
}

/** The cheapest of the orders to fill kept nodes in; undefined where none finds a place for everything, with what must stay pinned. */
function cheapestFill(
  market: Market,
  budget: number,
  { deleted, pinned }: { readonly deleted: Uint8Array; readonly pinned: Uint8Array },
): CurvePoint | undefined {
  const { problem, nodes, sums, fillOrders } = market;
  let best: CurvePoint | undefined;
  for (const order of fillOrders) {
    const displaced = new Displaced(problem, nodes, deleted);
    refill(problem, nodes, sums, { deleted, displaced, order });
    const bins = buy(market, displaced);
    if (displaced.left.some((items) => items > 0)) {
      pin(nodes, displaced, { deleted, pinned });
      continue;
    }
    const point = pointOf(market, budget, { deleted, displaced, bins });
    if (best === undefined || point.hourly < best.hourly) best = point;
    if (bins.length === 0 || !hasOpenNodes(nodes, deleted)) break;
  }
  return best;
}

/** Whether some node is kept that takes items: otherwise every order of filling them is the same. */
function hasOpenNodes({ count, closed }: ClusterNodes, deleted: Uint8Array): boolean {
  for (let node = 0; node < count; node++) if (deleted[node] !== 1 && closed[node] !== 1) return true;
  return false;
}

/** New nodes for what has no place yet. */
function buy(market: Market, displaced: Displaced): readonly Bin[] {
  if (displaced.left.every((items) => items === 0)) return [];
  const bins = cheapestBins(market, displaced);
  bins.forEach((bin, index) => {
    bin.classes.forEach((kind, at) => {
      for (let count = bin.items[at] ?? 0; count > 0; count--) displaced.put(kind, -1 - index);
    });
  });
  return bins;
}

function cheapestBins({ problem, optimizer, bought }: Market, { left, quota }: Displaced): readonly Bin[] {
  const key = `${left.join()} ${quota.join()}`;
  const known = bought.get(key);
  if (known !== undefined) return known;
  const classes = { ...problem.classes, items: left.slice() };
  const { bins } = optimize({ ...problem, classes, quota: quota.slice() }, optimizer);
  bought.set(key, bins);
  return bins;
}

/** Keeps the nodes from which items of a class come that found no place. */
function pin(
  nodes: ClusterNodes,
  { left }: Displaced,
  { deleted, pinned }: { readonly deleted: Uint8Array; readonly pinned: Uint8Array },
): void {
  for (let node = 0; node < nodes.count; node++) {
    if (deleted[node] !== 1) continue;
    const items = nodes.itemClass.subarray(whole(nodes.firstItem, node), whole(nodes.firstItem, node + 1));
    if (items.some((kind) => whole(left, kind) > 0)) pinned[node] = 1;
  }
}

interface Plan {
  readonly deleted: Uint8Array;
  readonly displaced: Displaced;
  readonly bins: readonly Bin[];
}

function pointOf(
  { problem, nodes, sums }: Market,
  budget: number,
  { deleted, displaced, bins }: Plan,
): CurvePoint {
  const { binTypes, zones } = problem;
  const nodesDeleted: number[] = [];
  let hourly = bins.reduce((sum, { binType, zone }) => sum + real(binTypes.price, binType * zones + zone), 0);
  let movingCost = 0;
  let moves = 0;
  for (let node = 0; node < nodes.count; node++) {
    if (deleted[node] !== 1) {
      hourly += real(nodes.price, node);
      continue;
    }
    nodesDeleted.push(node);
    movingCost += real(sums.movingCost, node);
    for (let item = whole(nodes.firstItem, node); item < whole(nodes.firstItem, node + 1); item++)
      moves += podsOf(problem, whole(nodes.itemClass, item));
  }
  const nodesKept = nodes.count - nodesDeleted.length;
  return { budget, movingCost, moves, nodesKept, nodesDeleted, bins, hourly, place: displaced.place };
}
