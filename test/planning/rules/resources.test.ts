/** Room: what pods request against what types have allocatable, resource by resource. */
import { instanceType } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

/** A pool that has the builder's m5.large only: 1920m CPU, 7792Mi, 29 pods. */
const m5 = [poolOffer({}, [instanceType()])];

describe('plan, by resources', () => {
  test('gives a small pod the cheapest type there is', () => {
    const plan = planFor({ pods: [pod()] });
    expect(firstTypes(plan)).toEqual(['c7g.large']);
    expect(plan.cost.hourly).toBeCloseTo(0.4 * 0.0726, 12);
    expect(placeOf(plan)).toBe('default-1');
  });

  test.each([
    ['three pods that fill the CPU to the last millicore share one node', '640m', '1Gi', [3]],
    ['one millicore more and the third pod gets a node of its own', '641m', '1Gi', [2, 1]],
    ['two pods that fill the memory to the last MiB share one node', '100m', '3896Mi', [2, 1]],
    ['one MiB more and every pod has its own', '100m', '3897Mi', [1, 1, 1]],
  ])('%s', (_, cpu, memory, sizes) => {
    const plan = planFor({ pods: replicas(3, { requests: { cpu, memory } }), pools: m5 });
    expect(claimSizes(plan)).toEqual(sizes);
  });

  test('puts no more pods on a node than it may run', () => {
    const pods = replicas(30, { requests: { cpu: '1m', memory: '1Mi' } });
    expect(claimSizes(planFor({ pods, pools: m5 }))).toEqual([29, 1]);
  });

  test('fills what a large pod leaves free with small ones', () => {
    const pods = [
      pod({ name: 'large', requests: { cpu: '1500m', memory: '1Gi' } }),
      pod({ name: 'small', requests: { cpu: '420m', memory: '6768Mi' } }),
    ];
    const plan = planFor({ pods, pools: m5 });
    expect(plan.claims.map(({ pods: inside }) => inside)).toEqual([['default/large', 'default/small']]);
  });

  test('takes the type whose shape suits the pods: memory for one, CPU for the other', () => {
    const onDemand = (requests: Record<string, string>): readonly (string | undefined)[] =>
      firstTypes(planFor({ pods: [pod({ requests })] }));
    expect(onDemand({ cpu: '1900m', memory: '3Gi' })).toEqual(['c7g.large']);
    expect(onDemand({ cpu: '1900m', memory: '7Gi' })).toEqual(['m7g.large']);
    expect(onDemand({ cpu: '1900m', memory: '15Gi' })).toEqual(['r6i.large']);
  });

  test('launches a GPU type for a pod that asks for a GPU and lists nothing without one', () => {
    const plan = planFor({ pods: [pod({ requests: { 'nvidia.com/gpu': '1' } })] });
    expect(plan.claims[0]?.instanceTypes).toEqual(['g5.xlarge', 'g5.12xlarge']);
  });

  test('buys four GPUs one by one where that is cheaper than the type with four', () => {
    const plan = planFor({ pods: replicas(4, { requests: { 'nvidia.com/gpu': '1' } }) });
    expect(firstTypes(plan)).toEqual(['g5.xlarge', 'g5.xlarge', 'g5.xlarge', 'g5.xlarge']);
    expect(plan.cost.hourly).toBeCloseTo(4 * 0.4 * 1.006, 12);
  });

  test('takes the type with four GPUs for a pod that needs two', () => {
    const plan = planFor({ pods: [pod({ requests: { 'nvidia.com/gpu': '2' } })] });
    expect(plan.claims[0]?.instanceTypes).toEqual(['g5.12xlarge']);
  });

  test('lets a plain pod share a GPU node that is there anyway', () => {
    const pods = [pod({ name: 'train', requests: { 'nvidia.com/gpu': '1' } }), pod({ name: 'web' })];
    expect(claimSizes(planFor({ pods }))).toEqual([2]);
  });

  test('counts an extended resource that only one type has', () => {
    const types = [
      instanceType(),
      instanceType({ name: 'f1.2xlarge', vcpu: 8, price: 1.65, resources: { 'example.com/fpga': '2' } }),
    ];
    const pods = replicas(3, { requests: { 'example.com/fpga': '1' } });
    const plan = planFor({ pods, pools: [poolOffer({}, types)] });
    expect(firstTypes(plan)).toEqual(['f1.2xlarge', 'f1.2xlarge']);
    expect(claimSizes(plan)).toEqual([2, 1]);
  });

  test('asks nothing of a resource that a pod requests none of', () => {
    const plan = planFor({ pods: [pod({ requests: { 'example.com/fpga': '0' } })] });
    expect(firstTypes(plan)).toEqual(['c7g.large']);
  });

  test('counts ephemeral storage', () => {
    const pods = replicas(2, { requests: { 'ephemeral-storage': '9Gi' } });
    expect(claimSizes(planFor({ pods, pools: m5 }))).toEqual([1, 1]);
  });

  test('leaves out what no type can hold and places the rest', () => {
    const pods = [pod({ name: 'huge', requests: { cpu: '1921m' } }), pod({ name: 'fits' })];
    const plan = planFor({ pods, pools: m5 });
    expect(leftOut(plan)).toEqual(['huge']);
    expect(placeOf(plan, 'fits')).toBe('default-1');
    expect(reasonFor(plan, 'huge')).toMatchObject({
      code: 'InsufficientResource',
      resource: 'cpu',
      needed: 1921,
      largest: 1920,
      largestType: 'm5.large',
    });
  });

  test('says what the pods and DaemonSets of a claim request and what its first type has for them', () => {
    const [claim] = planFor({
      pods: replicas(2, { requests: { cpu: '500m', memory: '1Gi' } }),
      pools: m5,
    }).claims;
    const GiB = 2 ** 30;
    expect(claim?.requests).toEqual(
      new Map([
        ['cpu', 1000],
        ['memory', 2 * GiB],
        ['pods', 2],
      ]),
    );
    expect(claim?.allocatable.get('cpu')).toBe(1920);
    expect(claim?.allocatable.get('memory')).toBe(7792 * 2 ** 20);
    expect(claim?.allocatable.get('pods')).toBe(29);
  });
});
