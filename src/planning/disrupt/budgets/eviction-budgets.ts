/** What PodDisruptionBudgets let go: the Eviction API's rules over their status, and a tally of what one answer evicts. */
import { selects } from '../../../domain/values/label-selector.js';
import type { Labels } from '../../../domain/values/labels.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { podKey, type Pod, type PodSpec } from '../../../domain/pods/pod.js';
import type {
  CountOrPercent,
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../domain/pods/pod-disruption-budget.js';
import { surgeOf, wantsSurge } from '../../../domain/pods/surge.js';
import type { Workload } from '../../../domain/pods/workload.js';
import type { DisruptionInput } from '../question/disruption.js';
import { isBoundToItsNode, toleratesDisruption } from '../../../domain/pods/movable-pods.js';
import { isFinished } from '../../../domain/pods/pod.js';
import type { RuleRefusal } from '../question/refusal.js';

/** A budget and how many of its pods may be evicted now. */
interface EvictionBudget {
  /** `namespace/name`. */
  readonly name: string;
  readonly allowed: number;
  /** Whether pods that are not Ready go without being counted. */
  readonly sparesUnhealthy: boolean;
}

/** Pods of a namespace with equal labels: budgets tell them alike. */
interface Alike {
  readonly namespace: string;
  readonly labels: Labels;
  readonly pods: ObservedPod[];
  readonly budgets: EvictionBudget[];
}

export class EvictionBudgets {
  readonly #alike = new Map<string, Alike>();
  readonly #ofSpec = new Map<PodSpec, Alike>();

  readonly #workloads: ReadonlyMap<string, Workload>;
  readonly #autoscaled: ReadonlySet<string>;

  constructor({ pods, podDisruptionBudgets, workloads, autoscaled = new Set() }: DisruptionInput) {
    for (const pod of pods) this.#alikeOf(pod).pods.push(pod);
    const wanted = new Map(workloads.map((workload) => [ownerKey(workload), workload]));
    this.#workloads = wanted;
    this.#autoscaled = autoscaled;
    const all = [...this.#alike.values()];
    for (const budget of [...podDisruptionBudgets].sort(byKey)) {
      const covered = all.filter(
        ({ namespace, labels }) => namespace === budget.namespace && selects(budget.selector, labels),
      );
      const pods = covered.flatMap((group) => group.pods);
      const entry = budgetOver(budget, pods, wanted);
      for (const { budgets } of covered) budgets.push(entry);
    }
  }

  #alikeOf({ spec }: Pod): Alike {
    const known = this.#ofSpec.get(spec);
    if (known !== undefined) return known;
    const alike = this.#alikeWith(spec);
    this.#ofSpec.set(spec, alike);
    return alike;
  }

  #alikeWith({ namespace, labels }: PodSpec): Alike {
    const key = JSON.stringify([namespace, [...labels].sort(([left], [right]) => (left < right ? -1 : 1))]);
    const known = this.#alike.get(key);
    if (known !== undefined) return known;
    const alike: Alike = { namespace, labels, pods: [], budgets: [] };
    this.#alike.set(key, alike);
    return alike;
  }

  /** The budgets that evicting the pod asks; all of several, for the Eviction API refuses a pod that has more than one. */
  of(pod: Pod): readonly EvictionBudget[] {
    if (!isEvicted(pod) || this.#surges(pod)) return [];
    const { budgets } = this.#alikeOf(pod);
    if (budgets.length !== 1 || !isUnhealthy(pod)) return budgets;
    return budgets.filter(({ sparesUnhealthy }) => !sparesUnhealthy);
  }

  /** A pod that leaves once its Deployment runs a replica more is not evicted. */
  #surges(pod: Pod): boolean {
    return (
      wantsSurge(pod) && 'deployment' in surgeOf(pod, workloadOf(this.#workloads, pod), this.#autoscaled)
    );
  }

  /** The first pod that cannot be evicted now, whatever else is; undefined when all can, if only one after the other. */
  refusal(pods: readonly Pod[]): RuleRefusal | undefined {
    for (const pod of pods) {
      const budgets = this.of(pod);
      if (budgets.length > 1) {
        const names = budgets.map(({ name }) => name);
        return { code: 'SeveralPodDisruptionBudgets', pod: podKey(pod), budgets: names };
      }
      const blocking = budgets.find(({ allowed }) => allowed === 0);
      if (blocking !== undefined)
        return { code: 'PodDisruptionBudget', pod: podKey(pod), budget: blocking.name };
    }
    return undefined;
  }
}

/** Evictions per budget that nodes taken so far need. */
export class EvictionTally {
  readonly #budgets: EvictionBudgets;
  readonly #taken: Map<EvictionBudget, number>;

  constructor(budgets: EvictionBudgets, taken: ReadonlyMap<EvictionBudget, number> = new Map()) {
    this.#budgets = budgets;
    this.#taken = new Map(taken);
  }

  /** A separate tally that continues from here. */
  fork(): EvictionTally {
    return new EvictionTally(this.#budgets, this.#taken);
  }

  /**
   * What forbids that one more node goes at the same time. The pods of one node may be more than a budget allows, for
   * a drain waits until those moved are healthy; those of several nodes together may not.
   */
  refusal(pods: readonly Pod[]): RuleRefusal | undefined {
    const asked = this.fork();
    asked.take(pods);
    for (const pod of pods) {
      for (const budget of this.#budgets.of(pod)) {
        const isFirst = (this.#taken.get(budget) ?? 0) === 0;
        if (!isFirst && (asked.#taken.get(budget) ?? 0) > budget.allowed)
          return { code: 'PodDisruptionBudget', pod: podKey(pod), budget: budget.name };
      }
    }
    return undefined;
  }

  take(pods: readonly Pod[]): void {
    for (const pod of pods) {
      for (const budget of this.#budgets.of(pod)) this.#taken.set(budget, (this.#taken.get(budget) ?? 0) + 1);
    }
  }
}

function byKey(left: PodDisruptionBudget, right: PodDisruptionBudget): number {
  return podKey(left) < podKey(right) ? -1 : 1;
}

/** Pods that the Eviction API asks a budget for: none that is finished, terminating, or Pending though it is bound. */
function isEvicted(pod: Pod): boolean {
  const isGuarded = pod.phase !== 'Pending' && !isFinished(pod) && !pod.terminating;
  return isGuarded && (!isBoundToItsNode(pod) || isDrainedDaemon(pod));
}

/** A drain evicts pods of DaemonSets as well, unless they mean to stay until the end. */
function isDrainedDaemon(pod: Pod): boolean {
  return !pod.mirror && pod.owner?.kind === 'DaemonSet' && !toleratesDisruption(pod);
}

function isUnhealthy(pod: Pod | ObservedPod): boolean {
  return 'ready' in pod && !pod.ready;
}

function ownerKey({ kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

/** As the Eviction API goes by it: by the budget's status, which knows owners of every kind. */
function budgetOver(
  budget: PodDisruptionBudget,
  pods: readonly ObservedPod[],
  workloads: ReadonlyMap<string, Workload>,
): EvictionBudget {
  const { status = worked(budget, pods, workloads), unhealthyPodEvictionPolicy } = budget;
  const { currentHealthy, desiredHealthy, disruptionsAllowed, isCurrent } = status;
  const isMet = currentHealthy >= desiredHealthy && desiredHealthy > 0;
  return {
    name: podKey(budget),
    allowed: isCurrent ? disruptionsAllowed : 0,
    sparesUnhealthy: unhealthyPodEvictionPolicy === 'AlwaysAllow' || isMet,
  };
}

/** The disruption controller's arithmetic, for budgets without a status (Kubernetes; shares are rounded up). */
function worked(
  { minAvailable, maxUnavailable }: PodDisruptionBudget,
  pods: readonly ObservedPod[],
  workloads: ReadonlyMap<string, Workload>,
): PodDisruptionBudgetStatus {
  const present = pods.filter((pod) => !isFinished(pod));
  const currentHealthy = present.filter(({ ready, terminating }) => ready && !terminating).length;
  const expected = expectedPods(present, workloads);
  const bound = maxUnavailable ?? minAvailable ?? EVERY_POD;
  const amount = amountOf(bound, expected);
  const desiredHealthy = maxUnavailable === undefined ? amount : Math.max(0, expected - amount);
  const isBounded = minAvailable !== undefined || maxUnavailable !== undefined;
  const disruptionsAllowed = isBounded ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  return { disruptionsAllowed, currentHealthy, desiredHealthy, isCurrent: true };
}

/** What a budget with neither bound is taken to want. */
const EVERY_POD: CountOrPercent = { unit: 'percent', amount: 100 };

/** What the owners want; a pod whose owner is not known counts itself. */
function expectedPods(pods: readonly ObservedPod[], workloads: ReadonlyMap<string, Workload>): number {
  const owners = new Set<Workload>();
  let expected = 0;
  for (const pod of pods) {
    const workload = workloadOf(workloads, pod);
    if (workload === undefined) expected++;
    else if (!owners.has(workload)) expected += workload.wantedPods;
    if (workload !== undefined) owners.add(workload);
  }
  return expected;
}

function amountOf({ unit, amount }: CountOrPercent, expected: number): number {
  return unit === 'pods' ? amount : Math.ceil((expected * amount) / 100);
}

function workloadOf(
  workloads: ReadonlyMap<string, Workload>,
  { namespace, owner }: Pod,
): Workload | undefined {
  return owner && workloads.get(`${owner.kind} ${namespace}/${owner.name}`);
}
