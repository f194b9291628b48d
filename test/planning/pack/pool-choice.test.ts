/** Which pool launches: weights, what is cheapest among equals, static pools, and pools that cannot launch. */
import { oneOf } from '../../support/builders/constraints.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { firstTypes, leftOut, placeOf, planFor, reasonFor, reasonsFor } from '../read-plan.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';

describe('plan, by weights', () => {
  test('launches from the heavier pool, though the lighter is cheaper', () => {
    const pools = [
      poolOffer({ name: 'reserved', weight: 100, requirements: [oneOf(FAMILY, 'r6i')] }),
      poolOffer({ name: 'general', weight: 10 }),
    ];
    const plan = planFor({ pods: [pod()], pools });
    expect(firstTypes(plan)).toEqual(['r6i.large']);
    expect(placeOf(plan)).toBe('reserved-1');
  });

  test('continues with the next pool when the limit of the one of higher weight is reached', () => {
    const pools = [
      poolOffer({
        name: 'reserved',
        weight: 100,
        limits: { cpu: '2' },
        requirements: [oneOf(FAMILY, 'm6i')],
      }),
      poolOffer({ name: 'general', weight: 10, requirements: [oneOf(FAMILY, 'm6i')] }),
    ];
    const plan = planFor({ pods: replicas(2, { requests: { cpu: '1500m' } }), pools });
    expect([placeOf(plan, 'pod-0'), placeOf(plan, 'pod-1')]).toEqual(['reserved-1', 'general-1']);
  });

  test('takes the lighter pool for a pod that only it can hold', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, requirements: [oneOf(FAMILY, 'm6i')] }),
      poolOffer({ name: 'light', requirements: [oneOf(FAMILY, 'g5')] }),
    ];
    const pods = [pod({ name: 'train', requests: { 'nvidia.com/gpu': '1' } })];
    expect(placeOf(planFor({ pods, pools }), 'train')).toBe('light-1');
  });

  test('takes the cheaper of two pools of equal weight', () => {
    const pools = [
      poolOffer({ name: 'a', requirements: [oneOf(FAMILY, 'r6i')] }),
      poolOffer({ name: 'b', requirements: [oneOf(FAMILY, 'c7g')] }),
    ];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('b-1');
  });

  test('takes the first by name of two pools that are alike', () => {
    const pools = [poolOffer({ name: 'b' }), poolOffer({ name: 'a' })];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('a-1');
  });

  test('takes no weight for the lightest', () => {
    const pools = [poolOffer({ name: 'a' }), poolOffer({ name: 'b', weight: 1 })];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('b-1');
  });
});

describe('plan, by pools that cannot launch', () => {
  test('says that there is no pool', () => {
    expect(reasonsFor(planFor({ pods: [pod()], pools: [] }))).toMatchObject([
      { nodePool: '', reason: { code: 'NoNodePools' } },
    ]);
  });

  test('launches nothing from a static pool', () => {
    const pools = [poolOffer({ name: 'static', weight: 100, replicas: 3 }), poolOffer({ name: 'other' })];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('other-1');
    expect(reasonFor(planFor({ pods: [pod()], pools: pools.slice(0, 1) }))).toMatchObject({
      code: 'StaticPool',
    });
  });

  test('launches nothing from a pool whose node class does not exist', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'gone' };
    const orphan = { ...poolOffer({ name: 'orphan', weight: 100, nodeClassRef }), instanceTypes: undefined };
    expect(placeOf(planFor({ pods: [pod()], pools: [orphan, poolOffer({ name: 'other' })] }))).toBe(
      'other-1',
    );
    expect(reasonFor(planFor({ pods: [pod()], pools: [orphan] }))).toMatchObject({
      code: 'NodeClassNotFound',
      nodeClass: 'EC2NodeClass gone',
    });
  });

  test('launches nothing from a pool whose requirements no type meets', () => {
    const pools = [poolOffer({ requirements: [oneOf(FAMILY, 'p5')] })];
    expect(reasonFor(planFor({ pods: [pod()], pools }))).toMatchObject({
      code: 'NoOffering',
      wanted: 'what the pool requires',
    });
  });

  test('tells a pod that such a pool is not meant for so first', () => {
    const pools = [poolOffer({ requirements: [oneOf(FAMILY, 'p5')], labels: { team: 'red' } })];
    expect(reasonFor(planFor({ pods: [pod({ nodeSelector: { team: 'blue' } })], pools }))).toMatchObject({
      code: 'IncompatibleLabel',
      key: 'team',
      wanted: 'In [blue]',
      offered: '[red]',
    });
  });

  test('gives a reason for each pool, heaviest first', () => {
    const pools = [
      poolOffer({ name: 'light', replicas: 1 }),
      poolOffer({ name: 'heavy', weight: 5 }, [instanceType()]),
    ];
    const plan = planFor({ pods: [pod({ requests: { cpu: '4' } })], pools });
    expect(leftOut(plan)).toEqual(['pod']);
    expect(reasonsFor(plan).map(({ nodePool, reason }) => [nodePool, reason.code])).toMatchObject([
      ['heavy', 'InsufficientResource'],
      ['light', 'StaticPool'],
    ]);
  });

  test('does not place pods with dynamic resource claims, whatever could be launched', () => {
    const plan = planFor({ pods: [pod({ name: 'dra', resourceClaims: ['gpu'] }), pod()] });
    expect(leftOut(plan)).toEqual(['dra']);
    expect(reasonFor(plan, 'dra')).toMatchObject({ code: 'DynamicResources' });
    expect(placeOf(plan)).toBe('default-1');
  });
});
