/** What PodDisruptionBudgets let go: the disruption controller's arithmetic, and a tally of what one answer evicts. */
import { selects } from '../../domain/label-selector.js';
import type { Labels } from '../../domain/labels.js';
import type { ObservedPod } from '../../domain/observed-pod.js';
import { podKey, type Pod, type PodSpec } from '../../domain/pod.js';
import type { CountOrPercent, PodDisruptionBudget } from '../../domain/pod-disruption-budget.js';
import type { Workload } from '../../domain/workload.js';
import type { DisruptionInput } from './disruption.js';
import { isBoundToItsNode, isFinished } from './movable-pods.js';
import type { DisruptionRefusal } from './refusal.js';

/** A budget and how many of its pods may be evicted now. */
interface EvictionBudget {
  /** `namespace/name`. */
  readonly name: string;
  readonly allowed: number;
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

  constructor({ pods, podDisruptionBudgets, workloads }: DisruptionInput) {
    for (const pod of pods) this.#alikeOf(pod).pods.push(pod);
    const wanted = new Map(workloads.map((workload) => [ownerKey(workload), workload]));
    const all = [...this.#alike.values()];
    for (const budget of [...podDisruptionBudgets].sort(byKey)) {
      const covered = all.filter(
        ({ namespace, labels }) => namespace === budget.namespace && selects(budget.selector, labels),
      );
      const pods = covered.flatMap((group) => group.pods);
      const entry = { name: podKey(budget), allowed: disruptionsAllowed(budget, pods, wanted) };
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

  /** The budgets that evicting the pod asks. */
  of(pod: Pod): readonly EvictionBudget[] {
    return isEvicted(pod) ? this.#alikeOf(pod).budgets : [];
  }

  /** The first pod that cannot be evicted now, whatever else is; undefined when all can, if only one after the other. */
  refusal(pods: readonly Pod[]): DisruptionRefusal | undefined {
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

  /** A tally of its own that goes on from here. */
  fork(): EvictionTally {
    return new EvictionTally(this.#budgets, this.#taken);
  }

  /**
   * What forbids that one more node goes at the same time. The pods of one node may be more than a budget allows, for
   * a drain waits until those moved are healthy; those of several nodes together may not.
   */
  refusal(pods: readonly Pod[]): DisruptionRefusal | undefined {
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

function isEvicted(pod: Pod): boolean {
  return !isBoundToItsNode(pod) && !isFinished(pod) && !pod.terminating;
}

function ownerKey({ kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

/** Healthy pods beyond those the budget wants (Kubernetes: disruption controller; shares are rounded up). */
function disruptionsAllowed(
  { minAvailable, maxUnavailable }: PodDisruptionBudget,
  pods: readonly ObservedPod[],
  workloads: ReadonlyMap<string, Workload>,
): number {
  const present = pods.filter((pod) => !isFinished(pod));
  const healthy = present.filter(({ ready, terminating }) => ready && !terminating).length;
  const expected = expectedPods(present, workloads);
  if (maxUnavailable !== undefined)
    return Math.max(0, healthy - Math.max(0, expected - amountOf(maxUnavailable, expected)));
  return minAvailable === undefined ? 0 : Math.max(0, healthy - amountOf(minAvailable, expected));
}

/** What the owners want; a pod whose owner is not known counts itself. */
function expectedPods(pods: readonly ObservedPod[], workloads: ReadonlyMap<string, Workload>): number {
  const owners = new Set<Workload>();
  let expected = 0;
  for (const { namespace, owner } of pods) {
    const workload = owner && workloads.get(`${owner.kind} ${namespace}/${owner.name}`);
    if (workload === undefined) expected++;
    else if (!owners.has(workload)) expected += workload.wantedPods;
    if (workload !== undefined) owners.add(workload);
  }
  return expected;
}

function amountOf({ unit, amount }: CountOrPercent, expected: number): number {
  return unit === 'pods' ? amount : Math.ceil((expected * amount) / 100);
}
