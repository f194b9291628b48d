/** The better of two lower bounds, both proved here: the judge's own, and the one of the plan's dual values. */
import type { Plan } from '../../src/planning/plan.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { checkDuals } from '../../test/support/plan-checker/duals/check-duals.js';
import { boundOf } from './bound/index.js';

export interface BestBound {
  /** USD/h that no plan for all pods goes below; 0 when nothing was proved. */
  readonly hourly: number;
  /** Whose prices prove it. */
  readonly by: 'judge' | 'duals';
}

/** @param plan with `cost.duals`, else they prove nothing. */
export function bestBound(input: ClusterInput, plan: Plan): BestBound {
  const own = boundOf(input);
  const { duals } = plan.cost;
  const claimed = duals === undefined ? 0 : checkDuals(input, plan, duals).bound;
  return claimed > own ? { hourly: claimed, by: 'duals' } : { hourly: own, by: 'judge' };
}
