/** The order in which classes are placed. */
import { HOSTNAME } from '../../domain/labels.js';
import { valueOf } from './fill-estimate.js';
import type { PodClass } from './pod-class.js';
import type { Problem } from './problem.js';

/** Consecutive positions of an order, `first` up to `end`, that are packed before the next ones. */
export interface Band {
  readonly first: number;
  readonly end: number;
}

export interface PackingOrder {
  readonly classes: readonly PodClass[];
  readonly bands: readonly Band[];
}

/** What decides the place of one class; earlier fields first, smaller values first. */
type Rank = readonly number[];

/**
 * Stages first: pods that others count in spread or affinity but that do not look at others themselves, then those that
 * do both, then the rest; who looks at others can thus adapt, in whichever order kube-scheduler binds. Within a stage pods
 * that can reach only some domains of a spread that counts them, since the others can still even it out. Then pods, or
 * bundles that must share a node, by what they are worth; the more constrained; by content. Priority comes before all
 * that, or, with `mixed`, only within a stage.
 */
export function packingOrder(problem: Problem, mixed: boolean): PackingOrder {
  const { classes, bundleOf, worth } = problem;
  const own = classes.map(({ requests }) => valueOf(requests, worth));
  const bundles = new Map<number, number>();
  classes.forEach(({ pods }, index) => {
    const bundle = bundleOf[index] ?? -1;
    if (bundle >= 0) bundles.set(bundle, (bundles.get(bundle) ?? 0) + pods.length * (own[index] ?? 0));
  });
  const stages = stagesOf(classes);
  const ranks = classes.map((pods, index): Rank => {
    const [bundle, value, stage] = [bundleOf[index] ?? -1, own[index] ?? 0, stages[index] ?? 0];
    const first = mixed ? [0, stage, -pods.priority] : [-pods.priority, stage, 0];
    const confined = stage < LAST_STAGE && isConfined(problem, pods) ? 0 : 1;
    return [
      ...first,
      confined,
      -(bundles.get(bundle) ?? value),
      bundle,
      -value,
      reachOf(problem, pods),
      index,
    ];
  });
  const sorted = classes
    .filter(({ blocked }) => blocked === undefined)
    .sort((left, right) => compareRanks(ranks[left.index] ?? [], ranks[right.index] ?? []));
  return {
    classes: sorted,
    bands: bandsOf(sorted.map(({ index }) => ranks[index]?.slice(0, 2).join() ?? '')),
  };
}

function compareRanks(left: Rank, right: Rank): number {
  for (const [place, value] of left.entries()) {
    const other = right[place] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}

/** One band per run of equal keys. */
function bandsOf(keys: readonly string[]): readonly Band[] {
  const starts = keys.flatMap((key, position) => (key === keys[position - 1] ? [] : [position]));
  return starts.map((first, index) => ({ first, end: starts[index + 1] ?? keys.length }));
}

const LAST_STAGE = 2;

/** Class → 0 when it is only looked at by others, 1 when it also looks at others, 2 otherwise. */
function stagesOf(classes: readonly PodClass[]): readonly number[] {
  const lookedAt = classes.map(
    ({ asks, spreads }) =>
      new Set([...spreads, ...(asks.at(-1)?.affinity ?? []).map(({ group }) => group.index)]),
  );
  const all = new Set(lookedAt.flatMap((groups) => [...groups]));
  return classes.map(({ memberOf }, index) => {
    const own = lookedAt[index] ?? new Set<number>();
    const isForeign = memberOf.some((group) => all.has(group) && !own.has(group));
    if (!isForeign) return LAST_STAGE;
    return own.size === 0 ? 0 : 1;
  });
}

/** How many columns admit the class. */
function reachOf({ admission }: Problem, { asks: [ask] }: PodClass): number {
  let count = 0;
  if (ask !== undefined) for (const byte of admission.columns(ask.constraint)) count += byte;
  return count;
}

/** Whether some spread over zones or the like counts the class, and the class cannot be launched in all its domains. */
function isConfined({ admission, domains }: Problem, { asks, courtesies }: PodClass): boolean {
  const ask = asks.at(-1);
  if (ask === undefined) return false;
  const keys = new Set([...ask.spread, ...courtesies].map(({ group }) => group.topologyKey));
  keys.delete(HOSTNAME);
  const admitted = admission.columns(ask.constraint);
  return [...keys].some((key) => domains.reached(key, admitted) < domains.count(key));
}
