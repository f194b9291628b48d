/** Nodes that exist are used before anything is launched, as far as they have room. */
import { ARCH, HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { nodeTerm, oneOf, podTerm } from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, leftOut, placeOf, planFor } from '../read-plan.js';

describe('plan, by existing nodes', () => {
  test('launches nothing while a node has room', () => {
    const plan = planFor({ pods: replicas(3), nodes: [node()] });
    expect(plan.claims).toEqual([]);
    expect(plan.placements.map(({ target }) => target)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'Node', name: 'node' })),
    );
    expect(plan.cost).toEqual({ hourly: 0, lowerBound: 0, existingHourly: 0 });
  });

  test('counts what runs there', () => {
    const running = pod({ name: 'running', nodeName: 'node', requests: { cpu: '1' } });
    const fits = planFor({ pods: [running, pod({ requests: { cpu: '920m' } })], nodes: [node()] });
    const exceeds = planFor({ pods: [running, pod({ requests: { cpu: '921m' } })], nodes: [node()] });
    expect(placeOf(fits)).toBe('node');
    expect(placeOf(exceeds)).toBe('default-1');
  });

  test('does not count pods that are finished', () => {
    const done = pod({ name: 'done', nodeName: 'node', phase: 'Succeeded', requests: { cpu: '1900m' } });
    expect(placeOf(planFor({ pods: [done, pod({ requests: { cpu: '1' } })], nodes: [node()] }))).toBe('node');
  });

  test('still counts pods that are being deleted', () => {
    const leaving = pod({ name: 'leaving', nodeName: 'node', terminating: true, requests: { cpu: '1900m' } });
    const plan = planFor({ pods: [leaving, pod({ requests: { cpu: '1' } })], nodes: [node()] });
    expect(placeOf(plan)).toBe('default-1');
  });

  test('fills the nodes, then launches for the rest', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const plan = planFor({ pods: replicas(7, { requests: { cpu: '640m' } }), nodes });
    expect(plan.placements.filter(({ target }) => target.kind === 'Node')).toHaveLength(6);
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('uses nodes of no pool, and in a cluster without pools', () => {
    expect(placeOf(planFor({ pods: [pod()], nodes: [node()], pools: [] }))).toBe('node');
  });

  test('finds the node with a resource that no type offers', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two', allocatable: { 'example.com/fpga': '1' } })];
    const plan = planFor({ pods: replicas(2, { requests: { 'example.com/fpga': '1' } }), nodes });
    expect(placeOf(plan, 'pod-0')).toBe('two');
    expect(leftOut(plan)).toEqual(['pod-1']);
  });

  test('leaves a node to the pods that nothing else takes', () => {
    const arm = [poolOffer({}, [instanceType({ name: 'm7g.large', arch: 'arm64' })])];
    const flexible = pod({ name: 'flexible', requests: { cpu: '250m', memory: '6Gi' } });
    const bound = pod({
      name: 'bound',
      requests: { cpu: '1500m', memory: '3Gi' },
      nodeSelector: { [ARCH]: 'amd64' },
    });
    const plan = planFor({ pods: [flexible, bound], nodes: [node()], pools: arm });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'bound')).toBe('node');
  });

  test('gives the only node that holds a pod to it, rather than to one that fits another', () => {
    const nodes = [
      node({ name: 'large', allocatable: { cpu: '8', memory: '30Gi', pods: '29' } }),
      node({ name: 'small' }),
    ];
    const small = replicas(2, { name: 'small', requests: { cpu: '800m', memory: '1Gi' } });
    const large = pod({ name: 'large', requests: { cpu: '7', memory: '1Gi' } });
    const plan = planFor({ pods: [...small, large], nodes, pools: [] });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'large')).toBe('large');
  });

  test('gives scarce places on a node to the pods that would cost most elsewhere', () => {
    const nodes = [node({ allocatable: { cpu: '8', memory: '30Gi', pods: '3' } })];
    const large = replicas(2, { name: 'large', requests: { cpu: '2', memory: '6Gi' } });
    const small = replicas(2, { name: 'a-small', requests: { cpu: '100m', memory: '128Mi' } });
    const plan = planFor({ pods: [...large, ...small], nodes });
    expect([placeOf(plan, 'large-0'), placeOf(plan, 'large-1')]).toEqual(['node', 'node']);
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('finds the pods for several nodes that save most together', () => {
    const nodes = [
      node({ name: 'one' }),
      node({ name: 'few', allocatable: { cpu: '8', memory: '29Gi', pods: '3' } }),
    ];
    const dear = replicas(2, { name: 'dear', requests: { cpu: '3500m', memory: '3500Mi' } });
    const cheap = replicas(3, { name: 'cheap', requests: { cpu: '500m', memory: '6Gi' } });
    const plan = planFor({ pods: [...dear, ...cheap], nodes });
    expect([placeOf(plan, 'dear-0'), placeOf(plan, 'dear-1')]).toEqual(['few', 'few']);
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('takes the node that the pod allows', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];
    expect(placeOf(planFor({ pods: [pod({ nodeSelector: { [ZONE]: ZONE_B } })], nodes }))).toBe('b');
  });

  test('puts pods on an overcommitted node only if they ask for nothing it lacks', () => {
    const running = pod({ name: 'running', nodeName: 'node', requests: { cpu: '5', memory: '1Gi' } });
    const pods = [running, pod({ name: 'cpu' }), pod({ name: 'free', requests: { cpu: '0' } })];
    const plan = planFor({ pods, nodes: [node()] });
    expect(placeOf(plan, 'cpu')).toBe('default-1');
    expect(placeOf(plan, 'free')).toBe('node');
  });

  test('gives the room to the pod of higher priority', () => {
    const pods = [
      pod({ name: 'a-low', priority: 1, requests: { cpu: '1500m' } }),
      pod({ name: 'b-high', priority: 1000, requests: { cpu: '1500m' } }),
    ];
    const plan = planFor({ pods, nodes: [node()], pools: [] });
    expect(placeOf(plan, 'b-high')).toBe('node');
    expect(leftOut(plan)).toEqual(['a-low']);
  });

  test('gives the room to a small pod of higher priority before a large one of lower', () => {
    const pods = [
      pod({ name: 'large', priority: 1, requests: { cpu: '1900m' } }),
      pod({ name: 'small', priority: 2, requests: { cpu: '100m' } }),
    ];
    const plan = planFor({ pods, nodes: [node()], pools: [] });
    expect(placeOf(plan, 'small')).toBe('node');
    expect(leftOut(plan)).toEqual(['large']);
  });

  test('gives the room to the pod of higher priority though what it prefers is nowhere', () => {
    const large = { requests: { cpu: '1500m' } };
    const preferred = [{ weight: 1, term: nodeTerm(oneOf(ZONE, ZONE_B)) }];
    const pods = [
      pod({ ...large, name: 'low' }),
      pod({ ...large, name: 'high', priority: 10, nodeAffinity: { preferred } }),
    ];
    const plan = planFor({ pods, nodes: [node({ zone: ZONE_A })], pools: [] });
    expect(placeOf(plan, 'high')).toBe('node');
    expect(leftOut(plan)).toEqual(['low']);
  });

  test('still places a pod of high priority that waits for one of low priority', () => {
    const pods = [
      pod({
        name: 'follower',
        priority: 10,
        podAffinity: { required: [podTerm(HOSTNAME, { app: 'leader' })] },
      }),
      pod({ name: 'leader', labels: { app: 'leader' } }),
      pod({ name: 'huge', priority: 20, requests: { cpu: '64' } }),
    ];
    const plan = planFor({ pods, nodes: [node()], pools: [] });
    expect(leftOut(plan)).toEqual(['huge']);
  });
});
