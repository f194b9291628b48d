/** DaemonSets: the room they take on every node to come, and the room kept for their pods on nodes that exist. */
import { ARCH, CAPACITY_TYPE, HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { nodeNameTerm, requiredTerms, taint, tolerateKey } from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { instanceType, ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const m5 = [poolOffer({}, [instanceType()])];
const agent = daemonSet({ requests: { cpu: '120m', memory: '512Mi' } });

describe('plan, by DaemonSets on new nodes', () => {
  test('keeps their room free on every node', () => {
    const pods = replicas(6, { requests: { cpu: '600m', memory: '64Mi' } });
    expect(claimSizes(planFor({ pods, pools: m5, daemonSets: [agent] }))).toEqual([3, 3]);
    const heavier = daemonSet({ requests: { cpu: '121m', memory: '512Mi' } });
    expect(claimSizes(planFor({ pods, pools: m5, daemonSets: [heavier] }))).toEqual([2, 2, 2]);
  });

  test('counts them in the requests of a claim, but not among its pods', () => {
    const [claim] = planFor({ pods: [pod({ requests: { cpu: '1' } })], daemonSets: [agent] }).claims;
    expect(claim?.requests.get('cpu')).toBe(1120);
    expect(claim?.requests.get('pods')).toBe(2);
    expect(claim?.pods).toEqual(['default/pod']);
  });

  test('keeps a pod slot for each', () => {
    const pods = replicas(28, { requests: { cpu: '1m', memory: '1Mi' } });
    expect(claimSizes(planFor({ pods, pools: m5, daemonSets: [agent] }))).toEqual([28]);
    const two = [agent, daemonSet({ name: 'logs' })];
    expect(claimSizes(planFor({ pods, pools: m5, daemonSets: two }))).toEqual([27, 1]);
  });

  test('takes a larger type when a DaemonSet leaves too little of the small one', () => {
    const greedy = daemonSet({ requests: { cpu: '1900m' } });
    const plan = planFor({ pods: [pod()], daemonSets: [greedy] });
    expect(firstTypes(plan)).toEqual(['c7g.xlarge']);
    expect(plan.claims[0]?.instanceTypes.filter((name) => name.endsWith('.large'))).toEqual([]);
  });

  test.each([
    ['does not tolerate the taint of the pool', {}, { taints: [taint('team')] }],
    ['selects another architecture', { nodeSelector: { [ARCH]: 'arm64' } }, {}],
    ['selects a label that the pool has not', { nodeSelector: { agent: 'yes' } }, {}],
    ['is bound to one node by name', { nodeAffinity: requiredTerms(nodeNameTerm('node-7')) }, {}],
    ['selects a host by name', { nodeSelector: { [HOSTNAME]: 'node-7' } }, {}],
  ])('keeps no room for one that %s', (_, spec, pool) => {
    const pods = [pod({ requests: { cpu: '1920m' }, tolerations: [tolerateKey()] })];
    const pools = [poolOffer(pool, [instanceType()])];
    const plan = planFor({ pods, pools, daemonSets: [daemonSet({ ...spec, requests: { cpu: '1' } })] });
    expect(claimSizes(plan)).toEqual([1]);
    expect(plan.claims[0]?.requests.get('cpu')).toBe(1920);
  });

  test('buys on-demand where a DaemonSet of spot nodes alone leaves too little', () => {
    const spotOnly = daemonSet({ nodeSelector: { [CAPACITY_TYPE]: 'spot' } });
    const plan = planFor({ pods: [pod({ requests: { cpu: '1920m' } })], pools: m5, daemonSets: [spotOnly] });
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('avoids the zone where a DaemonSet leaves too little', () => {
    const inA = daemonSet({ nodeSelector: { [ZONE]: ZONE_A } });
    const plan = planFor({ pods: [pod({ requests: { cpu: '1920m' } })], pools: m5, daemonSets: [inA] });
    expect(plan.claims[0]?.zones).toEqual([ZONE_B, ZONE_C]);
  });

  test('keeps room for one that tolerates the taint', () => {
    const tolerant = daemonSet({ tolerations: [tolerateKey('team')], requests: { cpu: '1' } });
    const pools = [poolOffer({ taints: [taint('team')] }, [instanceType()])];
    const pods = [pod({ requests: { cpu: '1' }, tolerations: [tolerateKey()] })];
    expect(reasonFor(planFor({ pods, pools, daemonSets: [tolerant] }))).toMatchObject({
      code: 'InsufficientResource',
      resource: 'cpu',
      needed: 1000,
      largest: 920,
      largestType: 'm5.large',
    });
  });

  test('weighs a DaemonSet of one architecture in the choice between two', () => {
    const arm = daemonSet({ nodeSelector: { [ARCH]: 'arm64' }, requests: { cpu: '1', memory: '1Gi' } });
    const plan = planFor({ pods: [pod({ requests: { cpu: '1' } })], daemonSets: [arm] });
    expect(firstTypes(plan)).toEqual(['c6i.large']);
    expect(plan.claims[0]?.requests.get('cpu')).toBe(1000);
  });
});

describe('plan, by DaemonSets on existing nodes', () => {
  const owner = { kind: 'DaemonSet', name: 'agent' };
  const running = pod({
    name: 'agent-x',
    namespace: 'kube-system',
    owner,
    nodeName: 'node',
    requests: { cpu: '1' },
  });
  const demanding = daemonSet({ requests: { cpu: '1' } });

  test('keeps room for a pod of theirs that is still to come', () => {
    const plan = planFor({
      pods: [pod({ requests: { cpu: '1' } })],
      nodes: [node()],
      daemonSets: [demanding],
    });
    expect(placeOf(plan)).toBe('default-1');
  });

  test('keeps no second room for one that runs already', () => {
    const pods = [running, pod({ requests: { cpu: '920m' } })];
    expect(placeOf(planFor({ pods, nodes: [node()], daemonSets: [demanding] }))).toBe('node');
  });

  test('keeps room on the nodes only where it will run', () => {
    const nodes = [node({ name: 'one', labels: { agent: 'yes' } }), node({ name: 'two' })];
    const some = daemonSet({ nodeSelector: { agent: 'yes' }, requests: { cpu: '1' } });
    const plan = planFor({
      pods: replicas(2, { requests: { cpu: '900m' } }),
      nodes,
      daemonSets: [some],
      pools: [],
    });
    expect([placeOf(plan, 'pod-0'), placeOf(plan, 'pod-1')].sort()).toEqual(['one', 'two']);
    const three = planFor({
      pods: replicas(4, { requests: { cpu: '900m' } }),
      nodes,
      daemonSets: [some],
      pools: [],
    });
    expect(leftOut(three)).toHaveLength(1);
  });

  test('keeps the room of the pod that runs, though its DaemonSet is gone', () => {
    const pods = [running, pod({ requests: { cpu: '921m' } })];
    expect(placeOf(planFor({ pods, nodes: [node()] }))).toBe('default-1');
  });

  test('launches no type that its DaemonSets overfill, even for a pod that asks none of what they lack', () => {
    const pods = [pod({ requests: { cpu: '0' } })];
    const plan = planFor({ pods, daemonSets: [daemonSet({ requests: { cpu: '3' } })] });
    expect(firstTypes(plan)).toEqual(['c7g.xlarge']);
    expect(plan.claims[0]?.instanceTypes).not.toContain('m6i.large');
  });

  test('says which resource DaemonSets overfill on every type', () => {
    const pods = [pod({ requests: { cpu: '0' } })];
    const plan = planFor({ pods, pools: m5, daemonSets: [daemonSet({ requests: { cpu: '3' } })] });
    expect(reasonFor(plan)).toMatchObject({
      code: 'InsufficientResource',
      resource: 'cpu',
      needed: 0,
      largest: -1080,
      largestType: 'm5.large',
    });
  });
});
