/** Plans an input in one go, and writes plans as text that can be compared. */
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';

/** Some rounds of improvement, so that many clusters can be tried. */
export const IMPROVEMENT = 0.1;

export function planOf(input: ClusterInput, options: Partial<PlanOptions> = {}): Plan {
  return plan(buildSnapshot(input), { ...DEFAULT_PLAN_OPTIONS, ...options }, { improvement: IMPROVEMENT });
}

/** JSON that keeps maps and sets, so that plans can be compared as text. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (item instanceof Map) return [...(item as ReadonlyMap<string, unknown>)];
    return item instanceof Set ? [...(item as ReadonlySet<unknown>)] : item;
  });
}

/** How often, unless PROPERTY_RUNS says it, and from where properties of planning are tried: the same clusters on every run. */
export const RUNS = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? 60),
  seed: 20_261_121,
};

/** A part of the runs, for properties that take longer. fast-check never ends with a number that is not whole. */
export function fewerRuns(divisor: number): typeof RUNS {
  return { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / divisor) };
}
