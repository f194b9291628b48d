/** What a claim lists: capacity types, zones, alternatives cheapest first, and never what is not to be had. */
import type { CapacityType, Offering } from '../../../src/domain/nodes/instance-type.js';
import { CAPACITY_TYPE, ZONE } from '../../../src/domain/values/labels.js';
import { noneOf, oneOf } from '../../support/builders/constraints.js';
import {
  instanceType,
  offering,
  ZONE_A,
  ZONE_B,
  ZONE_C,
  ZONES,
} from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, planFor, reasonFor } from '../read-plan.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';

function only(...offerings: readonly Partial<Offering>[]) {
  return [poolOffer({}, [instanceType({ offerings: offerings.map(offering) })])];
}

describe('plan, by capacity types', () => {
  test('lists spot and on-demand where the pool allows both, at the price of spot', () => {
    const [claim] = planFor({ pods: [pod()], pools: [poolOffer({}, [instanceType()])] }).claims;
    expect(claim?.capacityTypes).toEqual(['spot', 'on-demand']);
    expect(claim?.hourlyPrice).toBeCloseTo(0.4 * 0.096, 12);
    expect(claim?.hourlyPriceMax).toBe(0.096);
  });

  test.each([
    ['spot', 0.4 * 0.0726],
    ['on-demand', 0.0726],
  ])('lists %s alone where the pool requires it', (capacityType, price) => {
    const pools = [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, capacityType)] })];
    const [claim] = planFor({ pods: [pod()], pools }).claims;
    expect(claim?.capacityTypes).toEqual([capacityType]);
    expect(claim?.hourlyPrice).toBeCloseTo(price, 12);
  });

  test('lists on-demand alone where the pod requires it', () => {
    const pods = [pod({ nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } })];
    const [claim] = planFor({ pods }).claims;
    expect(claim?.capacityTypes).toEqual(['on-demand']);
    expect(claim?.hourlyPrice).toBe(0.0726);
  });

  test('keeps spot pods and on-demand pods on nodes of their own', () => {
    const pods = (['spot', 'on-demand'] as const).map((name) =>
      pod({ name, nodeSelector: { [CAPACITY_TYPE]: name } }),
    );
    expect(planFor({ pods }).claims.map(({ capacityTypes }) => capacityTypes)).toEqual([
      ['on-demand'],
      ['spot'],
    ]);
  });

  test('puts a pod that takes either on the node that another pod needs anyway', () => {
    const pods = [
      pod({ name: 'steady', nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } }),
      pod({ name: 'any' }),
    ];
    const plan = planFor({ pods });
    expect(claimSizes(plan)).toEqual([2]);
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('takes reserved capacity first, since it costs nothing more', () => {
    const pools = only(
      { capacityType: 'reserved', price: 0 },
      { price: 0.096 },
      { capacityType: 'spot', price: 0.04 },
    );
    const [claim] = planFor({ pods: [pod()], pools }).claims;
    expect(claim?.capacityTypes).toEqual(['reserved', 'spot', 'on-demand']);
    expect(claim?.hourlyPrice).toBe(0);
  });

  test('takes on-demand where it is cheaper than spot', () => {
    const pools = only({ price: 0.03 }, { capacityType: 'spot', price: 0.04 });
    expect(planFor({ pods: [pod()], pools }).cost.hourly).toBe(0.03);
  });
});

describe('plan, by zones of offerings', () => {
  test('lists every zone when none is asked for', () => {
    expect(planFor({ pods: [pod()] }).claims[0]?.zones).toEqual(ZONES);
  });

  test('takes the cheapest zone and still lists the others', () => {
    const pools = only({ price: 0.2 }, { zone: ZONE_B, price: 0.1 }, { zone: ZONE_C, price: 0.3 });
    const [claim] = planFor({ pods: [pod()], pools }).claims;
    expect([claim?.hourlyPrice, claim?.hourlyPriceMax]).toEqual([0.1, 0.3]);
    expect(claim?.zones).toEqual(ZONES);
  });

  test('holds to the zones that the pool requires', () => {
    const pools = [poolOffer({ requirements: [noneOf(ZONE, ZONE_A)] })];
    expect(planFor({ pods: [pod()], pools }).claims[0]?.zones).toEqual([ZONE_B, ZONE_C]);
  });

  test('leaves out what is not available now', () => {
    const pools = only(
      { price: 0.1, available: false },
      { zone: ZONE_B, price: 0.2 },
      { zone: ZONE_C, price: 0.3, available: false },
    );
    const [claim] = planFor({ pods: [pod()], pools }).claims;
    expect(claim?.zones).toEqual([ZONE_B]);
    expect(claim?.hourlyPriceMax).toBe(0.2);
  });

  test('falls back on on-demand while all spot is out', () => {
    const out = (['spot', 'on-demand'] as const).map((capacityType: CapacityType) => ({
      capacityType,
      price: capacityType === 'spot' ? 0.04 : 0.1,
      available: capacityType !== 'spot',
    }));
    expect(planFor({ pods: [pod()], pools: only(...out) }).claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('has nothing to offer while everything is out', () => {
    const plan = planFor({ pods: [pod()], pools: only({ available: false }) });
    expect(reasonFor(plan)).toMatchObject({ code: 'OutOfStock', types: ['m5.large'] });
  });

  test('tells a pod that only the types it could use are out, and which these are', () => {
    const types = [
      instanceType({ name: 'm5.large' }),
      instanceType({
        name: 'm5.xlarge',
        vcpu: 4,
        memoryMiB: 16384,
        offerings: [offering({ available: false })],
      }),
      instanceType({
        name: 'm5.2xlarge',
        vcpu: 8,
        memoryMiB: 32768,
        offerings: [offering({ available: false })],
      }),
    ];
    const pools = [poolOffer({}, types)];
    const plan = planFor({ pods: [pod({ requests: { cpu: '3' } })], pools });
    expect(reasonFor(plan)).toMatchObject({ code: 'OutOfStock', types: ['m5.2xlarge', 'm5.xlarge'] });
    const tooLarge = planFor({ pods: [pod({ requests: { cpu: '64' } })], pools });
    expect(reasonFor(tooLarge)).toMatchObject({ code: 'InsufficientResource', largestType: 'm5.2xlarge' });
  });

  test('tells a pod that the pool is not meant for so, though everything is out', () => {
    const pools = [
      poolOffer({ labels: { team: 'red' } }, [instanceType({ offerings: [offering({ available: false })] })]),
    ];
    const pods = [pod({ nodeSelector: { team: 'blue' } })];
    expect(reasonFor(planFor({ pods, pools }))).toMatchObject({ code: 'IncompatibleLabel', key: 'team' });
  });

  test('finds no offering for a zone and a capacity type that are never sold together', () => {
    const pools = only({ capacityType: 'spot' }, { zone: ZONE_B });
    const pods = [pod({ nodeSelector: { [ZONE]: ZONE_A, [CAPACITY_TYPE]: 'on-demand' } })];
    expect(reasonFor(planFor({ pods, pools }))).toMatchObject({
      code: 'NoOffering',
      wanted: `${ZONE} In [${ZONE_A}], ${CAPACITY_TYPE} In [on-demand]`,
    });
  });
});

describe('plan, by alternatives', () => {
  const many = Array.from({ length: 80 }, (_, index) =>
    instanceType({ name: `m${String(index)}.large`, price: 1 + ((index * 37) % 80) / 100 }),
  );

  test('lists the 60 cheapest of many types, cheapest first', () => {
    const [claim] = planFor({ pods: [pod()], pools: [poolOffer({}, many)] }).claims;
    const byPrice = [...many].sort(
      (left, right) => (left.offerings[0]?.price ?? 0) - (right.offerings[0]?.price ?? 0),
    );
    expect(claim?.instanceTypes).toEqual(byPrice.slice(0, 60).map(({ name }) => name));
  });

  test('lists as many as the options say', () => {
    const [claim] = planFor({ pods: [pod()], pools: [poolOffer({}, many)] }, { maxInstanceTypes: 3 }).claims;
    expect(claim?.instanceTypes).toHaveLength(3);
  });

  test('lists only types that hold all pods of the claim', () => {
    const pools = [poolOffer({ requirements: [oneOf(FAMILY, 'm6i', 'r6i', 'c6i')] })];
    const [claim] = planFor({
      pods: replicas(3, { requests: { cpu: '600m', memory: '3Gi' } }),
      pools,
    }).claims;
    expect(claim?.pods).toHaveLength(3);
    for (const name of claim?.instanceTypes ?? [])
      expect(['c6i.large', 'm6i.large', 'c6i.xlarge']).not.toContain(name);
  });

  test('keeps every price within the cheapest and the most expensive it names', () => {
    const [claim] = planFor({ pods: [pod()] }).claims;
    expect(claim?.instanceTypes).toHaveLength(22);
    expect(claim?.hourlyPrice).toBeCloseTo(0.4 * 0.0726, 12);
    expect(claim?.hourlyPriceMax).toBe(5.672);
  });

  test('passes on that a price is an estimate', () => {
    const estimated = only({ price: 0.1, estimated: true });
    expect(planFor({ pods: [pod()], pools: estimated }).claims[0]?.estimated).toBe(true);
    expect(planFor({ pods: [pod()], pools: only({ price: 0.1 }) }).claims[0]?.estimated).toBe(false);
  });
});

describe('plan, by what its pods need in the end', () => {
  test('buys the last node no larger than what is left over needs', () => {
    const types = [
      instanceType({ name: 'm5.large', vcpu: 2, price: 0.11 }),
      instanceType({ name: 'm5.4xlarge', vcpu: 16, memoryMiB: 65536, price: 0.7 }),
    ];
    const pods = replicas(9, { requests: { cpu: '1900m', memory: '1Gi' } });
    const plan = planFor({ pods, pools: [poolOffer({}, types)] });
    expect(firstTypes(plan)).toEqual(['m5.4xlarge', 'm5.large']);
    expect(claimSizes(plan)).toEqual([8, 1]);
  });

  test('buys one large node where it is cheaper than several small ones, and small ones where they are', () => {
    const sizes = (large: number): readonly (string | undefined)[] => {
      const types = [
        instanceType({ name: 'm5.large', vcpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
        instanceType({
          name: 'm5.xlarge',
          vcpu: 4,
          memoryMiB: 16384,
          price: large,
          capacityTypes: ['on-demand'],
        }),
      ];
      return firstTypes(
        planFor({ pods: replicas(2, { requests: { cpu: '1500m' } }), pools: [poolOffer({}, types)] }),
      );
    };
    expect(sizes(0.19)).toEqual(['m5.xlarge']);
    expect(sizes(0.21)).toEqual(['m5.large', 'm5.large']);
  });
});
