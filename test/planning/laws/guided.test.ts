/**
 * What the optimizer proposes is a plan by every rule, and the plan taken is never more expensive than first-fit-decreasing
 * that leaves out as few pods of every priority.
 */
import fc from 'fast-check';
import { podKey } from '../../../src/domain/pods/pod.js';
import { INSTANCE_PREFIX, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_OPTIMIZER_OPTIONS } from '../../../src/planning/optimize/problem/bin-problem.js';
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { assemblePlan } from '../../../src/planning/engine/assemble-plan.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { inOrder } from '../../../src/planning/engine/proven-plan.js';
import { finishClaims } from '../../../src/planning/finish/finish-claims.js';
import { packGuided } from '../../../src/planning/pack/guided/pack-guided.js';
import { pack } from '../../../src/planning/pack/pack.js';
import type { Packing } from '../../../src/planning/rules/packing.js';
import { compileProblem, type Problem } from '../../../src/planning/model/problem.js';
import { provePlan } from '../../../src/planning/prove/prove-plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { podTerm, spreadOver } from '../../support/builders/constraints.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { smallWorkloads } from '../../support/workloads.js';
import { arbitraryCluster } from './arbitrary-cluster.js';
import { fewerRuns, planOf } from './plan-of.js';

const RUNS = fewerRuns(3);

function problemOf(input: ClusterInput): Problem {
  return compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
}

/** With the order of binding that the proof finds: as it would be carried out, were it the plan taken. */
function guidedPlan(input: ClusterInput, maxFills = DEFAULT_OPTIMIZER_OPTIONS.maxFills): Plan | undefined {
  const found = packGuided(problemOf(input), { ...DEFAULT_OPTIMIZER_OPTIONS, maxFills });
  if (found === undefined) return undefined;
  const proposed = assembled(found.packing, found.lowerBound);
  const { after } = provePlan(buildSnapshot(input), proposed, new CompileCache().proof);
  return inOrder(proposed, after);
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

/** How many pods are left out, from the highest priority to the lowest. */
function leftOut({ pods }: ClusterInput, { unschedulable }: Plan): readonly number[] {
  const priorityOf = new Map(pods.map((each) => [podKey(each), each.spec.priority]));
  const priorities = [...new Set(priorityOf.values())].sort((left, right) => right - left);
  return priorities.map(
    (priority) => unschedulable.filter((each) => priorityOf.get(each.pod) === priority).length,
  );
}

/**
 * What is worse in a plan than in another, '' for nothing: more pods left out, at the highest priority at which they differ;
 * where they do not differ, the cost.
 */
function whatIsWorse(input: ClusterInput, made: Plan, than: Plan): string {
  const [left, other] = [leftOut(input, made), leftOut(input, than)];
  const at = left.findIndex((pods, priority) => pods !== other[priority]);
  if (at >= 0)
    return (left[at] ?? 0) < (other[at] ?? 0) ? '' : `leaves out ${String(left)} instead of ${String(other)}`;
  const [cost, least] = [made.cost.hourly, than.cost.hourly];
  return cost <= least + 1e-9 ? '' : `costs ${String(cost)} instead of ${String(least)}`;
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
    expect(proposed).toBeGreaterThan(Math.floor(RUNS.numRuns / 10));
  });

  test('has pods that would come before the first of a kind wait for it', () => {
    const kind = { app: 'a' };
    const input = clusterInput({
      pools: [poolOffer({}, smallCatalogue())],
      nodes: [node()],
      pods: [
        pod({ name: 'other', labels: kind, requests: { memory: '12Gi' } }),
        pod({
          name: 'first',
          labels: kind,
          spread: [spreadOver(ZONE, kind)],
          podAffinity: { required: [podTerm(ZONE, kind)] },
        }),
      ],
    });
    const plan = guidedPlan(input);
    expect(plan?.unschedulable).toEqual([]);
    expect(plan?.placements.map(({ pod: name, after }) => [name, after])).toEqual([
      ['default/first', undefined],
      ['default/other', ['default/first']],
    ]);
    expect(plan && violations(input, plan)).toBe('');
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
  test('is never more expensive than first-fit-decreasing that leaves out as few pods of every priority', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const firstFit = assembled(pack(problemOf(input)));
        expect(whatIsWorse(input, planOf(input), firstFit)).toBe('');
      }),
      RUNS,
    );
  });

  test('pays more than first-fit-decreasing where as many pods of higher priority are placed', () => {
    const input = clusterInput({
      pools: [poolOffer({ limits: { cpu: '8' } }, smallCatalogue())],
      pods: [
        ...replicas(4, {
          name: 'high',
          priority: 1000,
          requests: { memory: '12Gi' },
          hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }],
        }),
        ...replicas(2, { name: 'low', requests: { memory: '4Gi' } }),
      ],
    });
    const [plan, firstFit] = [planOf(input), assembled(pack(problemOf(input)))];
    expect(leftOut(input, plan)).toEqual([0, 2]);
    expect(plan.cost.hourly).toBeGreaterThan(firstFit.cost.hourly);
    expect(whatIsWorse(input, plan, firstFit)).toBe('');
    expect(whatIsWorse(input, firstFit, plan)).toBe('leaves out 2,0 instead of 0,2');
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
