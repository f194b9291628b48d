/** Pods and nodes as watches tell them, field by field, since V8 keeps an object that was copied and added to in another way. */
import type { ObservedNode } from '../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../src/domain/pods/observed-pod.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';

export interface ObservedInput extends ClusterInput {
  readonly pods: readonly ObservedPod[];
  readonly nodes: readonly ObservedNode[];
}

const SINCE = Date.UTC(2026, 0, 1);

/** What is known of the cluster and what is planned with are the same objects, as in a controller. */
export function observed(input: ClusterInput): ObservedInput {
  return { ...input, pods: input.pods.map(observedPod), nodes: input.nodes.map(observedNode) };
}

function observedPod(pod: ClusterInput['pods'][number]): ObservedPod {
  return {
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid,
    spec: pod.spec,
    owner: pod.owner,
    nodeName: pod.nodeName,
    phase: pod.phase,
    awaitsPlace: false,
    pinnedTo: undefined,
    schedulingGated: pod.schedulingGated,
    mirror: pod.mirror,
    terminating: pod.terminating,
    annotations: pod.annotations,
    isAnnotated: pod.annotations.size > 0,
    gang: pod.gang,
    resourceVersion: '1',
    createdAt: SINCE,
    startedAt: SINCE,
    deletionTimestamp: undefined,
    scheduled: undefined,
    resizeDeferred: false,
    nominatedNodeName: undefined,
    toleratedHolds: [],
    ready: true,
    restarts: 0,
    terminationGracePeriodSeconds: 30,
    priorityClassName: undefined,
    templateHash: '',
  };
}

function observedNode(node: ClusterInput['nodes'][number]): ObservedNode {
  return {
    name: node.name,
    labels: node.labels,
    taints: node.taints,
    unschedulable: node.unschedulable,
    allocatable: node.allocatable,
    capacity: node.capacity,
    providerID: node.providerID,
    volumeLimits: node.volumeLimits,
    declaredFeatures: node.declaredFeatures,
    uid: `uid-${node.name}`,
    resourceVersion: '1',
    createdAt: SINCE,
    deletionTimestamp: undefined,
    finalizers: [],
    annotations: new Map(),
    ready: true,
    readySince: SINCE,
    bootID: '',
    conditions: [],
  };
}
