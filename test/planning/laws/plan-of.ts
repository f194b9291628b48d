/** Plans an input in one go, and shows inputs and plans in a form that failing properties can print. */
import { podKey } from '../../../src/domain/pod.js';
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/scheduling/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';

export function planOf(input: ClusterInput, options: Partial<PlanOptions> = {}): Plan {
  return plan(buildSnapshot(input), { ...DEFAULT_PLAN_OPTIONS, ...options });
}

/** JSON that keeps maps and sets, so that plans can be compared as text. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (item instanceof Map) return Object.fromEntries(item);
    return item instanceof Set ? [...item] : item;
  });
}

/** Pods that the plan places, sorted. */
export function placedPods({ placements }: Plan): readonly string[] {
  return placements.map(({ pod }) => pod);
}

/** Pods that ask for a place. */
export function pendingPods({ pods }: ClusterInput): readonly string[] {
  return pods.filter(({ nodeName }) => nodeName === undefined).map(podKey);
}
