/** minValues: a claim keeps as many values of a key open as its pool asks, or is not launched. */
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { nodeTerm, oneOf, podTerm } from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, placeOf, planFor, reasonFor } from '../read-plan.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';

function flexible(key: string, minValues: number, ...values: readonly string[]): PoolOffer {
  const operator = values.length === 0 ? 'Exists' : 'In';
  return poolOffer({ requirements: [requirement(key, operator, values, minValues)] });
}

/** A pool of these types that asks for two of them in every claim. */
function two(types: readonly InstanceType[]): PoolOffer {
  return poolOffer({ requirements: [requirement(INSTANCE_TYPE, 'Exists', [], 2)] }, types);
}

function familiesOf(types: readonly string[] | undefined): ReadonlySet<string | undefined> {
  return new Set(types?.map((name) => name.split('.')[0]));
}

describe('plan, by minValues', () => {
  test('keeps them within a list that is cut short', () => {
    const plan = planFor({ pods: [pod()], pools: [flexible(FAMILY, 4)] }, { maxInstanceTypes: 5 });
    expect(plan.claims[0]?.instanceTypes).toHaveLength(5);
    expect(familiesOf(plan.claims[0]?.instanceTypes).size).toBeGreaterThanOrEqual(4);
    expect(firstTypes(plan)).toEqual(['c7g.large']);
  });

  test('fills no node so full that too few types hold it', () => {
    const pods = replicas(16, { requests: { cpu: '900m', memory: '1Gi' } });
    const every = planFor({ pods, pools: [flexible(INSTANCE_TYPE, 1)] });
    const many = planFor({ pods, pools: [flexible(INSTANCE_TYPE, 12)] });
    expect(every.claims.length).toBeGreaterThan(0);
    for (const { instanceTypes } of many.claims) expect(instanceTypes.length).toBeGreaterThanOrEqual(12);
  });

  test('refuses a pod for which too few values are left, and says how many', () => {
    const plan = planFor({
      pods: [pod({ requests: { 'nvidia.com/gpu': '1' } })],
      pools: [flexible(FAMILY, 2)],
    });
    expect(reasonFor(plan)).toMatchObject({ code: 'MinValues', key: FAMILY, wanted: 2, available: 1 });
  });

  test('refuses every pod when the pool itself has too few', () => {
    const plan = planFor({ pods: [pod()], pools: [flexible(FAMILY, 3, 'm6i', 'c6i')] });
    expect(reasonFor(plan)).toMatchObject({ code: 'MinValues', key: FAMILY, wanted: 3, available: 2 });
  });

  test('counts capacity types', () => {
    const pools = [flexible(CAPACITY_TYPE, 2, 'spot', 'on-demand')];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('default-1');
    const onDemand = pod({ nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } });
    expect(reasonFor(planFor({ pods: [onDemand], pools }))).toMatchObject({
      code: 'MinValues',
      key: CAPACITY_TYPE,
      wanted: 2,
      available: 1,
    });
  });

  test('counts zones, and refuses what must be in one', () => {
    const pools = [flexible(ZONE, 2)];
    expect(planFor({ pods: [pod()], pools }).claims[0]?.zones).toHaveLength(3);
    const apart = { labels: { app: 'web' }, podAntiAffinity: { required: [podTerm(ZONE, { app: 'web' })] } };
    expect(reasonFor(planFor({ pods: [pod(apart)], pools }))).toMatchObject({
      code: 'MinValues',
      key: ZONE,
      wanted: 2,
    });
  });

  test('holds for several keys at once', () => {
    const requirements = [requirement(FAMILY, 'Exists', [], 3), requirement(INSTANCE_TYPE, 'Exists', [], 6)];
    const [claim] = planFor(
      { pods: [pod()], pools: [poolOffer({ requirements })] },
      { maxInstanceTypes: 7 },
    ).claims;
    expect(familiesOf(claim?.instanceTypes).size).toBeGreaterThanOrEqual(3);
    expect(claim?.instanceTypes).toHaveLength(7);
  });

  test('binds pods to the pool that can, when the heavier cannot', () => {
    const pools = [
      poolOffer({
        name: 'strict',
        weight: 100,
        requirements: [requirement(FAMILY, 'In', ['m6i', 'c6i'], 3)],
      }),
      poolOffer({ name: 'easy' }),
    ];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('easy-1');
  });

  test('bounds the price by what the pool that has them sells, too', () => {
    const strict = [
      instanceType({ name: 'm5.large', price: 0.05 }),
      instanceType({ name: 'm6i.large', price: 0.06 }),
    ];
    const pools = [
      two(strict),
      poolOffer({ name: 'easy' }, [instanceType({ name: 'c5.large', price: 0.09 })]),
    ];
    const { claims, cost } = planFor({ pods: [pod()], pools });
    expect(claims[0]?.instanceTypes).toEqual(['m5.large', 'm6i.large']);
    expect(cost.lowerBound).toBeLessThanOrEqual(cost.hourly);
  });

  test('lists only the capacity types in which enough types hold the pods', () => {
    const terms = [nodeTerm(oneOf(CAPACITY_TYPE, 'on-demand')), nodeTerm(oneOf(ARCH, 'arm64'))];
    const either = pod({ nodeAffinity: { required: terms, preferred: [] } });
    const types = [
      instanceType({ name: 'c7g.large', arch: 'arm64', price: 0.07 }),
      instanceType({ name: 'c6i.large', price: 0.08 }),
    ];
    const pools = [poolOffer({ requirements: [requirement(FAMILY, 'Exists', [], 2)] }, types)];
    const [claim] = planFor({ pods: [either], pools }).claims;
    expect(claim?.capacityTypes).toEqual(['on-demand']);
    expect(claim?.instanceTypes).toEqual(['c7g.large', 'c6i.large']);
    expect(claim?.hourlyPrice).toBe(0.07);
  });

  test('refuses a pod that no zones and capacity types let enough types hold together', () => {
    const terms = [
      nodeTerm(oneOf(CAPACITY_TYPE, 'on-demand'), oneOf(ARCH, 'amd64')),
      nodeTerm(oneOf(CAPACITY_TYPE, 'spot'), oneOf(ARCH, 'arm64')),
    ];
    const either = pod({ nodeAffinity: { required: terms, preferred: [] } });
    const types = [instanceType({ name: 'c7g.large', arch: 'arm64' }), instanceType({ name: 'c6i.large' })];
    const pools = [poolOffer({ requirements: [requirement(FAMILY, 'Exists', [], 2)] }, types)];
    expect(reasonFor(planFor({ pods: [either], pools }))).toMatchObject({ code: 'MinValues', wanted: 2 });
  });

  test('counts only types within the limit', () => {
    const requirements = [requirement(INSTANCE_TYPE, 'Exists', [], 6)];
    const plan = planFor({ pods: [pod()], pools: [poolOffer({ requirements, limits: { cpu: '2' } })] });
    expect(reasonFor(plan)).toMatchObject({ code: 'MinValues', key: INSTANCE_TYPE, wanted: 6, available: 5 });
  });

  test('changes nothing for pools that ask for nothing', () => {
    const pods = replicas(2, { requests: { cpu: '900m', memory: '1Gi' } });
    expect(
      claimSizes(planFor({ pods, pools: [poolOffer({ requirements: [oneOf(FAMILY, 'm6i')] })] })),
    ).toEqual([2]);
  });

  test('lists the zones of the types it needs, though the cheapest is not sold there', () => {
    const types = [
      instanceType({ name: 'm5.large', zones: [ZONE_A], price: 0.09 }),
      instanceType({ name: 'm6i.large', zones: [ZONE_B], price: 0.1 }),
    ];
    const [claim] = planFor({ pods: [pod()], pools: [two(types)] }).claims;
    expect(claim?.instanceTypes).toEqual(['m5.large', 'm6i.large']);
    expect(claim?.zones).toEqual([ZONE_A, ZONE_B]);
  });

  test('lists the capacity types of the types it needs, though the cheapest is not sold so', () => {
    const types = [
      instanceType({ name: 'm5.large', capacityTypes: ['on-demand'], price: 0.09 }),
      instanceType({ name: 'm6i.large', capacityTypes: ['spot'], price: 0.5 }),
    ];
    const [claim] = planFor({ pods: [pod()], pools: [two(types)] }).claims;
    expect(claim?.instanceTypes).toEqual(['m5.large', 'm6i.large']);
    expect(claim?.capacityTypes).toEqual(['spot', 'on-demand']);
  });
});
