/** What Berth would have done beside another system, and what that would have saved: kept while it observes (--mode observe). */

/** Whose nodes are observed. */
export const OBSERVED_SYSTEMS = ['karpenter', 'auto-mode', 'nodegroup'] as const;
export type ObservedSystem = (typeof OBSERVED_SYSTEMS)[number];

/** The PolicyStatus that it is kept in: `<kind in lower case>.<name>`. */
export const OBSERVATION_KIND = 'Observation';
export const OBSERVATION_POLICY = 'cluster';
export const OBSERVATION_NAME = 'observation.cluster';

/** What was paid within some time for the nodes as they are, and would have been paid for Berth's. */
export interface ObservationCost {
  /** How long was observed; less than has passed where Berth did not run. */
  readonly seconds: number;
  /** USD. */
  readonly currentUsd: number;
  readonly berthUsd: number;
}

/** How many nodes came and went. */
export interface ObservationCounts {
  readonly currentLaunches: number;
  readonly currentRemovals: number;
  readonly berthLaunches: number;
  readonly berthRemovals: number;
  /** Pods that Berth would have evicted. */
  readonly berthEvictions: number;
}

/** An hour, or what the interval is; older ones are merged into days. Times in milliseconds since 1970, here and below. */
export interface ObservationPeriod extends ObservationCost, ObservationCounts {
  readonly from: number;
  readonly to: number;
}

/** Both sides at the last look. */
export interface ObservationNow {
  /** USD/h. */
  readonly currentHourly: number;
  readonly berthHourly: number;
  readonly currentNodes: number;
  readonly berthNodes: number;
  /** Nodes whose price is not known, on either side: they are left out. */
  readonly unpricedNodes: number;
  /** Pods that Berth would have no place for. */
  readonly unplacedPods: number;
}

/** How many nodes of a type each side has. */
export interface ObservationType {
  readonly instanceType: string;
  readonly capacityType: string;
  readonly current: number;
  readonly berth: number;
}

/** Something that Berth would have done. */
export interface ObservationAction {
  readonly time: number;
  /** `Launch` for pending pods, or the reason of a disruption: `Underutilized`. */
  readonly reason: string;
  /** Nodes that would have gone; those that would not exist without Berth have the names of its claims. */
  readonly nodes: readonly string[];
  /** Types that would have been launched, one for each node. */
  readonly instanceTypes: readonly string[];
  /** USD/h; negative for what is launched. */
  readonly saving: number;
}

export interface ObservationContent {
  readonly system: ObservedSystem;
  readonly since: number;
  readonly updatedAt: number;
  /** Since it began. */
  readonly total: ObservationCost & ObservationCounts;
  readonly now: ObservationNow;
  /** Oldest first. */
  readonly periods: readonly ObservationPeriod[];
  /** Most expensive difference first. */
  readonly types: readonly ObservationType[];
  /** Newest first. */
  readonly actions: readonly ObservationAction[];
}

export interface Observation extends ObservationContent {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export const MOST_PERIODS = 400;
export const MOST_TYPES = 60;
export const MOST_ACTIONS = 20;
/** Nodes, and types, that one action names. */
export const MOST_NAMED = 10;
/** Periods younger than this stay as they are. */
const FINE_MILLIS = 8 * 86_400_000;
const DAY_MILLIS = 86_400_000;

export const NO_COUNTS: ObservationCounts = {
  currentLaunches: 0,
  currentRemovals: 0,
  berthLaunches: 0,
  berthRemovals: 0,
  berthEvictions: 0,
};

export const NOTHING_OBSERVED: ObservationCost & ObservationCounts = {
  seconds: 0,
  currentUsd: 0,
  berthUsd: 0,
  ...NO_COUNTS,
};

/** The sum of both. */
export function addObservation<T extends ObservationCost & ObservationCounts>(
  sum: T,
  more: ObservationCost & ObservationCounts,
): T {
  return {
    ...sum,
    seconds: sum.seconds + more.seconds,
    currentUsd: sum.currentUsd + more.currentUsd,
    berthUsd: sum.berthUsd + more.berthUsd,
    currentLaunches: sum.currentLaunches + more.currentLaunches,
    currentRemovals: sum.currentRemovals + more.currentRemovals,
    berthLaunches: sum.berthLaunches + more.berthLaunches,
    berthRemovals: sum.berthRemovals + more.berthRemovals,
    berthEvictions: sum.berthEvictions + more.berthEvictions,
  };
}

/**
 * The periods with what was observed until `now` in the one that has begun last; a new one begins with each interval of the
 * clock, so that intervals of an hour are hours. Periods of more than eight days ago become days, and the oldest of too many go.
 */
export function addToPeriods(
  periods: readonly ObservationPeriod[],
  more: ObservationCost & ObservationCounts,
  { now, intervalMillis }: { readonly now: number; readonly intervalMillis: number },
): readonly ObservationPeriod[] {
  const last = periods.at(-1);
  const from = Math.floor(now / intervalMillis) * intervalMillis;
  const begun = last !== undefined && last.from >= from ? last : undefined;
  const before = begun === undefined ? periods : periods.slice(0, -1);
  const fresh = { from: begun?.from ?? Math.max(from, now - more.seconds * 1000), to: now };
  const current = { ...addObservation(begun ?? { ...NOTHING_OBSERVED, ...fresh }, more), to: now };
  const bounded = [...before, current].slice(-MOST_PERIODS);
  return begun === undefined ? inDays(bounded, now - FINE_MILLIS) : bounded;
}

function inDays(periods: readonly ObservationPeriod[], until: number): readonly ObservationPeriod[] {
  const merged: ObservationPeriod[] = [];
  for (const period of periods) {
    const last = merged.at(-1);
    const isOld = period.to <= until && last !== undefined;
    if (isOld && dayOf(last) === dayOf(period))
      merged[merged.length - 1] = { ...addObservation(last, period), to: period.to };
    else merged.push(period);
  }
  return merged;
}

function dayOf({ from }: ObservationPeriod): number {
  return Math.floor(from / DAY_MILLIS);
}

/** The sum of the periods that end after a time; undefined where there is none. */
export function observationSince(
  { periods }: Pick<ObservationContent, 'periods'>,
  since: number,
): ObservationPeriod | undefined {
  const [first, ...others] = periods.filter(({ to }) => to > since);
  return first && others.reduce((sum, period) => ({ ...addObservation(sum, period), to: period.to }), first);
}

/** USD; negative where Berth would have paid more. */
export function savedUsd({ currentUsd, berthUsd }: ObservationCost): number {
  return currentUsd - berthUsd;
}
