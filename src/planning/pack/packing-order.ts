/** The order in which classes are placed. */
import { HOSTNAME } from '../../domain/values/labels.js';
import { type PodClass, podsOf } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { alternativePrices } from './alternatives.js';
import { SeededRandom } from './seeded-random.js';
import { valueOf } from './fill-estimate.js';
import type { Target } from '../rules/targets.js';

/** Consecutive positions of an order, `first` up to `end`, that are packed before the next ones. */
export interface Band {
  readonly first: number;
  readonly end: number;
}

export interface PackingOrder {
  readonly classes: readonly PodClass[];
  readonly bands: readonly Band[];
  /** Whether bands are of all priorities. */
  readonly isMixed: boolean;
  /** How much the limits of pools count when a node is chosen, beside its price; 0: not at all, 1: as much as all pods are worth. */
  readonly limitWeight?: number;
  /** Row → factor by which its price looks higher or lower when a node is chosen. */
  readonly rowFactor?: Float64Array | undefined;
  /** Nodes and claims in the order in which they are tried; those that it leaves out are not. */
  readonly arrange?: ((targets: readonly Target[]) => readonly Target[]) | undefined;
  /** Whether classes are placed in this very order, and nothing on nodes and claims before. */
  readonly isStrict?: boolean | undefined;
  /** Whether pods give up preferences rather than have a node launched for them. */
  readonly takesOpenFirst?: boolean | undefined;
}

/** What decides the place of a class, so many numbers each; earlier ones first, smaller ones first. */
const RANK = 9;
/** The first of them tell bands apart. */
const BAND = 2;

/**
 * Stages first: pods that others count in spread or affinity but that do not look at others themselves, then those that
 * do both, then the rest; who looks at others can thus adapt, in whichever order kube-scheduler binds. Within a stage pods
 * that can reach only some domains of a spread that counts them, since the others can still even it out. Then pods, or
 * bundles that must share a node, by what they are worth; the more constrained; by content. Priority comes before all
 * that, or, with `mixed`, only within a stage. Of all classes that are not blocked, or of some of these.
 */
export function packingOrder(
  problem: Problem,
  mixed: boolean,
  some: readonly PodClass[] = problem.classes.filter(({ blocked }) => blocked === undefined),
): PackingOrder {
  const ranks = ranksOf(problem, mixed, some);
  const order = Array.from(some.keys()).sort((left, right) => compareRanks(ranks, left, right));
  return {
    classes: order.flatMap((position) => some[position] ?? []),
    bands: bandsOf(ranks, order),
    isMixed: mixed,
  };
}

/** classes × RANK. */
function ranksOf(problem: Problem, mixed: boolean, some: readonly PodClass[]): Float64Array {
  const { bundleOf, worth } = problem;
  const bundles = bundleWorth(problem);
  const stages = new Stages(problem);
  const ranks = new Float64Array(some.length * RANK);
  for (const [position, pods] of some.entries()) {
    const bundle = bundleOf[pods.index] ?? -1;
    const value = valueOf(pods.requests, worth);
    const stage = stages.of(pods);
    const first = position * RANK;
    ranks[first] = mixed ? 0 : -pods.priority;
    ranks[first + 1] = stage;
    ranks[first + 2] = mixed ? -pods.priority : 0;
    ranks[first + 3] = stage < LAST_STAGE && isConfined(problem, pods) ? 0 : 1;
    ranks[first + 4] = -(bundles.get(bundle) ?? value);
    ranks[first + 5] = bundle;
    ranks[first + 6] = -value;
    ranks[first + 7] = reachOf(problem, pods);
    ranks[first + 8] = pods.index;
  }
  return ranks;
}

/** Bundle → USD/h that all its pods are worth. */
function bundleWorth({ classes, bundleOf, worth }: Problem): ReadonlyMap<number, number> {
  const bundles = new Map<number, number>();
  for (const { index, pods, requests } of classes) {
    const bundle = bundleOf[index] ?? -1;
    if (bundle >= 0) bundles.set(bundle, (bundles.get(bundle) ?? 0) + pods.length * valueOf(requests, worth));
  }
  return bundles;
}

function compareRanks(ranks: Float64Array, left: number, right: number): number {
  for (let place = 0; place < RANK; place++) {
    const difference = (ranks[left * RANK + place] ?? 0) - (ranks[right * RANK + place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** One band per run of positions whose ranks begin alike. */
function bandsOf(ranks: Float64Array, order: readonly number[]): readonly Band[] {
  const starts: number[] = [];
  for (const [at, position] of order.entries()) {
    const before = order[at - 1];
    let isNew = before === undefined;
    for (let place = 0; place < BAND; place++)
      isNew ||= ranks[position * RANK + place] !== ranks[(before ?? 0) * RANK + place];
    if (isNew) starts.push(at);
  }
  return starts.map((first, index) => ({ first, end: starts[index + 1] ?? order.length }));
}

const LAST_STAGE = 2;

/** Which classes others look at. */
class Stages {
  /** Group → 1 where some class looks at it. */
  readonly #lookedAt: Uint8Array;

  constructor({ classes, topology }: Problem) {
    this.#lookedAt = new Uint8Array(topology.groups.length);
    for (const { asks, spreads } of classes) {
      for (const group of spreads) this.#lookedAt[group] = 1;
      for (const { group } of asks.at(-1)?.affinity ?? []) this.#lookedAt[group.index] = 1;
    }
  }

  /** 0 for a class that is only looked at by others, 1 when it also looks at others, 2 otherwise. */
  of({ asks, spreads, memberOf }: PodClass): number {
    const affinity = asks.at(-1)?.affinity ?? [];
    const isOwn = (index: number): boolean =>
      spreads.includes(index) || affinity.some(({ group }) => group.index === index);
    if (!memberOf.some((group) => this.#lookedAt[group] === 1 && !isOwn(group))) return LAST_STAGE;
    return spreads.length + affinity.length === 0 ? 0 : 1;
  }
}

/** How many columns admit the class. */
function reachOf({ admission }: Problem, { asks: [ask] }: PodClass): number {
  return ask === undefined ? 0 : admission.reach(ask.constraint);
}

/** Whether some spread over zones or the like counts the class, and the class cannot be launched in all its domains. */
function isConfined({ admission, domains }: Problem, { asks, courtesies }: PodClass): boolean {
  const ask = asks.at(-1);
  if (ask === undefined) return false;
  const admitted = admission.columns(ask.constraint);
  return [...ask.spread, ...courtesies].some(
    ({ group: { topologyKey: key } }) =>
      key !== HOSTNAME && domains.reached(key, admitted) < domains.count(key),
  );
}

/** Pods times nodes (one more for those to come) that may be tried, over all orders. */
const WORK = 40_000;
/** Orders after which more of them find little. */
const MOST_ORDERS = 12;
/**
 * Orders in one band: pods with the most expensive alternative first; with rules about other pods first; with the fewest possible types first;
 * then mixtures of the first with random, which is a count and not a clock's. Fewer for larger problems, none for large ones.
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
  const random = new SeededRandom();
  while (rankings.length < count) {
    const drawn = usual.map(() => random.next());
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

function rulesOf({ asks, hostPorts, volumes, devices }: PodClass): number {
  const ask = asks.at(-1);
  if (ask === undefined) return 0;
  const looks = ask.spread.length + ask.affinity.length + ask.antiAffinity.length;
  return looks + hostPorts.length + volumes.length + devices.length;
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
