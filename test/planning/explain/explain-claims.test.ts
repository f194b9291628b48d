/** Why claims are as they are, as planning tells when it is asked. */
import { HOSTNAME, INSTANCE_PREFIX, ZONE } from '../../../src/domain/values/labels.js';
import { describeWhy } from '../../../src/planning/describe-reason.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { ClaimWhy, Plan } from '../../../src/planning/plan.js';
import { explainPlan } from '../../../src/planning/engine/explain-plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf, spreadOver, taint } from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { planAndCheck } from '../../support/plan-and-check.js';

/** The checked plan of an input, explained. */
function explained(given: Partial<ClusterInput>): Plan {
  const input = clusterInput(given);
  const options = { ...DEFAULT_PLAN_OPTIONS, explainClaims: true };
  return explainPlan(buildSnapshot(input), options, planAndCheck(input));
}

function whys(given: Partial<ClusterInput>): readonly (ClaimWhy | undefined)[] {
  return explained(given).claims.map(({ why }) => why);
}

const small = instanceType({ name: 'm5.large', price: 0.1, capacityTypes: ['on-demand'] });
const middle = instanceType({
  name: 'm5.xlarge',
  vcpu: 4,
  memoryMiB: 16384,
  price: 0.2,
  capacityTypes: ['on-demand'],
});
const other = instanceType({
  name: 'm6i.xlarge',
  vcpu: 4,
  memoryMiB: 16384,
  price: 0.23,
  capacityTypes: ['on-demand'],
});
const FAMILY = `${INSTANCE_PREFIX}family`;
const types = [small, middle, other];

/** A pool for one family. */
function ofFamily(name: string, family: string, overrides: Parameters<typeof poolOffer>[0] = {}): PoolOffer {
  return poolOffer({ name, requirements: [oneOf(FAMILY, family)], ...overrides }, types);
}

const wanting3 = pod({ requests: { cpu: '3', memory: '1Gi' } });

describe('explainPlan', () => {
  test('tells the types that hold the pods, the cheaper one that does not, and the next best pool', () => {
    const pools = [ofFamily('five', 'm5'), ofFamily('six', 'm6i')];
    expect(whys({ pods: [wanting3], pools })).toEqual([
      {
        holding: 1,
        cheaper: { instanceType: 'm5.large', hourlyPrice: 0.1, short: new Map([['cpu', 1080]]) },
        alternative: {
          nodePool: 'six',
          instanceType: 'm6i.xlarge',
          zone: ZONE_A,
          capacityType: 'on-demand',
          hourlyPrice: 0.23,
        },
      },
    ]);
  });

  test('costs what the plan costs once the first pool is gone', () => {
    const pools = [ofFamily('five', 'm5'), ofFamily('six', 'm6i')];
    const [why] = whys({ pods: [wanting3], pools });
    const without = explained({ pods: [wanting3], pools: pools.slice(1) });
    expect(without.cost.hourly).toBeCloseTo(why?.alternative?.hourlyPrice ?? 0, 9);
  });

  test.each([
    ['does not let the pods in', ofFamily('six', 'm6i', { taints: [taint('team')] })],
    ['has no limits left', ofFamily('six', 'm6i', { limits: { cpu: '3' } })],
    ['has no type that is large enough', poolOffer({ name: 'six' }, [small])],
  ])('names no other pool that %s', (_, six) => {
    const pools = [ofFamily('five', 'm5', { weight: 1 }), six];
    const [why] = whys({ pods: [wanting3], pools });
    expect(why?.alternative).toBeUndefined();
  });

  test('stays in the zones that the pods of the claim rely on', () => {
    const labels = { app: 'web' };
    const pods = replicas(2, { labels, spread: [spreadOver(ZONE, labels)], requests: { cpu: '3' } });
    const six = ofFamily('six', 'm6i', { requirements: [oneOf(FAMILY, 'm6i'), oneOf(ZONE, ZONE_B)] });
    const five = ofFamily('five', 'm5', { weight: 1 });
    const { claims } = explained({ pods, pools: [five, six] });
    expect(claims).toHaveLength(2);
    for (const { zones, why } of claims)
      expect(why?.alternative?.zone).toBe(zones.includes(ZONE_B) ? ZONE_B : undefined);
  });

  test('heeds rules of hosts that any new node satisfies', () => {
    const labels = { app: 'web' };
    const pods = replicas(2, { labels, spread: [spreadOver(HOSTNAME, labels)], requests: { cpu: '3' } });
    const found = whys({ pods, pools: [ofFamily('five', 'm5'), ofFamily('six', 'm6i')] });
    expect(found.map((why) => why?.alternative?.nodePool)).toEqual(['six', 'six']);
  });

  test('changes nothing else of the plan, and nothing without the option', () => {
    const input = clusterInput({ pods: replicas(5, { requests: { cpu: '1' } }) });
    const made = planAndCheck(input);
    expect(explainPlan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, made)).toBe(made);
    const told = explained(input);
    expect(told.claims.map((claim) => ({ ...claim, why: undefined }))).toEqual(
      made.claims.map((claim) => ({ ...claim, why: undefined })),
    );
  });
});

describe('describeWhy', () => {
  test('says it in one sentence', () => {
    const [why] = whys({ pods: [wanting3], pools: [ofFamily('five', 'm5'), ofFamily('six', 'm6i')] });
    expect(why && describeWhy(why)).toBe(
      '1 instance type of the pool fits its pods; m5.large at 0.1000 USD/h lacks 1080m cpu; ' +
        'the next best pool, six, would launch m6i.xlarge on-demand in us-east-1a at 0.2300 USD/h',
    );
  });

  test('says so when nothing is cheaper and no pool is next', () => {
    expect(describeWhy({ holding: 4 })).toBe(
      '4 instance types of the pool fit its pods; no type is cheaper; no other pool fits them',
    );
  });
});
