/** Capacity reservations are used before anything is bought, and never more often than they have instances. */
import fc from 'fast-check';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  HOSTNAME,
  ZONE,
} from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { Plan } from '../../../src/planning/plan.js';
import { plan as planSnapshot } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { noneOf, oneOf, spreadOver, taint, tolerateKey } from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import {
  instanceType,
  offering,
  smallCatalogue,
  ZONE_A,
  ZONE_B,
  ZONES,
} from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { amounts, pod, replicas } from '../../support/builders/pod.js';
import { planAndCheck } from '../../support/plan-and-check.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { fewerRuns } from '../laws/plan-of.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { planFor } from '../read-plan.js';

/** m6i.large holds 19 of these, for their CPU. */
const SMALL = { requests: { cpu: '100m' } };
/** One of these fills an m6i.large. */
const LARGE = { requests: { cpu: '1800m' } };

function reserved(id: string, count: number, zone = ZONE_A) {
  return offering({ zone, capacityType: 'reserved', price: 0, reservation: { id, count } });
}

/** m6i.large, on demand and in these reservations, and all other types. */
function types(...reservations: readonly ReturnType<typeof reserved>[]): readonly InstanceType[] {
  return smallCatalogue().map((type) =>
    type.name === 'm6i.large' ? { ...type, offerings: [...type.offerings, ...reservations] } : type,
  );
}

function pool(overrides: NodePoolOverrides, ...reservations: readonly ReturnType<typeof reserved>[]) {
  return poolOffer(overrides, types(...reservations));
}

/** Reservation, or capacity types → how many claims. */
function claimsBy({ claims }: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { chosenLabels, capacityTypes } of claims) {
    const key = chosenLabels.get(CAPACITY_RESERVATION_ID) ?? capacityTypes.join();
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('plan, with capacity reservations', () => {
  test('launches into a reservation, which costs nothing more, as a claim that can be nothing else', () => {
    const plan = planFor({ pods: [pod(SMALL)], pools: [pool({}, reserved('cr-1', 2, ZONE_B))] });
    expect(plan.claims).toEqual([
      {
        name: 'default-1',
        nodePool: 'default',
        instanceTypes: ['m6i.large'],
        zones: [ZONE_B],
        capacityTypes: ['reserved'],
        chosenLabels: new Map([
          [CAPACITY_RESERVATION_ID, 'cr-1'],
          [CAPACITY_RESERVATION_TYPE, 'default'],
          [CAPACITY_RESERVATION_INTERRUPTIBLE, 'false'],
        ]),
        pods: ['default/pod'],
        requests: amounts({ cpu: '100m', memory: '128Mi', pods: '1' }),
        allocatable: instanceType({ name: 'm6i.large' }).allocatable,
        hourlyPrice: 0,
        hourlyPriceMax: 0,
        estimated: false,
      },
    ]);
    expect(plan.placements).toEqual([
      { pod: 'default/pod', target: { kind: 'NodeClaim', name: 'default-1' } },
    ]);
    expect(plan.cost).toEqual({ hourly: 0, lowerBound: 0, existingHourly: 0 });
  });

  test('uses a reservation as often as it has instances, and buys the rest', () => {
    const plan = planFor({
      pods: replicas(5, LARGE),
      pools: [pool({ requirements: [oneOf(CAPACITY_TYPE, 'reserved', 'on-demand')] }, reserved('cr-1', 2))],
    });
    expect(claimsBy(plan)['cr-1']).toBe(2);
    expect(plan.claims.filter(({ capacityTypes }) => capacityTypes.includes('reserved'))).toHaveLength(2);
    expect(plan.unschedulable).toEqual([]);
    expect(plan.cost.lowerBound).toBeGreaterThan(0);
  });

  test('launches no more of a reservation than its pods need', () => {
    const plan = planFor({ pods: replicas(25, SMALL), pools: [pool({}, reserved('cr-1', 50))] });
    expect(claimsBy(plan)).toEqual({ 'cr-1': 2 });
  });

  test('counts a reservation once, however many pools may use it', () => {
    const requirements = [oneOf(CAPACITY_TYPE, 'reserved')];
    const taints = [taint('team', 'a')];
    const plan = planFor({
      pods: [
        ...replicas(2, { name: 'a', ...LARGE, tolerations: [tolerateKey('team')] }),
        ...replicas(4, { name: 'b', ...LARGE }),
      ],
      pools: [
        pool({ name: 'own', weight: 10, requirements, taints }, reserved('cr-1', 3)),
        pool({ name: 'general', requirements }, reserved('cr-1', 3)),
      ],
    });
    expect(claimsBy(plan)).toEqual({ 'cr-1': 3 });
    expect(plan.unschedulable).toHaveLength(3);
  });

  test('fills nodes that exist first', () => {
    const plan = planFor({ pods: [pod(SMALL)], nodes: [node()], pools: [pool({}, reserved('cr-1', 1))] });
    expect(plan.claims).toEqual([]);
  });

  test('heeds what pools require, their limits and their minValues', () => {
    const pods = replicas(3, LARGE);
    const of = (overrides: NodePoolOverrides): Readonly<Record<string, number>> =>
      claimsBy(planFor({ pods, pools: [pool(overrides, reserved('cr-1', 3))] }));
    expect(of({ requirements: [oneOf(CAPACITY_TYPE, 'spot')] })).toEqual({
      spot: expect.any(Number) as number,
    });
    expect(of({ requirements: [noneOf(ZONE, ZONE_A)] })).not.toHaveProperty('cr-1');
    expect(of({ requirements: [oneOf(CAPACITY_RESERVATION_ID, 'cr-2')] })).toEqual({});
    expect(of({ requirements: [oneOf(CAPACITY_RESERVATION_ID, 'cr-1')] })).toEqual({ 'cr-1': 3 });
    expect(of({ requirements: [oneOf(CAPACITY_RESERVATION_TYPE, 'capacity-block')] })).toEqual({});
    expect(of({ requirements: [oneOf(CAPACITY_RESERVATION_TYPE, 'default')] })).toEqual({ 'cr-1': 3 });
    expect(of({ limits: { cpu: '4' } })).toEqual({ 'cr-1': 2 });
    const several = requirement('node.kubernetes.io/instance-type', 'Exists', [], 2);
    expect(of({ requirements: [several] })).not.toHaveProperty('cr-1');
  });

  test('is found by pods that select a reservation', () => {
    const pools = [pool({}, reserved('cr-1', 1), reserved('cr-2', 1))];
    const wanted = pod({ ...SMALL, nodeSelector: { [CAPACITY_RESERVATION_ID]: 'cr-2' } });
    expect(claimsBy(planFor({ pods: [wanted], pools }))).toEqual({ 'cr-2': 1 });
  });

  test('keeps room for DaemonSets, and says what they request', () => {
    const daemonSets = [daemonSet({ name: 'agent', requests: { cpu: '200m' } })];
    const pools = [pool({}, reserved('cr-1', 5))];
    const plan = planFor({ pods: replicas(2, { requests: { cpu: '900m' } }), daemonSets, pools });
    expect(claimsBy(plan)).toEqual({ 'cr-1': 2 });
    expect(plan.claims[0]?.requests.get('cpu')).toBe(1100);
  });

  test('leaves out reserved nodes without pods, where pods are spread over hosts or zones', () => {
    const app = { labels: { app: 'web' }, ...LARGE };
    const pods = replicas(4, {
      ...app,
      spread: [spreadOver(HOSTNAME, { app: 'web' }), spreadOver(ZONE, { app: 'web' })],
    });
    const plan = planFor({
      pods,
      pools: [pool({ limits: { nodes: '4' } }, reserved('cr-1', 9), reserved('cr-2', 9, ZONE_B))],
    });
    expect(plan.unschedulable).toEqual([]);
    expect(plan.claims).toHaveLength(4);
  });

  test('offerings of a reservation that are out of stock are none', () => {
    const gone = { ...reserved('cr-1', 3), available: false };
    expect(claimsBy(planFor({ pods: [pod(SMALL)], pools: [pool({}, gone)] }))).not.toHaveProperty('cr-1');
  });

  test('the checker finds a reservation that is used too often', () => {
    const of = (count: number) =>
      clusterInput({ pods: replicas(2, LARGE), pools: [pool({}, reserved('cr-1', count))] });
    const plan = planAndCheck(of(2));
    const [violation, ...others] = checkPlan(of(1), plan);
    expect(formatViolations(violation === undefined ? [] : [violation])).toContain(
      'has 1 instances, 2 are planned',
    );
    expect(others).toEqual([]);
  });

  test('tells drafts in which every reserved node is a claim', () => {
    const input = clusterInput({
      pods: replicas(20_000, { requests: { cpu: '1' } }),
      pools: [poolOffer({}, [instanceType({ offerings: [offering(), reserved('cr-1', 3)] })])],
    });
    const drafts: Plan[] = [];
    const aids = { cache: new CompileCache(), onDraft: (draft: Plan) => drafts.push(draft) };
    planSnapshot(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, aids);
    expect(
      drafts.map(({ placements }) => placements.every(({ target }) => target.kind === 'NodeClaim')),
    ).toEqual([true]);
    expect(drafts.map((draft) => claimsBy(draft)['cr-1'])).toEqual([3]);
  });

  test('whatever the cluster, the plan is valid and no reservation is used too often', () => {
    const stock = fc.array(
      fc.record({ at: fc.nat(), zone: fc.constantFrom(...ZONES), count: fc.integer({ min: 0, max: 3 }) }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(arbitraryCluster(), stock, (input, reservations) => {
        // What is paid is used first, whatever the weights of pools.
        const pools = input.pools.map((offer) => ({
          pool: { ...offer.pool, weight: 0 },
          instanceTypes: offer.instanceTypes?.map((type, index, all) => ({
            ...type,
            offerings: [
              ...type.offerings,
              ...reservations.flatMap(({ at, zone, count }, each) =>
                at % all.length === index ? [reserved(`cr-${String(each)}`, count, zone)] : [],
              ),
            ],
          })),
        }));
        expect(planAndCheck({ ...input, pools }).placements.length).toBeGreaterThanOrEqual(0);
      }),
      fewerRuns(3),
    );
  });
});
