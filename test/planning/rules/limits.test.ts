/** Limits of pools: never passed, not even by an alternative, and shared out by priority. */
import { HOSTNAME } from '../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { packInBands } from '../../../src/planning/pack/pack.js';
import { packingOrder } from '../../../src/planning/pack/packing-order.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf, spreadOver } from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { amounts, pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, planFor, reasonFor } from '../read-plan.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const GiB = 2 ** 30;
/** Two of these do not fit one m5.large. */
const big = { requests: { cpu: '1500m', memory: '1Gi' } };

function m5(limits: NodePoolOverrides['limits'] = {}): PoolOffer {
  return poolOffer({ limits }, [instanceType()]);
}

describe('plan, by limits', () => {
  test.each([
    ['cpu', '4', { resource: 'cpu', limit: 4000, inUse: 4000, needed: 2000 }],
    ['cpu', '5', { resource: 'cpu', limit: 5000, inUse: 4000, needed: 2000 }],
    ['memory', '16Gi', { resource: 'memory', limit: 16 * GiB, inUse: 16 * GiB, needed: 8 * GiB }],
    ['nodes', '2', { resource: 'nodes', limit: 2, inUse: 2, needed: 1 }],
    ['pods', '58', { resource: 'pods', limit: 58, inUse: 58, needed: 29 }],
  ])(
    'launches two nodes of 2 vCPU and 8Gi under %s %s and leaves out the third pod',
    (resource, limit, numbers) => {
      const plan = planFor({ pods: replicas(3, big), pools: [m5({ [resource]: limit })] });
      expect(claimSizes(plan)).toEqual([1, 1]);
      expect(leftOut(plan)).toEqual(['pod-2']);
      expect(reasonFor(plan, 'pod-2')).toMatchObject({ code: 'LimitReached', ...numbers });
    },
  );

  test('launches one node that holds all pods under a limit of one node', () => {
    const plan = planFor({ pods: replicas(12, big), pools: [poolOffer({ limits: { nodes: '1' } })] });
    expect(leftOut(plan)).toEqual([]);
    expect(claimSizes(plan)).toEqual([12]);
  });

  test('sees that pods share a node when their spread counts only others', () => {
    const spread = [spreadOver(HOSTNAME, { app: 'db' })];
    const input = clusterInput({
      pods: replicas(6, { ...big, labels: { app: 'web' }, spread }),
      pools: [poolOffer({ limits: { nodes: '1' } })],
    });
    const problem = compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
    const packed = packInBands(problem, { ...packingOrder(problem, true), limitWeight: 100 });
    expect([...packed.remaining]).toEqual([0]);
  });

  test('launches types with the ratio that a limit leaves room for, though others are cheaper', () => {
    const types = [
      instanceType({ name: 'r5.xlarge', vcpu: 4, memoryMiB: 32_768, price: 0.1 }),
      instanceType({ name: 'c5.xlarge', vcpu: 4, memoryMiB: 8192, price: 0.15 }),
    ];
    const pods = replicas(6, { requests: { cpu: '900m', memory: '1Gi' } });
    const plan = planFor({ pods, pools: [poolOffer({ limits: { memory: '16Gi' } }, types)] });
    expect(leftOut(plan)).toEqual([]);
    expect(firstTypes(plan)).toEqual(['c5.xlarge', 'c5.xlarge']);
  });

  test('launches one node less than a limit that falls just short', () => {
    const plan = planFor({ pods: replicas(3, big), pools: [m5({ cpu: '3999m' })] });
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('launches nothing under a limit of zero', () => {
    const plan = planFor({ pods: [pod()], pools: [m5({ cpu: '0' })] });
    expect(reasonFor(plan)).toMatchObject({
      code: 'LimitReached',
      resource: 'cpu',
      limit: 0,
      inUse: 0,
      needed: 2000,
    });
  });

  test('counts GPUs', () => {
    const pools = [poolOffer({ limits: { 'nvidia.com/gpu': '2' }, requirements: [oneOf(FAMILY, 'g5')] })];
    const plan = planFor({ pods: replicas(3, { requests: { 'nvidia.com/gpu': '1' } }), pools });
    expect(firstTypes(plan)).toEqual(['g5.xlarge', 'g5.xlarge']);
    expect(reasonFor(plan, 'pod-2')).toMatchObject({
      code: 'LimitReached',
      resource: 'nvidia.com/gpu',
      limit: 2,
      inUse: 2,
      needed: 1,
    });
  });

  test('lists no zone in which the limit leaves no type', () => {
    const types = [
      instanceType({ name: 'm5.large', zones: [ZONE_A] }),
      instanceType({ name: 'm5.xlarge', vcpu: 4, memoryMiB: 16_384, price: 0.19, zones: [ZONE_A, ZONE_B] }),
    ];
    const [claim] = planFor({ pods: [pod()], pools: [poolOffer({ limits: { cpu: '2' } }, types)] }).claims;
    expect(claim?.instanceTypes).toEqual(['m5.large']);
    expect(claim?.zones).toEqual([ZONE_A]);
  });

  test('holds every limit of a pool', () => {
    const plan = planFor({ pods: replicas(3, big), pools: [m5({ cpu: '100', nodes: '1' })] });
    expect(claimSizes(plan)).toEqual([1]);
    expect(reasonFor(plan, 'pod-1')).toMatchObject({ code: 'LimitReached', resource: 'nodes' });
  });

  test('says why a placement group takes no more nodes, where the limit is that of the group', () => {
    const placementGroup = { id: 'pg-1', partitions: 0, full: 'pg-1 is full' };
    const pools = [{ ...m5({ nodes: '1' }), placementGroup }];
    const plan = planFor({ pods: replicas(2, big), pools });
    expect(reasonFor(plan, 'pod-1')).toMatchObject({ code: 'NodeClassNotReady', problem: 'pg-1 is full' });
  });

  test("counts the pool's nodes that exist, at their capacity, and no other's", () => {
    const full = { cpu: '0' };
    const nodes = [
      node({ name: 'ours', nodePool: 'default', allocatable: full }),
      node({ name: 'theirs', nodePool: 'other', allocatable: full }),
      node({ name: 'nobodys', allocatable: full }),
    ];
    const plan = planFor({ pods: replicas(2, big), nodes, pools: [m5({ cpu: '4' })] });
    expect(claimSizes(plan)).toEqual([1]);
    expect(leftOut(plan)).toEqual(['pod-1']);
  });

  test('counts what is launched but not there yet', () => {
    const offer = { ...m5({ cpu: '6', nodes: '9' }), inFlight: amounts({ cpu: '2', nodes: '1' }) };
    const plan = planFor({ pods: replicas(3, big), pools: [offer] });
    expect(claimSizes(plan)).toEqual([1, 1]);
    expect(reasonFor(plan, 'pod-2')).toMatchObject({
      code: 'LimitReached',
      resource: 'cpu',
      limit: 6000,
      inUse: 6000,
      needed: 2000,
    });
  });

  test('launches nothing for a pool already above its limit, but uses its nodes', () => {
    const nodes = [node({ nodePool: 'default' })];
    const plan = planFor({ pods: replicas(2, big), nodes, pools: [m5({ cpu: '1' })] });
    expect(plan.claims).toEqual([]);
    expect(leftOut(plan)).toEqual(['pod-1']);
  });

  test('lists no alternative that would pass the limit', () => {
    const plan = planFor({ pods: [pod()], pools: [poolOffer({ limits: { cpu: '4' } })] });
    expect(plan.claims[0]?.instanceTypes).toHaveLength(11);
    expect(plan.claims[0]?.instanceTypes.filter((name) => !/\.x?large$/.test(name))).toEqual([]);
  });

  test('keeps two claims within the limit even when both become their largest alternative', () => {
    const plan = planFor({ pods: replicas(2, big), pools: [poolOffer({ limits: { cpu: '6' } })] });
    const sizes = plan.claims.map(({ instanceTypes }) =>
      instanceTypes.some((name) => name.endsWith('.xlarge')) ? 4 : 2,
    );
    expect(sizes.sort()).toEqual([2, 4]);
  });

  test('opens the small type where the limit leaves room for no larger', () => {
    const pods = replicas(4, { requests: { cpu: '900m', memory: '1Gi' } });
    const plan = planFor({ pods, pools: [poolOffer({ limits: { cpu: '4' } })] });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims.reduce((sum, { pods: inside }) => sum + inside.length, 0)).toBe(4);
  });

  test('names the smallest type that would fit, and what it would add', () => {
    const plan = planFor({
      pods: [pod({ requests: { cpu: '3' } })],
      pools: [poolOffer({ limits: { cpu: '2' } })],
    });
    expect(reasonFor(plan)).toMatchObject({
      code: 'LimitReached',
      resource: 'cpu',
      limit: 2000,
      inUse: 0,
      needed: 4000,
    });
  });

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('gives what the limit leaves to the highest priority: %s goes without, %s does not', (low, high) => {
    const pods = [
      ...replicas(2, { ...big, name: low, priority: 0 }),
      ...replicas(2, { ...big, name: high, priority: 1000 }),
    ];
    const plan = planFor({ pods, pools: [m5({ nodes: '2' })] });
    expect(leftOut(plan)).toEqual([`${low}-0`, `${low}-1`]);
  });

  test('gives a small pod of higher priority its node before a large one of lower', () => {
    const pods = [
      pod({ name: 'large', priority: 0, requests: { cpu: '1900m' } }),
      pod({ name: 'small', priority: 5, requests: { cpu: '100m' } }),
    ];
    expect(leftOut(planFor({ pods, pools: [m5({ nodes: '1' })] }))).toEqual(['large']);
  });
});
