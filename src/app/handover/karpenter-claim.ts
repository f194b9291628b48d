/** Karpenter's NodeClaim of a node that is given back: as it was before the adoption, or as Karpenter would have made it. */
import { formatSeconds } from '../../apis/kubernetes/object/time.js';
import { KARPENTER_FINALIZER } from '../../domain/nodes/handover.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, OS, ZONE } from '../../domain/values/labels.js';
import { adoptedOf, type Adopted, type HandoverNode } from './handover-node.js';
import type { KubeObject } from './kube-objects.js';

/** Labels of nodes that are none of its NodeClaim. */
const OF_NODES_ONLY: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'karpenter.sh/registered',
  'karpenter.sh/initialized',
]);
/** By them Karpenter sees that a template has changed. */
const HASHES = ['karpenter.sh/nodepool-hash', 'karpenter.sh/nodepool-hash-version'];
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const REACHED = ['Launched', 'Registered', 'Initialized', 'Ready'];

/** The object to create; its status comes apart. */
export function karpenterClaim(it: HandoverNode, pool: KubeObject): JsonObject {
  const before = adoptedOf(it.ours)?.nodeClaim;
  const { name, uid } = pool.metadata;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: it.name,
      labels: before?.labels ?? labelsOf(it),
      annotations: before?.annotations ?? annotationsOf(it, pool),
      finalizers: [KARPENTER_FINALIZER],
      ownerReferences: [
        { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true },
      ],
    },
    spec: before?.spec ?? specOf(it),
  };
}

/** With the instance and the node, so that Karpenter launches nothing for it. */
export function karpenterStatus(it: HandoverNode, now: number): JsonObject {
  const { ours, node, providerID } = it;
  const before: Partial<NonNullable<Adopted['nodeClaim']>['status']> =
    adoptedOf(ours)?.nodeClaim?.status ?? {};
  const lastTransitionTime = formatSeconds(now);
  return {
    providerID,
    nodeName: node?.metadata.name,
    imageID: ours?.status?.['imageID'] ?? before['imageID'],
    capacity: node?.status?.['capacity'],
    allocatable: node?.status?.['allocatable'],
    conditions: REACHED.map((type) => ({
      ...{ type, status: 'True', reason: type, message: '', observedGeneration: 1, lastTransitionTime },
    })),
  };
}

function labelsOf({ node, nodePool }: HandoverNode): JsonObject {
  const own = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => !OF_NODES_ONLY.has(key));
  return { ...Object.fromEntries(own), [NODEPOOL]: nodePool };
}

function annotationsOf({ ours }: HandoverNode, pool: KubeObject): JsonObject {
  const wish = ours?.metadata.annotations?.[DO_NOT_DISRUPT];
  const hashes = HASHES.flatMap((key) => {
    const value = pool.metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(hashes), ...(wish !== undefined && { [DO_NOT_DISRUPT]: wish }) };
}

/** What it asks for is what it got. */
function specOf({ ours, node, nodePool }: HandoverNode): JsonObject {
  const { labels = {} } = node?.metadata ?? {};
  const spec = ours?.spec ?? {};
  const known: readonly (readonly [string, string | undefined])[] = [
    [NODEPOOL, nodePool],
    ...[INSTANCE_TYPE, ZONE, CAPACITY_TYPE, ARCH, OS].map((key) => [key, labels[key]] as const),
  ];
  return {
    nodeClassRef: spec['nodeClassRef'],
    requirements: known.flatMap(([key, value]) =>
      value === undefined ? [] : [{ key, operator: 'In', values: [value] }],
    ),
    taints: spec['taints'],
    startupTaints: spec['startupTaints'],
    resources: spec['resources'],
    expireAfter: spec['expireAfter'],
    terminationGracePeriod: spec['terminationGracePeriod'],
  };
}
