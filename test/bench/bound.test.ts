/** The judge's lower bound: no plan goes below it, it is what the linear program says, and prices that lie prove less. */
import fc from 'fast-check';
import { candidates } from '../../bench/judge/bound/candidates.js';
import { fillValue } from '../../bench/judge/bound/fill-value.js';
import { lowerBound } from '../../bench/judge/bound/lower-bound.js';
import { boundOf } from '../../bench/judge/bound/index.js';
import { relax } from '../../bench/judge/bound/relax.js';
import type { Relaxation } from '../../bench/judge/bound/relaxation.js';
import { provenBound } from '../../bench/judge/bound/weak-duality.js';
import { HOSTNAME } from '../../src/domain/values/labels.js';
import { requirement } from '../../src/domain/values/requirement.js';
import { requirementsOf } from '../../src/domain/values/requirements.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../support/builders/cluster-input.js';
import { noneOf, podTerm } from '../support/builders/constraints.js';
import { instanceType, ZONE_A } from '../support/builders/instance-type.js';
import { node } from '../support/builders/node.js';
import { poolOffer } from '../support/builders/node-pool.js';
import { pod, replicas } from '../support/builders/pod.js';
import { planAndCheck } from '../support/plan-and-check.js';
import { smallWorkloads } from '../support/workloads.js';

/** 4 vCPU and 16 GiB for 1 USD/h, of which 3920m and 15.6 GiB are for pods. */
const small = instanceType({
  name: 'm5.xlarge',
  vcpu: 4,
  memoryMiB: 16384,
  price: 1,
  capacityTypes: ['on-demand'],
});
const large = instanceType({
  name: 'm5.4xlarge',
  vcpu: 16,
  memoryMiB: 65536,
  price: 3.9,
  capacityTypes: ['on-demand'],
});

function inputOf(overrides: Partial<ClusterInput>): ClusterInput {
  return clusterInput({ pools: [poolOffer({}, [small, large])], ...overrides });
}

/** Two resources, two instances, three classes; everything fits everywhere. */
function relaxation(overrides: Partial<Relaxation> = {}): Relaxation {
  return {
    resources: 2,
    classes: { count: 3, requests: Float64Array.of(1, 1, 2, 1, 1, 3), pods: Float64Array.of(10, 20, 30) },
    instances: {
      count: 2,
      capacity: Float64Array.of(8, 8, 16, 40),
      price: Float64Array.of(1, 3),
      charge: new Float64Array(0),
    },
    limits: new Float64Array(0),
    admits: new Uint8Array(6).fill(1),
    ...overrides,
  };
}

describe('the bound of a question', () => {
  test('is whole instances by whole pods where all pods are equal', () => {
    // Three pods of 1.2 CPU fit the small type, though 3.27 would by division; the large one, at 13 for 3.9, is cheaper.
    const pods = replicas(130, { name: 'a', requests: { cpu: '1200m', memory: '1Gi' } });
    expect(boundOf(inputOf({ pods }))).toBeCloseTo(39, 6);
  });

  test('is not above the price of the plan for small workloads, and close to it', () => {
    const some = smallWorkloads().filter(({ name }) => /^(mixed-on|diverse-spot|several)/.test(name));
    const ratios = some.map(({ name, input }) => {
      const { cost } = planAndCheck(input);
      return [name, cost.hourly / boundOf(input)] as const;
    });
    expect(ratios).toHaveLength(3);
    expect(ratios.filter(([, ratio]) => !(ratio >= 1 - 1e-9 && ratio < 2))).toEqual([]);
  });

  test('counts the hosts that pods which keep each other away need', () => {
    const labels = { app: 'a' };
    const podAntiAffinity = { required: [podTerm(HOSTNAME, labels)] };
    const pods = replicas(50, {
      name: 'a',
      labels,
      podAntiAffinity,
      requests: { cpu: '100m', memory: '128Mi' },
    });
    expect(boundOf(inputOf({ pods }))).toBeCloseTo(50, 6);
  });

  test('pays for whole instances of their own for pods that no host holds together', () => {
    const pods = Array.from({ length: 30 }, (_, index) => {
      const name = `app-${String(index)}`;
      const others = {
        ...podTerm(HOSTNAME, {}),
        selector: { requirements: requirementsOf([noneOf('app', name)]) },
      };
      return replicas(2, {
        name,
        labels: { app: name },
        requests: { cpu: '100m', memory: '128Mi' },
        podAntiAffinity: { required: [others] },
      });
    }).flat();
    expect(boundOf(inputOf({ pods }))).toBeCloseTo(30, 6);
  });

  test('adds up kinds that keep off the hosts of each other, each kind together', () => {
    const off = { required: [podTerm(HOSTNAME, { app: 'web' })] };
    const some = (app: string) =>
      replicas(10, { name: app, labels: { app }, requests: { cpu: '300m', memory: '128Mi' } });
    const web = some('web');
    const cache = some('cache').map((each) => ({
      ...each,
      spec: { ...each.spec, podAntiAffinity: { ...each.spec.podAntiAffinity, ...off } },
    }));
    // Ten pods need 3 of the 3.92 CPU of a small instance; both kinds would need 6 of 2 small instances' 7.84.
    expect(boundOf(inputOf({ pods: [...web, ...cache] }))).toBeCloseTo(2, 6);
    expect(boundOf(inputOf({ pods: [...web, ...some('cache')] }))).toBeLessThan(1.7);
  });

  test('buys instances of its own for each value of a label that the pool leaves open', () => {
    const pods = ['a', 'b', 'c'].flatMap((team) =>
      replicas(2, { name: team, nodeSelector: { team }, requests: { cpu: '100m', memory: '128Mi' } }),
    );
    const pools = [poolOffer({ requirements: [requirement('team', 'Exists')] }, [small, large])];
    expect(boundOf(inputOf({ pods, pools }))).toBeCloseTo(3, 6);
  });

  test('is less by what fits the nodes that are there', () => {
    const pods = replicas(12, { name: 'a', requests: { cpu: '1', memory: '1Gi' } });
    const nodes = [node({ name: 'n', type: small, zone: ZONE_A })];
    const running = pod({ name: 'r', nodeName: 'n', requests: { cpu: '920m' } });
    const alone = boundOf(inputOf({ pods }));
    const beside = boundOf(inputOf({ pods: [...pods, running], nodes }));
    expect(beside).toBeCloseTo((alone * 9) / 12, 6);
  });

  test('is higher where a limit keeps the cheaper type from being bought', () => {
    const pods = [
      ...replicas(40, { name: 'a', requests: { cpu: '1', memory: '1Gi' } }),
      ...replicas(40, { name: 'b', requests: { cpu: '500m', memory: '4Gi' } }),
    ];
    const dear = poolOffer({ name: 'dear', weight: 1 }, [
      instanceType({ vcpu: 16, memoryMiB: 65536, price: 9, capacityTypes: ['on-demand'] }),
    ]);
    const pools = (limits: Readonly<Record<string, string>>) => [
      poolOffer({ name: 'cheap', limits }, [large]),
      dear,
    ];
    const free = boundOf(inputOf({ pods, pools: pools({}) }));
    const limited = boundOf(inputOf({ pods, pools: pools({ cpu: '32' }) }));
    expect(limited).toBeGreaterThan(free * 1.2);
  });

  test('never rises when pods are left out', () => {
    const request = fc.record({
      cpu: fc.integer({ min: 1, max: 38 }),
      memory: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 12 }), (requests) => {
        const pods = requests.map(({ cpu, memory }, index) =>
          pod({
            name: `p${String(index)}`,
            requests: { cpu: `${String(cpu)}00m`, memory: `${String(memory)}00Mi` },
          }),
        );
        const all = boundOf(inputOf({ pods }));
        const fewer = relax(inputOf({ pods: pods.slice(1) }));
        // One class alone is bounded by whole pods, which is tighter.
        fc.pre(fewer.classes.count > 1);
        expect(lowerBound(fewer, candidates(fewer)).hourly).toBeLessThanOrEqual(all * (1 + 1e-6));
      }),
      { numRuns: 30 },
    );
  });
});

describe('prices', () => {
  const worth = fc.array(fc.double({ min: 0.001, max: 5, noNaN: true }), { minLength: 3, maxLength: 3 });

  test('that are made up prove no more than the right ones', () => {
    const problem = relaxation();
    const { hourly } = lowerBound(problem, [0, 1]);
    fc.assert(
      fc.property(worth, (values) => {
        const claimed = { pod: Float64Array.from(values), limit: new Float64Array(0) };
        expect(provenBound(problem, claimed)).toBeLessThanOrEqual(hourly * (1 + 1e-6));
      }),
    );
  });

  test('that are made up prove no more where a limit binds either', () => {
    const problem = relaxation({
      limits: Float64Array.of(4),
      instances: { ...relaxation().instances, charge: Float64Array.of(1, 0) },
    });
    const { hourly, prices } = lowerBound(problem, [0, 1]);
    expect(prices.limit[0]).toBeGreaterThan(0);
    expect(hourly).toBeGreaterThan(lowerBound(relaxation(), [0, 1]).hourly);
    fc.assert(
      fc.property(worth, fc.double({ min: 0, max: 2, noNaN: true }), (values, limit) => {
        const claimed = { pod: Float64Array.from(values), limit: Float64Array.of(limit) };
        expect(provenBound(problem, claimed)).toBeLessThanOrEqual(hourly * (1 + 1e-6));
      }),
    );
  });

  test('under which a pod is worth something on an instance that costs nothing are counted off', () => {
    const { instances, ...rest } = relaxation();
    const problem: Relaxation = {
      ...rest,
      instances: { ...instances, price: Float64Array.of(1, 0), charge: Float64Array.of(0, 1) },
      limits: Float64Array.of(1),
    };
    const { prices, hourly } = lowerBound(problem, [0, 1]);
    expect(hourly).toBeLessThan(lowerBound(relaxation(), [0, 1]).hourly);
    expect(provenBound(problem, { ...prices, limit: new Float64Array(1) })).toBeLessThanOrEqual(
      hourly * (1 + 1e-6),
    );
  });
});

test('the worth of an instance is not below that of any whole pods that fit it', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 6 });
  const counts = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 });
  const values = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(amounts, counts, values, (requests, inside, worth) => {
      const problem = relaxation({
        classes: { count: 3, requests: Float64Array.from(requests), pods: Float64Array.of(9, 9, 9) },
      });
      const used = [0, 1].map((axis) =>
        inside.reduce((sum, count, index) => sum + count * (requests[index * 2 + axis] ?? 0), 0),
      );
      fc.pre((used[0] ?? 0) <= 16 && (used[1] ?? 0) <= 40);
      const total = inside.reduce((sum, count, index) => sum + count * (worth[index] ?? 0), 0);
      expect(fillValue(problem, Float64Array.from(worth), 1)).toBeGreaterThanOrEqual(total * (1 - 1e-9));
    }),
  );
});
