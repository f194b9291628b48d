/** Plans for tests: whatever a test asks of a plan, the plan checker has nothing against it. */
import type { Plan } from '../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../src/planning/plan-options.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from './plan-checker/check-plan.js';
import { formatViolations } from './plan-checker/violation.js';

/**
 * The plan for an input. Expects that the checker finds no violation in it, with the domains of spread taken as
 * kube-scheduler sees them and as they could be launched.
 */
export function planAndCheck(input: ClusterInput, options: Partial<PlanOptions> = {}): Plan {
  const all = { ...DEFAULT_PLAN_OPTIONS, ...options };
  const made = plan(buildSnapshot(input), all);
  for (const domains of ['existing', 'launchable'] as const) {
    const spread = { domains };
    const violations = checkPlan(input, made, { maxInstanceTypes: all.maxInstanceTypes, spread });
    expect(formatViolations(violations)).toBe('');
  }
  return made;
}
