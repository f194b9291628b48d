/** Pods of deleted nodes that are planned while they still run. */
import type { PodDisruptionBudget } from '../../../src/domain/pods/pod-disruption-budget.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { MOVED } from '../../../src/domain/records/reservation.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { isOnDeletedNode, leavingDemand } from '../../../src/state/planning/leaving-demand.js';
import { nodeClaim, type NodeClaimOverrides } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';

const WEB = { kind: 'ReplicaSet', name: 'web' };
const NOW = Date.UTC(2026, 0, 1);
const DISRUPTED = {
  key: 'karpenter.sh/disrupted',
  operator: 'Exists',
  value: '',
  effect: undefined,
} as const;

function running(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return observedPod({ name, uid: name, nodeName: 'node-1', owner: WEB, ...overrides });
}

/** A cluster with node-1, which its claim was deleted with, node-2, and a ReplicaSet of this size. */
function clusterWith(
  pods: readonly ObservedPod[],
  { claim = {}, replicas = pods.length }: { claim?: NodeClaimOverrides; replicas?: number } = {},
): Cluster {
  const cluster = new Cluster();
  const deleted = { deletionTimestamp: NOW, ...claim };
  cluster.put(
    'NodeClaim',
    nodeClaim({ name: 'c1', ...deleted, status: { providerID: 'i-1', ...claim.status } }),
  );
  cluster.put('NodeClaim', nodeClaim({ name: 'c2', status: { providerID: 'i-2' } }));
  cluster.put('Node', observedNode({ name: 'node-1', providerID: 'i-1' }));
  cluster.put('Node', observedNode({ name: 'node-2', providerID: 'i-2' }));
  for (const pod of pods) cluster.put('Pod', pod);
  const workload = { ...WEB, kind: 'ReplicaSet' as const, namespace: 'default' };
  cluster.put('Workload', { ...workload, wantedPods: replicas, createdPods: replicas });
  return cluster;
}

function names(cluster: Cluster): string[] {
  return leavingDemand(cluster, NOW).map(({ name }) => name);
}

test('the pods of a node whose claim is being deleted are demand, and those of others are not', () => {
  const cluster = clusterWith([running('a'), running('b', { nodeName: 'node-2' })]);
  expect(names(cluster)).toEqual(['a']);
  expect(isOnDeletedNode(cluster, running('a'))).toBe(true);
  expect(isOnDeletedNode(cluster, running('b', { nodeName: 'node-2' }))).toBe(false);
});

test('so are those of a node that is being deleted itself', () => {
  const cluster = clusterWith([running('a')], { claim: { deletionTimestamp: undefined } });
  expect(names(cluster)).toEqual([]);
  cluster.put(
    'Node',
    observedNode({ name: 'node-1', providerID: 'i-1', deletionTimestamp: NOW, resourceVersion: '2' }),
  );
  expect(names(cluster)).toEqual(['a']);
});

test('of a deletion that is written to the status of the claim, too', () => {
  const status = { disruption: { reason: 'Deleted', decidedAt: NOW } };
  expect(names(clusterWith([running('a')], { claim: { status } }))).toEqual(['a']);
});

test('a cordoned node is not one that goes', () => {
  const cluster = clusterWith([running('a')], { claim: { deletionTimestamp: undefined } });
  cluster.put(
    'Node',
    observedNode({ name: 'node-1', providerID: 'i-1', unschedulable: true, resourceVersion: '2' }),
  );
  expect(names(cluster)).toEqual([]);
});

test.each<[string, NodeClaimOverrides]>([
  ['whose disruption was decided', { status: { disruption: { reason: 'Expired', decidedAt: NOW } } }],
  ['that changes hands', { annotations: new Map([['berth.sh/handover', 'releasing']]) }],
  ['of a static pool', { annotations: new Map([['berth.sh/static', 'true']]) }],
])('the pods of a node %s are planned otherwise', (_, claim) => {
  expect(names(clusterWith([running('a')], { claim }))).toEqual([]);
});

test.each<[string, ObservedPodOverrides]>([
  ['of a DaemonSet', { owner: { kind: 'DaemonSet', name: 'agent' } }],
  ['without an owner', { owner: undefined }],
  ['that mirrors a static pod', { mirror: true }],
  ['that has succeeded', { phase: 'Succeeded' }],
  ['that is terminating', { terminating: true }],
  ['that tolerates the taint of the drain', { tolerations: [DISRUPTED] }],
  ['that is not to be disrupted', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
  ['of another scheduler', { schedulerName: 'mine' }],
  ['whose owner is gone', { owner: { kind: 'ReplicaSet', name: 'gone' } }],
])('nothing is planned for a pod %s', (_, overrides) => {
  expect(names(clusterWith([running('a', overrides)], { replicas: 1 }))).toEqual([]);
});

test('pods of owners that Berth does not count are expected to come again', () => {
  expect(names(clusterWith([running('a', { owner: { kind: 'CloneSet', name: 'web' } })]))).toEqual(['a']);
});

test('a pod behind a budget that never allows an eviction is left out, one behind a budget that allows none now is not', () => {
  const budget = (allowed: number): PodDisruptionBudget => ({
    namespace: 'default',
    name: 'web',
    selector: { requirements: new Map() },
    minAvailable: undefined,
    maxUnavailable: { unit: 'pods', amount: allowed },
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, isCurrent: true },
  });
  const cluster = clusterWith([running('a')]);
  cluster.put('PodDisruptionBudget', budget(0));
  expect(names(cluster)).toEqual([]);
  cluster.put('PodDisruptionBudget', budget(1));
  expect(names(cluster)).toEqual(['a']);
});

test('of an owner that is scaled down only so many pods are planned as it will create again', () => {
  const pods = [running('a'), running('b'), running('c'), running('d', { nodeName: 'node-2' })];
  expect(names(clusterWith(pods, { replicas: 3 }))).toEqual(['a', 'b']);
  expect(names(clusterWith(pods, { replicas: 1 }))).toEqual([]);
  expect(names(clusterWith(pods, { replicas: 0 }))).toEqual([]);
});

/** Room on node-2 for so many moved pods of the ReplicaSet. */
function held(count: number): ReturnType<typeof reservation> {
  return reservation({
    target: { kind: 'Node', name: 'node-2' },
    entries: [
      reservationEntry({
        podUID: undefined,
        owner: { ...WEB, namespace: 'default', templateHash: '' },
        count,
        reason: MOVED,
      }),
    ],
  });
}

test('room that is held for the owner counts, as far as none of its pods is to take it', () => {
  const cluster = clusterWith([running('a'), running('b'), running('c')], { replicas: 3 });
  cluster.put('Reservation', held(2));
  expect(names(cluster)).toHaveLength(1);
  // One was evicted, and the pod in its place takes one of the two.
  cluster.put('Pod', running('a', { terminating: true, resourceVersion: '2' }));
  cluster.put('Pod', observedPod({ name: 'a2', uid: 'a2', owner: WEB }));
  expect(names(cluster)).toHaveLength(1);
});

test('room of pods that a drift moves from another node does not count', () => {
  const cluster = clusterWith([running('a'), running('b', { nodeName: 'node-3' })], { replicas: 2 });
  const disruption = { reason: 'Drifted', decidedAt: NOW };
  const drifted = { providerID: 'i-3', disruption };
  cluster.put('NodeClaim', nodeClaim({ name: 'c3', deletionTimestamp: NOW, status: drifted }));
  cluster.put('Node', observedNode({ name: 'node-3', providerID: 'i-3' }));
  cluster.put('Reservation', held(1));
  expect(names(cluster)).toEqual(['a']);
});

describe('of a node that the cloud takes back', () => {
  const INTERRUPTED: NodeClaimOverrides = {
    status: { disruption: { reason: 'Interrupted', decidedAt: NOW } },
  };

  test('those pods are planned that its disruption found no room for', () => {
    const cluster = clusterWith([running('a'), running('b'), running('c')], { claim: INTERRUPTED });
    expect(names(cluster)).toHaveLength(3);
    expect(isOnDeletedNode(cluster, running('a'))).toBe(true);
    cluster.put('Reservation', held(2));
    expect(names(cluster)).toHaveLength(1);
    cluster.put('Reservation', { ...held(3), resourceVersion: '2' });
    expect(names(cluster)).toEqual([]);
  });

  test('none is planned whose owner is scaled down to what room is held for', () => {
    const pods = [running('a'), running('b'), running('c')];
    const cluster = clusterWith(pods, { claim: INTERRUPTED, replicas: 2 });
    cluster.put('Reservation', held(2));
    expect(names(cluster)).toEqual([]);
  });

  test('room that is held for them is no room for the pods of a deleted node', () => {
    const pods = [running('a'), running('b', { nodeName: 'node-3' })];
    const cluster = clusterWith(pods, { claim: INTERRUPTED });
    cluster.put('Node', observedNode({ name: 'node-3', providerID: 'i-3' }));
    const deleted = { name: 'c3', deletionTimestamp: NOW, status: { providerID: 'i-3' } };
    cluster.put('NodeClaim', nodeClaim(deleted));
    cluster.put('Reservation', held(1));
    expect(names(cluster)).toHaveLength(1);
  });

  test('none is planned before the node goes: its disruption looks for room until then', () => {
    const claim = { ...INTERRUPTED, deletionTimestamp: undefined };
    expect(names(clusterWith([running('a')], { claim }))).toEqual([]);
  });
});
