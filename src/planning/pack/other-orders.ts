/** Other orders of packing than the usual one, for problems so small that several cost little; the best plan is taken. */
import { alternativePrices } from './alternatives.js';
import { Chance } from './chance.js';
import { packingOrder, type PackingOrder } from './packing-order.js';
import { podsOf, type PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';

/** Pods times nodes (one more for those to come) that may be tried, over all orders. */
const WORK = 40_000;
/** Orders after which more of them find little. */
const MOST_ORDERS = 12;
/**
 * Orders in one band: who has the dearest alternative first; who looks at others first; who may use fewest machines first;
 * then mixtures of the first with chance, which is a count and not a clock's. Fewer for larger problems, none for large ones.
 */
export function otherOrders(problem: Problem): readonly PackingOrder[] {
  const usual = packingOrder(problem, true).classes;
  const pods = podsOf(usual);
  const count = Math.min(
    MOST_ORDERS,
    Math.floor(WORK / Math.max(1, pods * (problem.snapshot.nodes.length + 40))),
  );
  if (count === 0 || usual.length < 2) return [];
  const price = alternativePrices(problem, usual);
  const rules = usual.map(rulesOf);
  const reach = usual.map(({ asks: [ask] }) =>
    ask === undefined ? 0 : problem.admission.reach(ask.constraint),
  );
  const rankings: ((position: number) => number)[] = [
    (position) => -(price[position] ?? 0),
    (position) => -(rules[position] ?? 0),
    (position) => reach[position] ?? 0,
    (position) => -position,
  ];
  const chance = new Chance();
  while (rankings.length < count) {
    const drawn = usual.map(() => chance.next());
    rankings.push((position) => drawn[position] ?? 0);
  }
  return rankings.slice(0, count).map((ranking) => inOneBand(usual, ranking));
}

/** The order of another kind that saves what limits leave: larger nodes, of which fewer are needed. */
export function sparingLimits(problem: Problem, order: PackingOrder): readonly PackingOrder[] {
  if (problem.snapshot.pools.every(({ pool }) => pool.limits.size === 0)) return [];
  return LIMIT_WEIGHTS.map((limitWeight) => ({ ...order, limitWeight }));
}

/** From a nudge to hardly any regard for prices. */
const LIMIT_WEIGHTS = [0.3, 3, 100];

function rulesOf({ asks, hostPorts, volumes }: PodClass): number {
  const ask = asks.at(-1);
  if (ask === undefined) return 0;
  const looks = ask.spread.length + ask.affinity.length + ask.antiAffinity.length;
  return looks + hostPorts.length + volumes.length;
}

function inOneBand(classes: readonly PodClass[], ranking: (position: number) => number): PackingOrder {
  const ranks = classes.map((_, position) => ranking(position));
  const order = [...classes.keys()].sort((left, right) => {
    const [first, second] = [ranks[left] ?? 0, ranks[right] ?? 0];
    return first === second ? left - right : first - second;
  });
  return {
    classes: order.flatMap((position) => classes[position] ?? []),
    bands: [{ first: 0, end: classes.length }],
    isMixed: true,
  };
}
