/** The proof of a lower bound: what planning says holds, and what is forged does not. */
import fc from 'fast-check';
import { HOSTNAME, ZONE } from '../../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../../src/planning/plan-options.js';
import type { Plan, PlanDuals } from '../../../../src/planning/plan.js';
import { bestProof } from '../../../../src/planning/engine/bounds/best-proof.js';
import { aggregatedDuals, planDuals } from '../../../../src/planning/engine/bounds/proven-bound.js';
import { compileProblem } from '../../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { arbitraryCluster } from '../../../planning/laws/arbitrary-cluster.js';
import { planOf, RUNS } from '../../../planning/laws/plan-of.js';
import { clusterInput } from '../../builders/cluster-input.js';
import { oneOf, podTerm } from '../../builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B } from '../../builders/instance-type.js';
import { node } from '../../builders/node.js';
import { poolOffer } from '../../builders/node-pool.js';
import { pod, replicas } from '../../builders/pod.js';
import { checkDuals, type ProvenBound } from './check-duals.js';
import { formatViolations } from '../violation.js';

interface Proven extends ProvenBound {
  readonly plan: Plan;
  readonly duals: PlanDuals;
}

/** The plan's own duals, or others, judged. */
function proven(input: ClusterInput, forge: (duals: PlanDuals) => PlanDuals = (duals) => duals): Proven {
  const snapshot = buildSnapshot(input);
  const made = planOf(input);
  const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
  const duals = forge(planDuals(problem, aggregatedDuals(problem)));
  // What is judged is what these duals prove, not what better ones of the plan would.
  const lowerBound = made.cost.lowerBound === null ? null : Math.min(made.cost.hourly, problem.lowerBound);
  return { ...checkDuals(input, { ...made, cost: { ...made.cost, lowerBound } }, duals), plan: made, duals };
}

const m5 = instanceType();
const web = replicas(10, { name: 'web', requests: { cpu: '900m', memory: '1Gi' } });
const simple = clusterInput({ pods: web, pools: [poolOffer({}, [m5])] });

describe('checkDuals', () => {
  test('proves the bound that the plan prints', () => {
    const { bound, plan: made, violations } = proven(simple);
    expect(formatViolations(violations)).toBe('');
    expect(bound).toBeGreaterThan(0.9 * made.cost.hourly);
    expect(bound).toBeLessThanOrEqual(made.cost.hourly);
  });

  test('proves a bound below the price of every plan, whatever the cluster', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const { bound, plan: made, violations } = proven(input);
        expect(formatViolations(violations)).toBe('');
        const most = made.unschedulable.length === 0 ? made.cost.hourly + 1e-6 : Infinity;
        expect(bound).toBeLessThanOrEqual(most);
      }),
      RUNS,
    );
  });

  test('proves what the prices of the optimizer prove, whatever the cluster', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const snapshot = buildSnapshot(input);
        const made = planOf(input);
        const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
        const proof = bestProof(problem);
        const lowerBound = made.cost.lowerBound === null ? null : Math.min(made.cost.hourly, proof.bound);
        const judged = { ...made, cost: { ...made.cost, lowerBound } };
        const { bound, violations } = checkDuals(input, judged, planDuals(problem, proof.duals));
        expect(formatViolations(violations)).toBe('');
        expect(bound).toBeLessThanOrEqual(
          made.unschedulable.length === 0 ? made.cost.hourly + 1e-6 : Infinity,
        );
        expect(proof.bound).toBeGreaterThanOrEqual(problem.lowerBound * (1 - 1e-6));
      }),
      RUNS,
    );
  });

  test('counts what existing nodes can hold as free', () => {
    const nodes = [node({ allocatable: { cpu: '4', memory: '8Gi', pods: '10' } })];
    const { bound, violations } = proven({ ...simple, nodes });
    expect(formatViolations(violations)).toBe('');
    expect(bound).toBeLessThan(proven(simple).bound);
  });

  test('tells zones apart by price', () => {
    const offerings = [ZONE_A, ZONE_B].map((zone, index) => ({
      ...{ zone, capacityType: 'on-demand' as const, estimated: false, available: true },
      price: 1 + index,
    }));
    const pools = [poolOffer({}, [instanceType({ offerings })])];
    const pinned = replicas(2, { nodeSelector: { [ZONE]: ZONE_B }, requests: { cpu: '1900m' } });
    const input = clusterInput({ pods: pinned, pools });
    // One price list per zone: in the expensive zone CPU may be worth twice as much.
    const duals: PlanDuals = {
      prices: [new Map([['cpu', 1 / 1920]]), new Map([['cpu', 2 / 1920]])],
      pods: [
        {
          pods: pinned.map(({ namespace, name }) => `${namespace}/${name}`),
          zones: new Map([
            [ZONE_A, 0],
            [ZONE_B, 1],
          ]),
        },
      ],
    };
    const { bound, violations } = proven(input, () => duals);
    expect(formatViolations(violations)).toBe('');
    expect(bound).toBeCloseTo((2 * 2 * 1900) / 1920, 9);
  });

  describe('believes a slot', () => {
    const labels = { app: 'web' };
    const apart = { podAntiAffinity: { required: [podTerm(HOSTNAME, labels)] } };
    const slots = (antiAffine: boolean): ClusterInput =>
      clusterInput({
        pods: replicas(3, { labels, ...(antiAffine ? apart : {}) }),
        pools: [poolOffer({}, [m5])],
      });
    const cheapest = Math.min(...m5.offerings.map(({ price }) => price));
    const pods = [0, 1, 2].map((index) => `default/pod-${String(index)}`);
    const duals: PlanDuals = {
      prices: [new Map()],
      pods: [{ pods, zones: new Map([['*', 0]]) }],
      slot: { pods, perNode: 1, price: cheapest },
    };

    test('where the pods keep each other off their hosts', () => {
      const { bound, violations } = proven(slots(true), () => duals);
      expect(formatViolations(violations)).toBe('');
      expect(bound).toBeCloseTo(3 * cheapest, 9);
    });

    test('only there', () => {
      const { bound, violations } = proven(slots(false), () => duals);
      expect(bound).toBe(0);
      expect(formatViolations(violations)).toContain('its pods may share a node');
    });
  });

  describe('refuses', () => {
    const raise =
      (by: number) =>
      (duals: PlanDuals): PlanDuals => ({
        ...duals,
        prices: duals.prices.map((list) => new Map([...list].map(([name, price]) => [name, price * by]))),
      });

    test.each([1.001, 2, 1000])('prices %d times what instances are worth', (by) => {
      const { bound, violations } = proven(simple, raise(by));
      expect(bound).toBe(0);
      expect(formatViolations(violations)).toMatch(/m5\.large in .* costs .* its pods may be worth/);
    });

    test('prices that prove less than is printed', () => {
      const { violations } = proven(simple, raise(0.5));
      expect(formatViolations(violations)).toMatch(/duals: prove .* the plan says/);
    });

    test('prices below zero, which would make expensive pods look cheap', () => {
      const { violations } = proven(simple, (duals) => ({
        ...duals,
        prices: [new Map([...(duals.prices[0] ?? []), ['pods', -1]])],
      }));
      expect(formatViolations(violations)).toContain('pods at -1');
    });

    test('pods that are priced twice, or are none', () => {
      const twice = proven(simple, ({ prices, pods }) => ({ prices, pods: [...pods, ...pods] }));
      expect(formatViolations(twice.violations)).toContain('has a price twice');
      const more = proven(simple, ({ prices, pods }) => ({
        prices,
        pods: [...pods, { pods: ['default/ghost'], zones: new Map([['*', 0]]) }],
      }));
      expect(formatViolations(more.violations)).toContain('default/ghost: has a price and is no pending pod');
    });

    test('pods valued in one zone only, which may go elsewhere', () => {
      const { bound } = proven(simple, ({ prices, pods }) => ({
        prices,
        pods: pods.map((list) => ({ ...list, zones: new Map([[ZONE_A, 0]]) })),
      }));
      expect(bound).toBe(0);
    });

    test('one price list too low for a pool that is open to the pods as well', () => {
      const other = poolOffer({ name: 'cheap', requirements: [oneOf(ZONE, ZONE_A)] }, [
        instanceType({ name: 'm5a.large', price: 0.01 }),
      ]);
      const { duals } = proven(simple);
      const { bound, violations } = proven({ ...simple, pools: [...simple.pools, other] }, () => duals);
      expect(bound).toBe(0);
      expect(formatViolations(violations)).toContain('m5a.large');
    });
  });

  test('takes a pod that nothing prices for worthless', () => {
    const extra = pod({ name: 'extra' });
    const { duals } = proven(simple);
    const { bound } = proven({ ...simple, pods: [...simple.pods, extra] }, () => duals);
    expect(bound).toBeCloseTo(proven(simple).bound, 9);
  });
});
