/** The numbers of a plan: what its claims cost, what nothing could cost less than, what runs already. */
import { CAPACITY_TYPE, INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { oneOf, taint } from '../../support/builders/constraints.js';
import { instanceType, ZONE_B } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { planFor } from '../read-plan.js';

const onDemand = [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')] })];
const m5 = instanceType({ capacityTypes: ['on-demand'] });

describe('plan, by cost', () => {
  test('adds up the cheapest offering of every claim', () => {
    const pods = [
      ...replicas(2, { requests: { 'nvidia.com/gpu': '1' } }),
      pod({ name: 'arm', nodeSelector: { [INSTANCE_TYPE]: 'c7g.large' } }),
    ];
    const plan = planFor({ pods, pools: onDemand });
    expect(plan.claims.map(({ hourlyPrice }) => hourlyPrice)).toEqual([1.006, 1.006, 0.0726]);
    expect(plan.cost.hourly).toBeCloseTo(2 * 1.006 + 0.0726, 12);
  });

  test('bounds the price from below, exactly where pods fill nodes exactly', () => {
    const pods = replicas(6, { requests: { cpu: '640m', memory: '1Gi' } });
    const { cost } = planFor({ pods, pools: [poolOffer({}, [m5])] });
    expect(cost.hourly).toBeCloseTo(2 * 0.096, 12);
    expect(cost.lowerBound).toBeCloseTo(2 * 0.096, 9);
  });

  test('bounds it by the most expensive resource in demand, in fractions of a node', () => {
    const { cost } = planFor({
      pods: [pod({ requests: { cpu: '480m', memory: '1Gi' } })],
      pools: [poolOffer({}, [m5])],
    });
    expect(cost.hourly).toBe(0.096);
    expect(cost.lowerBound).toBeCloseTo(0.096 / 4, 9);
  });

  test('takes the room of existing nodes off the bound', () => {
    const pods = replicas(2, { requests: { cpu: '1900m' } });
    const { cost } = planFor({ pods, nodes: [node()], pools: [poolOffer({}, [m5])] });
    expect(cost.hourly).toBe(0.096);
    expect(cost.lowerBound ?? NaN).toBeLessThanOrEqual(0.096);
    expect(cost.lowerBound ?? NaN).toBeGreaterThan(0);
  });

  test('states no bound when pods are left out', () => {
    const pods = [pod(), pod({ name: 'huge', requests: { cpu: '1k' } })];
    expect(planFor({ pods }).cost.lowerBound).toBeNull();
  });

  test('states the bound for what could be placed when the rest can never be', () => {
    const pods = [pod(), pod({ name: 'dra', resourceClaims: ['gpu'] })];
    expect(planFor({ pods, pools: onDemand }).cost.lowerBound ?? NaN).toBeGreaterThan(0);
  });

  test('costs nothing when nothing is to be placed', () => {
    expect(planFor({})).toEqual({
      placements: [],
      claims: [],
      unschedulable: [],
      cost: { hourly: 0, lowerBound: 0, existingHourly: 0 },
    });
  });

  test('prices the nodes that exist by type, zone and capacity type', () => {
    const spotInB = node({ name: 'one', type: m5Spot, zone: ZONE_B, capacityType: 'spot' });
    const nodes = [
      spotInB,
      node({ name: 'two', type: m5Spot }),
      node({ name: 'unknown', labels: { [INSTANCE_TYPE]: 'x9.metal' } }),
    ];
    const { cost } = planFor({ nodes, pools: [poolOffer({}, [m5Spot])] });
    expect(cost.existingHourly).toBeCloseTo(0.4 * 0.096 + 0.096, 12);
  });

  test('takes no room into account that none of the pods may use: neither the bound nor the choice changes', () => {
    const types = [m5, instanceType({ name: 'm5.xlarge', vcpu: 4, memoryMiB: 16384, price: 0.15 })];
    const pools = [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')] }, types)];
    const pods = replicas(20, { requests: { cpu: '900m', memory: '1Gi' } });
    const idle = Array.from({ length: 50 }, (_, index) =>
      node({ name: `idle-${String(index)}`, taints: [taint('theirs')] }),
    );
    const alone = planFor({ pods, pools }).cost;
    const beside = planFor({ pods, pools, nodes: idle }).cost;
    expect(alone.lowerBound).toBeGreaterThan(0);
    expect({ ...beside, existingHourly: 0 }).toEqual({ ...alone, existingHourly: 0 });
  });
});

const m5Spot = instanceType();
