import { INSTANCE_TYPE, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import {
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
  type NodeClaim,
  type NodeClaimStatus,
} from '../../../src/domain/nodes/node-claim.js';
import { heldTaint } from '../../../src/domain/nodes/held-taint.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { MOVED } from '../../../src/domain/records/reservation.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { planInput, plannedNodeName, plannedTarget } from '../../../src/state/planning/plan-input.js';
import { taint, tolerateKey } from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { volumeClaim } from '../../support/builders/volume.js';

const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const EBS = 'ebs.csi.aws.com';
const TYPES = [
  instanceType({ name: 'm5.large', vcpu: 2, memoryMiB: 8192, volumeLimits: { [EBS]: 25 } }),
  instanceType({ name: 'm6i.large', vcpu: 2, memoryMiB: 7168, labels: { only: 'm6i' } }),
  instanceType({ name: 'm5.4xlarge', vcpu: 16, memoryMiB: 65536 }),
];
const INITIALIZED: NodeClaimStatus['conditions'] = [
  { type: 'Initialized', status: 'True', reason: 'Initialized', message: '', lastTransitionTime: 0 },
];

function inputOf(cluster: Cluster, ...names: readonly string[]): ClusterInput {
  const demand = names.map((name) => unschedulablePod({ name, requests: { cpu: '1' } }));
  for (const pod of demand) cluster.put('Pod', pod);
  return planInput(cluster, { demand, pools: [], typesOf: () => TYPES });
}

function nodeNamed(input: ClusterInput, name: string): Node | undefined {
  return input.nodes.find((node) => node.name === name);
}

/** Where the pods go, when nothing can be launched. */
function placements(input: ClusterInput): readonly string[] {
  const answer = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
  return answer.placements.map(({ pod, target }) => `${pod} ${target.name}`);
}

function withClaim(claim: NodeClaim): Cluster {
  const cluster = new Cluster();
  cluster.put('NodeClaim', claim);
  return cluster;
}

describe('a claim in flight', () => {
  test('is a node named as the claim, as large as the least of its types, counted as the largest', () => {
    const cluster = withClaim(nodeClaim({ labels: new Map([[NODEPOOL, 'general']]) }));
    const input = inputOf(cluster);
    const node = nodeNamed(input, 'general-1');
    expect(node?.allocatable.get('memory')).toBe(TYPES[1]?.allocatable.get('memory'));
    expect(node?.capacity.get('memory')).toBe(TYPES[0]?.capacity.get('memory'));
    expect(node?.labels.get(NODEPOOL)).toBe('general');
    expect(node?.declaredFeatures).toBeUndefined();
    expect(plannedTarget(cluster, 'general-1')).toEqual({ kind: 'NodeClaim', name: 'general-1' });
  });

  test('has the labels that are certain, and no others', () => {
    const requirements = [
      requirement(INSTANCE_TYPE, 'In', ['m5.large', 'm6i.large']),
      requirement(ZONE, 'In', ['us-east-1a']),
      requirement('tier', 'Exists'),
    ];
    const node = nodeNamed(inputOf(withClaim(nodeClaim({ spec: { requirements } }))), 'general-1');
    expect(node?.labels.get(ZONE)).toBe('us-east-1a');
    expect(node?.labels.get('kubernetes.io/arch')).toBe('amd64');
    expect(node?.labels.get('kubernetes.io/hostname')).toBe('general-1');
    for (const key of [INSTANCE_TYPE, 'tier', 'only']) expect(node?.labels.has(key)).toBe(false);
  });

  test('is of its type, in its zone and of its size once it is launched', () => {
    const status = {
      providerID: PROVIDER_ID,
      instanceType: 'm6i.large',
      zone: 'us-east-1c',
      allocatable: amounts({ cpu: '1500m', pods: '10' }),
    };
    const node = nodeNamed(inputOf(withClaim(nodeClaim({ status }))), 'general-1');
    expect(node?.labels.get(INSTANCE_TYPE)).toBe('m6i.large');
    expect(node?.labels.get('only')).toBe('m6i');
    expect(node?.labels.get(ZONE)).toBe('us-east-1c');
    expect(node?.allocatable).toEqual(status.allocatable);
  });

  test('of types that are no longer known has room for its own pods', () => {
    const requirements = [requirement(INSTANCE_TYPE, 'In', ['x9.huge'])];
    const claim = nodeClaim({ spec: { requirements } });
    expect(nodeNamed(inputOf(withClaim(claim)), 'general-1')?.allocatable).toEqual(claim.spec.requests);
  });

  test('is full of the pods it is reserved for, and of the DaemonSet pods to come', () => {
    const cluster = withClaim(nodeClaim());
    cluster.put('Pod', unschedulablePod({ name: 'held', uid: 'uid-1', requests: { cpu: '500m' } }));
    cluster.put('Reservation', reservation());
    expect(placements(inputOf(cluster, 'first'))).toEqual(['default/first general-1']);
    cluster.put('DaemonSet', daemonSet({ requests: { cpu: '500m' } }));
    expect(placements(inputOf(cluster, 'second'))).toEqual([]);
  });

  test('that fails before it has an instance is no node at all', () => {
    expect(inputOf(withClaim(nodeClaim({ deletionTimestamp: 1 }))).nodes).toEqual([]);
  });
});

describe('a node that starts up', () => {
  const claim = nodeClaim({
    labels: new Map([['team', 'a']]),
    spec: { startupTaints: [taint('warming')], taints: [taint('team')] },
    status: { providerID: PROVIDER_ID, allocatable: amounts({ cpu: '2', 'nvidia.com/gpu': '1' }) },
  });
  const starting = observedNode({
    name: 'node-1',
    providerID: PROVIDER_ID,
    taints: [UNREGISTERED_TAINT, taint('node.kubernetes.io/not-ready'), taint('warming'), taint('mine')],
  });

  test('counts as it will be: without the taints it loses, with labels, taints and devices it still lacks', () => {
    const cluster = withClaim(claim);
    cluster.put('Node', starting);
    const input = inputOf(cluster);
    expect(input.nodes).toHaveLength(1);
    const node = nodeNamed(input, 'node-1');
    expect(node?.taints.map(({ key }) => key)).toEqual(['mine', 'team']);
    expect(node?.labels.get('team')).toBe('a');
    expect(node?.allocatable.get('nvidia.com/gpu')).toBe(1);
    expect(node?.allocatable.get('cpu')).toBe(starting.allocatable.get('cpu'));
    expect(plannedTarget(cluster, 'node-1')).toEqual({ kind: 'NodeClaim', name: 'general-1' });
  });

  test('takes pods though it is held for others: they will tolerate that', () => {
    const initialized = { ...claim, status: { ...claim.status, conditions: INITIALIZED } };
    for (const known of [claim, initialized]) {
      const cluster = withClaim(known);
      cluster.put('Node', { ...starting, taints: [heldTaint(claim), taint('team')] });
      expect(nodeNamed(inputOf(cluster), 'node-1')?.taints).toEqual([taint('team')]);
    }
  });

  test('holds the pods that are reserved on its claim', () => {
    const cluster = withClaim(claim);
    cluster.put('Node', starting);
    cluster.put('Pod', unschedulablePod({ uid: 'uid-1' }));
    cluster.put('Reservation', reservation());
    expect(inputOf(cluster).pods.map(({ nodeName }) => nodeName)).toEqual(['node-1']);
  });

  test('counts as it is, and is reserved by its own name, once it is initialised', () => {
    const cluster = withClaim({ ...claim, status: { ...claim.status, conditions: INITIALIZED } });
    const up = { ...starting, taints: [taint('mine')] };
    cluster.put('Node', up);
    const input = inputOf(cluster);
    expect(nodeNamed(input, 'node-1')).toBe(up);
    expect(plannedTarget(cluster, 'node-1')).toEqual({ kind: 'Node', name: 'node-1' });
    cluster.put('Reservation', reservation());
    expect(plannedTarget(cluster, 'node-1')).toEqual({ kind: 'NodeClaim', name: 'general-1' });
  });

  test('attaches as many volumes as its type, until its CSINode says how many', () => {
    const status = { ...claim.status, instanceType: 'm5.large', conditions: INITIALIZED };
    const cluster = withClaim({ ...claim, status });
    cluster.put('PersistentVolumeClaim', volumeClaim());
    const limitsWith = (volumeLimits: Readonly<Record<string, number>>): Node['volumeLimits'] | undefined => {
      cluster.put('Node', observedNode({ name: 'node-1', providerID: PROVIDER_ID, volumeLimits }));
      return nodeNamed(inputOf(cluster), 'node-1')?.volumeLimits;
    };
    expect(limitsWith({})).toEqual(new Map([[EBS, 25]]));
    expect(limitsWith({ [EBS]: 11 })).toEqual(new Map([[EBS, 11]]));
  });
});

describe('what goes away', () => {
  const disruption = { reason: 'Drifted', decidedAt: 1 };
  const up = { providerID: PROVIDER_ID, conditions: INITIALIZED };
  const node = observedNode({ name: 'node-1', providerID: PROVIDER_ID });

  test.each([
    ['a claim that is decided to go', nodeClaim({ status: { ...up, disruption } }), node],
    ['a claim that is being deleted', nodeClaim({ status: up, deletionTimestamp: 1 }), node],
    ['a node that is being deleted', nodeClaim({ status: up }), { ...node, deletionTimestamp: 1 }],
    ['a node of ours without claim', undefined, { ...node, finalizers: [TERMINATION_FINALIZER] }],
  ])('takes no new pods but still counts: %s', (_, claim, leaving) => {
    const cluster = claim === undefined ? new Cluster() : withClaim(claim);
    cluster.put('Node', leaving);
    cluster.put('Pod', unschedulablePod({ name: 'bound', nodeName: 'node-1' }));
    const input = inputOf(cluster, 'wanting');
    expect(nodeNamed(input, 'node-1')?.capacity).toEqual(node.capacity);
    expect(input.pods.map(({ nodeName }) => nodeName)).toEqual(['node-1', undefined]);
    expect(placements(input)).toEqual([]);
  });

  test('the same node takes the pod when nothing is decided', () => {
    const cluster = withClaim(nodeClaim({ status: up }));
    cluster.put('Node', node);
    expect(placements(inputOf(cluster, 'wanting'))).toEqual(['default/wanting node-1']);
  });
});

describe('a node that was up', () => {
  const NOT_READY = taint('node.kubernetes.io/not-ready');

  test.each([
    ['is cordoned', { unschedulable: true }],
    ['is not Ready', { ready: false, taints: [NOT_READY] }],
  ])('and %s takes no pods, whatever they tolerate: none is let go to it', (_, change) => {
    const cluster = withClaim(nodeClaim({ status: { providerID: PROVIDER_ID, conditions: INITIALIZED } }));
    const node = observedNode({ name: 'node-1', providerID: PROVIDER_ID });
    const pod = unschedulablePod({ name: 'wanting', tolerations: [tolerateKey()] });
    cluster.put('Pod', pod);
    const placed = (now: ObservedNode): readonly string[] => {
      cluster.put('Node', now);
      return placements(planInput(cluster, { demand: [pod], pools: [], typesOf: () => TYPES }));
    };
    expect(placed(node)).toEqual(['default/wanting node-1']);
    expect(placed({ ...node, ...change })).toEqual([]);
  });
});

describe('planInput', () => {
  test('room for pods that do not exist yet is taken off its node', () => {
    const cluster = new Cluster();
    const node = observedNode({ name: 'node-1' });
    cluster.put('Node', node);
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: '' };
    const entry = reservationEntry({ owner, count: 3, requests: amounts({ cpu: '200m' }) });
    cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'node-1' }, entries: [entry] }));
    const free = nodeNamed(inputOf(cluster), 'node-1')?.allocatable.get('cpu');
    expect(free).toBe((node.allocatable.get('cpu') ?? 0) - 600);
  });

  test('pods that come in the place of moved ones are where room is held for them, and those are still where they are', () => {
    const cluster = withClaim(
      nodeClaim({ status: { providerID: PROVIDER_ID, disruption: { reason: 'Drifted', decidedAt: 1 } } }),
    );
    cluster.put('Node', observedNode({ name: 'leaving', providerID: PROVIDER_ID }));
    const node = observedNode({ name: 'node-1' });
    cluster.put('Node', node);
    cluster.put('Node', observedNode({ name: 'node-2' }));
    const web = { owner: { kind: 'ReplicaSet', name: 'web' }, labels: { app: 'web' } };
    cluster.put('Pod', observedPod({ name: 'web-1', uid: 'web-1', nodeName: 'leaving', ...web }));
    cluster.put('Pod', observedPod({ name: 'web-2', uid: 'web-2', nodeName: 'node-2', ...web }));
    cluster.put('Pod', observedPod({ name: 'other', uid: 'other', nodeName: 'leaving' }));
    const owner = { ...web.owner, namespace: 'default', templateHash: '' };
    const entry = reservationEntry({ podUID: undefined, owner, count: 2, reason: MOVED });
    cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'node-1' }, entries: [entry] }));
    const input = inputOf(cluster);
    const places = input.pods.map(({ spec, nodeName, move }) => [spec.labels.get('app'), nodeName, move]);
    expect(places).toEqual([
      ['web', 'leaving', 'leaves'],
      ['web', 'node-2', undefined],
      [undefined, 'leaving', undefined],
      ['web', 'node-1', 'comes'],
      ['web', 'node-1', 'comes'],
    ]);
    expect(nodeNamed(input, 'node-1')?.allocatable).toEqual(node.allocatable);
  });

  test('a pod that kube-scheduler nominated counts where it makes room for it', () => {
    const cluster = new Cluster();
    cluster.put('Node', observedNode({ name: 'node-1' }));
    cluster.put(
      'Pod',
      unschedulablePod({ name: 'preempting', nominatedNodeName: 'node-1', requests: { cpu: '1500m' } }),
    );
    expect(placements(inputOf(cluster, 'wanting'))).toEqual([]);
  });

  test('plannedNodeName is the name of the target in the input, and undefined when it is gone', () => {
    const cluster = withClaim(nodeClaim({ status: { providerID: PROVIDER_ID } }));
    const target = { kind: 'NodeClaim', name: 'general-1' } as const;
    expect(plannedNodeName(cluster, target)).toBe('general-1');
    cluster.put('Node', observedNode({ name: 'node-1', providerID: PROVIDER_ID }));
    expect(plannedNodeName(cluster, target)).toBe('node-1');
    expect(plannedNodeName(cluster, { kind: 'NodeClaim', name: 'gone' })).toBeUndefined();
    expect(plannedNodeName(cluster, { kind: 'Node', name: 'gone' })).toBeUndefined();
  });
});
