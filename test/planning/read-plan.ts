/** Short answers about a plan: where a pod went, what was launched, why a pod was left out. */
import type { PlanOptions } from '../../src/planning/plan-options.js';
import type { Plan, PoolReason } from '../../src/planning/plan.js';
import type { Reason } from '../../src/planning/reason.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../support/builders/cluster-input.js';
import { planAndCheck } from '../support/plan-and-check.js';

/** The checked plan for a cluster that is as the builder makes it but for what is said. */
export function planFor(input: Partial<ClusterInput>, options: Partial<PlanOptions> = {}): Plan {
  return planAndCheck(clusterInput(input), options);
}

/** Node or claim of a pod of namespace `default`, or of one named in full; undefined when it has none. */
export function placeOf({ placements }: Plan, pod = 'pod'): string | undefined {
  return placements.find((placement) => placement.pod === inFull(pod))?.target.name;
}

function inFull(pod: string): string {
  return pod.includes('/') ? pod : `default/${pod}`;
}

/** Cheapest type of every claim, in the plan's order. */
export function firstTypes({ claims }: Plan): readonly (string | undefined)[] {
  return claims.map(({ instanceTypes }) => instanceTypes[0]);
}

/** How many pods each claim holds, largest first. */
export function claimSizes({ claims }: Plan): readonly number[] {
  return claims.map(({ pods }) => pods.length).sort((left, right) => right - left);
}

/** Zones (or capacity types) of each claim → how many pods of the plan are in such claims. */
export function podsPer({ claims }: Plan, list: 'zones' | 'capacityTypes'): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const claim of claims) {
    const key = claim[list].join();
    counts[key] = (counts[key] ?? 0) + claim.pods.length;
  }
  return counts;
}

/** Names of the pods left out, without the namespace `default`. */
export function leftOut({ unschedulable }: Plan): readonly string[] {
  return unschedulable.map(({ pod }) => pod.replace(/^default\//, ''));
}

/** Why a pod was left out, per pool. */
export function reasonsFor({ unschedulable }: Plan, pod = 'pod'): readonly PoolReason[] {
  return unschedulable.find((item) => item.pod === inFull(pod))?.reasons ?? [];
}

/** Why a pod was left out by the only pool. */
export function reasonFor(plan: Plan, pod = 'pod'): Reason | undefined {
  const [first, ...more] = reasonsFor(plan, pod);
  expect(more).toEqual([]);
  return first?.reason;
}
