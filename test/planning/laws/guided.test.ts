/** What the optimizer proposes is a plan by every rule, and the plan taken is never more expensive than first-fit-decreasing. */
import fc from 'fast-check';
import { INSTANCE_PREFIX } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_OPTIMIZER_OPTIONS } from '../../../src/planning/optimize/problem/bin-problem.js';
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { assemblePlan } from '../../../src/planning/engine/assemble-plan.js';
import { finishClaims } from '../../../src/planning/finish/finish-claims.js';
import { packGuided } from '../../../src/planning/pack/guided/pack-guided.js';
import { pack } from '../../../src/planning/pack/pack.js';
import type { Packing } from '../../../src/planning/rules/packing.js';
import { compileProblem, type Problem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { smallWorkloads } from '../../support/workloads.js';
import { arbitraryCluster } from './arbitrary-cluster.js';
import { fewerRuns, planOf } from './plan-of.js';

const RUNS = fewerRuns(3);

function problemOf(input: ClusterInput): Problem {
  return compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
}

function guidedPlan(input: ClusterInput, maxFills = DEFAULT_OPTIMIZER_OPTIONS.maxFills): Plan | undefined {
  const found = packGuided(problemOf(input), { ...DEFAULT_OPTIMIZER_OPTIONS, maxFills });
  return found && assembled(found.packing, found.lowerBound);
}

function assembled(packing: Packing, lowerBound = packing.problem.lowerBound): Plan {
  return assemblePlan({ packing, finished: finishClaims(packing), lowerBound });
}

/** Pools as before, but each of their claims must be able to become one of so many families. */
function withMinValues(input: ClusterInput, families: number): ClusterInput {
  const flexible = requirement(`${INSTANCE_PREFIX}family`, 'Exists', [], families);
  const pools = input.pools.map(({ pool, ...offer }) => {
    const requirements = [...pool.template.requirements, flexible];
    return { ...offer, pool: { ...pool, template: { ...pool.template, requirements } } };
  });
  return { ...input, pools };
}

function violations(input: ClusterInput, plan: Plan): string {
  return formatViolations(checkPlan(input, plan));
}

describe('what the optimizer proposes', () => {
  test('breaks no rule of Kubernetes or Karpenter once it is replayed', () => {
    let proposed = 0;
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const plan = guidedPlan(input);
        if (plan !== undefined) proposed++;
        expect(plan === undefined ? '' : violations(input, plan)).toBe('');
      }),
      RUNS,
    );
    expect(proposed).toBeGreaterThan(RUNS.numRuns / 4);
  });

  test.each(smallWorkloads())('of $name, after one pass, is a whole plan by the rules', ({ input }) => {
    const draft = guidedPlan(input, 1);
    expect(draft?.unschedulable).toEqual([]);
    expect(draft && violations(input, draft)).toBe('');
  });

  test.each(smallWorkloads())('costs no more than first-fit-decreasing for $name', ({ input }) => {
    const firstFit = assembled(pack(problemOf(input)));
    expect(guidedPlan(input)?.cost.hourly).toBeLessThanOrEqual(firstFit.cost.hourly + 1e-9);
  });
});

describe('plan', () => {
  test('is never more expensive than first-fit-decreasing that places as many pods', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const firstFit = assembled(pack(problemOf(input)));
        const plan = planOf(input);
        const more = firstFit.unschedulable.length - plan.unschedulable.length;
        expect(more).toBeGreaterThanOrEqual(0);
        expect(more > 0 || plan.cost.hourly <= firstFit.cost.hourly + 1e-9).toBe(true);
      }),
      RUNS,
    );
  });

  test.each(smallWorkloads().filter(({ input }) => input.pools.length === 1))(
    'costs hardly more for $name when claims must name eight families',
    ({ input }) => {
      const flexible = withMinValues(input, 8);
      const plan = planOf(flexible);
      expect(violations(flexible, plan)).toBe('');
      expect(plan.unschedulable).toEqual([]);
      expect(plan.cost.hourly).toBeLessThanOrEqual(1.03 * planOf(input).cost.hourly);
    },
  );

  test('of a workload is the same when made again, and not below its bound', () => {
    for (const { input } of smallWorkloads()) {
      const first = planOf(input);
      expect(planOf(input)).toEqual(first);
      expect(first.cost.hourly).toBeGreaterThanOrEqual(first.cost.lowerBound ?? Infinity);
    }
  });
});
