/**
 * Gangs, all or nothing: a gang of which fewer than its minimum find a place is taken out whole, and the rest is planned
 * again as though it were not there. Which gangs go is searched for within a number of plans, the most important gangs
 * first, so that one that cannot be placed takes no room from others.
 */
import { NO_LABELS } from '../../domain/values/labels.js';
import type { Plan, PoolReason, UnschedulablePod } from '../plan.js';
import type { Reason, ReasonCode } from '../reason.js';
import { withFirst, withPodRows } from '../snapshot/snapshot-parts.js';
import type { GangRows, Snapshot } from '../snapshot/snapshot.js';
import { specKey } from '../snapshot/spec-key.js';

/** Plans after which nothing is tried any more: what is broken then goes, all of it. */
const MOST_PLANS = 32;
/** Pods planned in all these plans after which there are no more than a few: plans of many pods take long. */
const MOST_PODS = 8_000;
const FEWEST_PLANS = 8;

/** Reasons that hold whatever else is placed: a gang that met no other is not tried again. */
const LASTING: ReadonlySet<ReasonCode> = new Set([
  'NoNodePools',
  'DynamicResources',
  'ResourceClaimNotFound',
  'ResourceClaimTemplateNotFound',
  'ResourceClaimTerminating',
  'DeviceClassNotFound',
  'DeviceClaimUnknown',
  'DeviceSelector',
  'DevicesUnavailable',
  'DeviceConstraint',
  'NodeClassNotFound',
  'NodeClassNotReady',
  'StaticPool',
  'UntoleratedTaint',
  'IncompatibleLabel',
  'OutOfStock',
  'InsufficientResource',
  'InsufficientTogether',
  'VolumeClaimNotFound',
  'VolumeClaimUnbound',
  'VolumeClaimTerminating',
  'VolumeNotFound',
  'VolumeTopology',
]);

/**
 * The plan of a snapshot with gangs, through plans without gangs: `planOnce` gets snapshots that have none. Without gangs it
 * is asked once, for the very snapshot. Equal snapshots get equal plans where `planOnce` gives them. `onDraft` gets a plan in
 * which every gang is whole or out, before gangs that are out are tried again.
 */
export function planGangs(
  snapshot: Snapshot,
  planOnce: (snapshot: Snapshot) => Plan,
  onDraft?: (plan: Plan) => void,
): Plan {
  if (snapshot.gangs.length === 0) return planOnce(snapshot);
  return new GangPlanner(snapshot, planOnce, onDraft).plan();
}

/** A plan of some of the gangs, and how far each of them got. */
interface Attempt {
  readonly plan: Plan;
  readonly gangs: readonly GangDemand[];
  /** Gang → members that run or have a place in the plan. */
  readonly members: ReadonlyMap<GangDemand, number>;
}

class GangPlanner {
  readonly #snapshot: Snapshot;
  readonly #planOnce: (snapshot: Snapshot) => Plan;
  /** In the order in which they are served. */
  readonly #gangs: readonly GangDemand[];
  readonly #gangOfPod = new Map<string, GangDemand>();
  readonly #priorityOfPod = new Map<string, number>();
  /** Rows of pending pods by key. */
  readonly #rowOfPod = new Map<string, number>();
  readonly #room: GangRoom;
  /** Gangs that are out, with the reasons for it. */
  readonly #refused = new Map<GangDemand, readonly PoolReason[]>();
  readonly #onDraft: ((plan: Plan) => void) | undefined;
  #plansLeft: number;

  constructor(
    snapshot: Snapshot,
    planOnce: (snapshot: Snapshot) => Plan,
    onDraft: ((plan: Plan) => void) | undefined,
  ) {
    this.#onDraft = onDraft;
    this.#snapshot = snapshot;
    this.#planOnce = planOnce;
    this.#gangs = gangDemand(snapshot);
    this.#room = new GangRoom(snapshot);
    const pending = snapshot.pods.node.reduce((sum, node) => sum + (node === -1 ? 1 : 0), 0);
    const affordable = Math.floor(MOST_PODS / Math.max(1, pending));
    this.#plansLeft = Math.min(MOST_PLANS, Math.max(FEWEST_PLANS, affordable));
    const { keys, spec, node } = snapshot.pods;
    keys.forEach((key, row) => {
      if (node[row] !== -1) return;
      this.#rowOfPod.set(key, row);
      this.#priorityOfPod.set(key, snapshot.specs[spec[row] ?? -1]?.priority ?? 0);
    });
    for (const gang of this.#gangs) {
      for (const row of gang.pending) this.#gangOfPod.set(keys[row] ?? '', gang);
      const existing = gang.bound + gang.pending.length;
      if (existing < gang.minMembers) this.#refused.set(gang, alone(incomplete(gang, existing)));
    }
  }

  plan(): Plan {
    let attempt = this.#attempt();
    // Each round leaves out at least one gang more than the one before it.
    for (;;) {
      const [worst] = brokenOf(attempt);
      if (worst === undefined) return this.#answer(attempt.plan);
      attempt = this.#settle(worst.priority, attempt);
    }
  }

  /** A plan in which no gang of this priority or a higher one is broken; some that were are out. */
  #settle(priority: number, start: Attempt): Attempt {
    const out: GangDemand[] = [];
    let attempt = start;
    for (;;) {
      const broken = brokenOf(attempt).filter((gang) => gang.priority >= priority);
      if (broken.length === 0) break;
      const going = this.#plansLeft > 0 ? broken.slice(Math.floor(broken.length / 2)) : broken;
      for (const gang of going) this.#refused.set(gang, this.#reasons(gang, attempt));
      out.push(...going.filter((gang) => !this.#isHopeless(gang, attempt)));
      attempt = this.#attempt();
    }
    if (out.length > 0 && brokenOf(attempt).length === 0) this.#onDraft?.(this.#answer(attempt.plan));
    return this.#giveBack(out, attempt);
  }

  /** Half of what was broken went at a time: gangs that find a place beside the others come back. */
  #giveBack(out: readonly GangDemand[], start: Attempt): Attempt {
    const hopeless = new Set<string>();
    let attempt = start;
    for (const gang of this.#gangs) {
      const reasons = this.#refused.get(gang);
      if (reasons === undefined || !out.includes(gang) || this.#plansLeft <= 0) continue;
      if (hopeless.has(gang.shape) || !this.#mayHold(gang, attempt)) continue;
      this.#refused.delete(gang);
      const trial = this.#attempt();
      const better = this.#isBetter(trial, attempt, gang) ? trial : this.#withFirst(gang, trial, attempt);
      if (better !== undefined) attempt = better;
      else {
        hopeless.add(gang.shape);
        const isBroken = brokenOf(trial).includes(gang);
        this.#refused.set(gang, isBroken ? this.#reasons(gang, trial) : reasons);
      }
    }
    return attempt;
  }

  /** Of a gang that was nearly whole: a plan in which it comes before other pods of its priority, if fewer are left out then. */
  #withFirst(gang: GangDemand, trial: Attempt, than: Attempt): Attempt | undefined {
    if (this.#plansLeft <= 0 || !brokenOf(trial).includes(gang)) return undefined;
    if ((trial.members.get(gang) ?? 0) === gang.bound) return undefined;
    const first = this.#attempt(gang);
    return this.#isBetter(first, than, gang) ? first : undefined;
  }

  /**
   * Whether there may be room for the gang beside all that is placed. Where pods of its priority are left out, others may
   * be left out in their place, so that what is placed says nothing.
   */
  #mayHold(gang: GangDemand, { plan }: Attempt): boolean {
    const mustStay = (pod: string): boolean => (this.#priorityOfPod.get(pod) ?? 0) >= gang.priority;
    if (plan.unschedulable.some(({ pod }) => mustStay(pod))) return true;
    const rows = plan.placements.flatMap(({ pod }) => (mustStay(pod) ? (this.#rowOfPod.get(pod) ?? []) : []));
    return this.#room.mayHold(gang, rows);
  }

  /**
   * Whether the gang is whole beside what is placed without it: no pod of a higher priority loses its place for it, and fewer
   * of its own priority do than the gang has.
   */
  #isBetter(trial: Attempt, than: Attempt, gang: GangDemand): boolean {
    if (brokenOf(trial).some(({ priority }) => priority >= gang.priority)) return false;
    const left = ({ plan }: Attempt, isCounted: (priority: number) => boolean): number =>
      plan.unschedulable.filter(({ pod }) => isCounted(this.#priorityOfPod.get(pod) ?? 0)).length;
    const isHigher = (priority: number): boolean => priority > gang.priority;
    const isAsHigh = (priority: number): boolean => priority >= gang.priority;
    if (left(trial, isHigher) > left(than, isHigher)) return false;
    return left(trial, isAsHigh) < left(than, isAsHigh) + gang.pending.length;
  }

  /** Whether so many members cannot be placed whatever else is there that too few are left. */
  #isHopeless(gang: GangDemand, { plan }: Attempt): boolean {
    const never = plan.unschedulable.filter(
      ({ pod, reasons }) =>
        this.#gangOfPod.get(pod) === gang && reasons.every(({ reason }) => LASTING.has(reason.code)),
    );
    return gang.bound + gang.pending.length - never.length < gang.minMembers;
  }

  /** `first`: a gang that comes before other pods of its priority. */
  #attempt(first?: GangDemand): Attempt {
    this.#plansLeft--;
    const rows = rowsInOrder(this.#snapshot, this.#gangs, (gang) => this.#refused.has(gang));
    const some = first === undefined ? this.#snapshot : withFirst(this.#snapshot, first.pending);
    const plan = this.#planOnce(withPodRows(some, rows));
    const gangs = this.#gangs.filter((gang) => !this.#refused.has(gang));
    const members = new Map(gangs.map((gang) => [gang, gang.bound]));
    for (const { pod } of plan.placements) {
      const gang = this.#gangOfPod.get(pod);
      if (gang !== undefined) members.set(gang, (members.get(gang) ?? 0) + 1);
    }
    return { plan, gangs, members };
  }

  /** How far the gang got, and what each pool lacked for the first of its pods that found no place. */
  #reasons(gang: GangDemand, { plan, members }: Attempt): readonly PoolReason[] {
    const { key, minMembers } = gang;
    const left = plan.unschedulable.find(({ pod }) => this.#gangOfPod.get(pod) === gang);
    const possible = members.get(gang) ?? gang.bound;
    return [
      ...alone({ code: 'GangUnplaceable', gang: key, minimum: minMembers, possible }),
      ...(left?.reasons ?? []),
    ];
  }

  #answer(plan: Plan): Plan {
    const { keys } = this.#snapshot.pods;
    const refused = [...this.#refused].flatMap(([{ pending }, reasons]) =>
      pending.map((row): UnschedulablePod => ({ pod: keys[row] ?? '', reasons })),
    );
    if (refused.length === 0) return plan;
    const unschedulable = [...plan.unschedulable, ...refused].sort((left, right) =>
      left.pod < right.pod ? -1 : 1,
    );
    return { ...plan, unschedulable };
  }
}

/** Gangs of which fewer than the minimum have a place: the most important first, then the nearest to being whole. */
function brokenOf({ gangs, members }: Attempt): readonly GangDemand[] {
  const share = (gang: GangDemand): number => (members.get(gang) ?? 0) / gang.minMembers;
  return gangs
    .filter((gang) => share(gang) < 1)
    .sort((left, right) => right.priority - left.priority || share(right) - share(left));
}

function incomplete({ key, minMembers }: GangDemand, existing: number): Reason {
  return { code: 'GangIncomplete', gang: key, minimum: minMembers, existing };
}

/** A reason that no pool is to blame for. */
function alone(reason: Reason): readonly PoolReason[] {
  return [{ nodePool: '', reason }];
}

interface GangDemand {
  readonly key: string;
  readonly minMembers: number;
  /** Members that run already, or are sure to; those that are being deleted do not count. */
  readonly bound: number;
  /** Pod rows of its members without a place, ascending. */
  readonly pending: readonly number[];
  /** Of its most important member without a place. */
  readonly priority: number;
  /** Equal for gangs that ask for the same: where one has no place, the others have none. */
  readonly shape: string;
}

/** Gangs with members that need a place, the most important first, then those that have most of their members, then by key. */
function gangDemand(snapshot: Snapshot): readonly GangDemand[] {
  return snapshot.gangs
    .map((gang) => demandOf(snapshot, gang))
    .filter(({ pending }) => pending.length > 0)
    .sort(
      (left, right) =>
        right.priority - left.priority ||
        right.bound / right.minMembers - left.bound / left.minMembers ||
        (left.key < right.key ? -1 : 1),
    );
}

function demandOf({ pods, specs }: Snapshot, { key, minMembers, pods: rows }: GangRows): GangDemand {
  const pending = [...rows].filter((row) => pods.node[row] === -1);
  const bound = rows.reduce(
    (sum, row) => sum + (pods.node[row] !== -1 && pods.terminating[row] === 0 ? 1 : 0),
    0,
  );
  const wanted = pending.map((row) => pods.spec[row] ?? -1);
  const members = wanted.map((spec) => {
    const value = specs[spec];
    return value === undefined ? '' : specKey({ ...value, labels: NO_LABELS });
  });
  return {
    key,
    minMembers,
    bound,
    pending,
    priority: Math.max(...wanted.map((spec) => specs[spec]?.priority ?? 0)),
    shape: [minMembers - bound, ...members.sort()].join('\n'),
  };
}

/**
 * The rows of a snapshot without the pods of some gangs. Pods that ask for the same are dealt out in the order of their
 * rows: what the gangs need comes first, gang by gang, so that they become whole one after the other.
 */
function rowsInOrder(
  snapshot: Snapshot,
  gangs: readonly GangDemand[],
  isLeftOut: (gang: GangDemand) => boolean,
): readonly number[] {
  const taken = new Uint8Array(snapshot.pods.keys.length);
  const first: number[] = [];
  for (const gang of gangs) {
    const needed = isLeftOut(gang) ? [] : gang.pending.slice(0, Math.max(0, gang.minMembers - gang.bound));
    first.push(...needed);
    for (const row of isLeftOut(gang) ? gang.pending : needed) taken[row] = 1;
  }
  const others = snapshot.pods.keys.flatMap((_, row) => (taken[row] === 1 ? [] : [row]));
  return [...first, ...others];
}

/** What limits of pools and nodes that exist leave for all pending pods together: what is beyond it needs no plan to be known. */
class GangRoom {
  readonly #snapshot: Snapshot;
  /** R amounts that pending pods may take, at most; Infinity where some pool does not limit it. */
  readonly #most: Float64Array;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    const free = freeOfNodes(snapshot);
    this.#most = Float64Array.from(snapshot.resources, (resource, index) =>
      snapshot.pools.reduce(
        (sum, { pool }) => sum + (pool.limits.get(resource) ?? Infinity),
        free[index] ?? 0,
      ),
    );
  }

  /** Whether there may be room for the gang's minimum beside these pods: false where there is none, whatever goes where. */
  mayHold({ minMembers, bound, pending }: GangDemand, rows: readonly number[]): boolean {
    const { resources, specRequests, pods } = this.#snapshot;
    const width = resources.length;
    return this.#most.every((most, resource) => {
      if (most === Infinity) return true;
      const requestOf = (row: number): number => specRequests[(pods.spec[row] ?? 0) * width + resource] ?? 0;
      const least = pending.map(requestOf).sort((left, right) => left - right);
      const needed = sumOf(least.slice(0, Math.max(0, minMembers - bound)));
      return needed + sumOf(rows.map(requestOf)) <= most;
    });
  }
}

/** R amounts that are free on the nodes together; one that is overcommitted has nothing, and takes nothing from others. */
function freeOfNodes({ nodes, nodeAllocatable, pods, specRequests, resources }: Snapshot): Float64Array {
  const width = resources.length;
  const free = nodeAllocatable.slice();
  pods.node.forEach((node, row) => {
    if (node < 0) return;
    const spec = (pods.spec[row] ?? 0) * width;
    for (let index = 0; index < width; index++)
      free[node * width + index] = (free[node * width + index] ?? 0) - (specRequests[spec + index] ?? 0);
  });
  const total = new Float64Array(width);
  for (let at = 0; at < nodes.length * width; at++)
    total[at % width] = (total[at % width] ?? 0) + Math.max(0, free[at] ?? 0);
  return total;
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
