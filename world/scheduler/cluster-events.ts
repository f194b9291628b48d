/** What happens in a cluster that may let a pod fit that did not, by the plugin that refused it (EnqueueExtensions). */
import type { ObjectEvent } from '../cluster/cluster-api.js';
import type { Condition, Node, Pod } from '../cluster/objects.js';

export type ClusterEvent =
  | 'NodeAdded'
  | 'NodeLabels'
  | 'NodeTaints'
  | 'NodeAllocatable'
  | 'NodeAnnotations'
  | 'NodeConditions'
  | 'NodeRemoved'
  | 'PodAssigned'
  | 'PodLabels'
  | 'PodRemoved'
  /** Of a pending pod, to a node: room on it is no longer kept for that pod. */
  | 'NominationGone'
  | 'Storage'
  | 'Devices'
  | 'Namespace'
  /** The pod itself: what it asks for, or nothing but its status and annotations, which only an extender may look at. */
  | 'Own'
  | 'OwnOutward';

const NODE_SHAPE: readonly ClusterEvent[] = ['NodeAdded', 'NodeLabels', 'NodeTaints'];
const TOPOLOGY: readonly ClusterEvent[] = [
  ...NODE_SHAPE,
  'PodAssigned',
  'PodLabels',
  'PodRemoved',
  'NodeRemoved',
];
const VOLUMES: readonly ClusterEvent[] = ['NodeAdded', 'NodeLabels', 'Storage', 'PodRemoved'];

const WAKES: ReadonlyMap<string, ReadonlySet<ClusterEvent>> = new Map<string, ReadonlySet<ClusterEvent>>(
  Object.entries({
    NodeUnschedulable: NODE_SHAPE,
    NodeName: ['NodeAdded'],
    TaintToleration: NODE_SHAPE,
    NodeAffinity: NODE_SHAPE,
    NodePorts: ['NodeAdded', 'PodRemoved'],
    NodeResourcesFit: ['NodeAdded', 'NodeAllocatable', 'PodRemoved', 'NominationGone'],
    VolumeRestrictions: VOLUMES,
    NodeVolumeLimits: VOLUMES,
    VolumeBinding: VOLUMES,
    VolumeZone: VOLUMES,
    DynamicResources: ['NodeAdded', 'NodeLabels', 'Devices', 'PodRemoved'],
    PodTopologySpread: TOPOLOGY,
    InterPodAffinity: [...TOPOLOGY, 'Namespace'],
  } as Readonly<Record<string, readonly ClusterEvent[]>>).map(([plugin, events]) => [
    plugin,
    new Set(events),
  ]),
);

/** Extenders say nothing about what would change their mind: whatever happens wakes their pods (kubernetes#122019). */
export function wakes(plugins: Iterable<string>, event: ClusterEvent): boolean {
  if (event === 'Own') return true;
  for (const plugin of plugins)
    if (plugin === 'Extender' || WAKES.get(plugin)?.has(event) === true) return true;
  return false;
}

/** A heartbeat is nothing. */
export function nodeEvents({ type, object, before }: ObjectEvent): readonly ClusterEvent[] {
  if (type === 'ADDED') return ['NodeAdded'];
  if (type === 'DELETED') return ['NodeRemoved'];
  const now = facets(object);
  const then = facets(before);
  return FACETS.filter((_, index) => now[index] !== then[index]);
}

const FACETS = ['NodeLabels', 'NodeTaints', 'NodeAllocatable', 'NodeAnnotations', 'NodeConditions'] as const;

function facets(node: Node | undefined): readonly string[] {
  const { metadata, spec, status } = node ?? {};
  return [
    metadata?.labels,
    [spec?.taints, spec?.unschedulable],
    status?.allocatable,
    metadata?.annotations,
    status?.conditions?.map(withoutHeartbeat),
  ].map((part) => JSON.stringify(part ?? null));
}

function withoutHeartbeat({ type, status, reason, message }: Condition): readonly unknown[] {
  return [type, status, reason, message];
}

/** What a pod on a node, or the end of one, means to others. */
export function assignedPodEvents({ type, object, before }: ObjectEvent): readonly ClusterEvent[] {
  const pod = object as Pod;
  const isDone = hasEnded(pod);
  const wasOn = before !== undefined && isOnNode(before as Pod) && !hasEnded(before as Pod);
  if (type === 'DELETED' || isDone) return wasOn || type === 'DELETED' ? ['PodRemoved'] : [];
  if (!wasOn) return ['PodAssigned'];
  const labels = JSON.stringify(pod.metadata.labels) !== JSON.stringify(before.metadata.labels);
  const leaves = pod.metadata.deletionTimestamp !== before.metadata.deletionTimestamp;
  return labels || leaves ? ['PodLabels'] : [];
}

export function isOnNode({ spec: { nodeName = '' } }: Pod): boolean {
  return nodeName !== '';
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
