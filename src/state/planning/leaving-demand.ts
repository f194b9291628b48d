/**
 * Pods that will have to move, mostly because a node was deleted without a plan for its pods: by a person, or because its instance is
 * gone. They are planned while they still run, like Karpenter's reschedulable pods of nodes that are being deleted. Nodes whose
 * disruption Berth has decided are none of these: the disruption itself has room for their pods held. Only where the cloud takes a node
 * back, which waits for nothing, are those of its pods planned that no room is held for. Nor are cordoned nodes, as in Karpenter: a
 * cordon alone moves no pod, and those of a drain are planned as they are evicted.
 */
import { STATIC_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { isChangingHands, isKarpenters } from '../../domain/nodes/handover.js';
import { isMovable, podProtectedUntil, toleratesDisruption } from '../../domain/pods/movable-pods.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodDisruptionBudget } from '../../domain/pods/pod-disruption-budget.js';
import { isFinished, type Pod } from '../../domain/pods/pod.js';
import { append } from '../../domain/values/lists.js';
import { selects } from '../../domain/values/label-selector.js';
import { methodOf } from '../../planning/disrupt/methods.js';
import type { Cluster } from '../cluster/cluster.js';
import { podGangOf } from '../cluster/gangs.js';
import { ownerKeyOf } from '../cluster/owner-key.js';
import { missingRoom, spareRoom, takenEntries } from '../ledger/owner-room.js';
import { resizeMoves } from './resize-moves.js';

/** Owners whose number of pods is known while they exist. */
const COUNTED_OWNERS: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet', 'Job']);

/**
 * Pods on deleted nodes, and pods that move for their resize, in whose place others will come, without those for which room is held for their owner already.
 * @param now milliseconds since 1970.
 */
export function leavingDemand(cluster: Cluster, now: number): readonly ObservedPod[] {
  const byOwner = new Map<string, ObservedPod[]>();
  const forbidding = [...cluster.podDisruptionBudgets.values()].filter(neverAllows);
  for (const pod of [...podsOnDeletedNodes(cluster, now), ...resizeMoves(cluster, now)]) {
    const owner = ownerKeyOf(pod);
    if (owner === undefined || isCovered(forbidding, pod)) continue;
    append(byOwner, owner, pod);
  }
  return [...byOwner].flatMap(([owner, pods]) => pods.slice(0, wanting(cluster, owner, pods)));
}

function podsOnDeletedNodes(cluster: Cluster, now: number): readonly ObservedPod[] {
  const pods: ObservedPod[] = [];
  for (const claim of cluster.nodeClaims.values()) {
    const node = cluster.nodeOfClaim(claim.name);
    if (node === undefined || !isDeleted(claim, node)) continue;
    for (const pod of cluster.podsOn(node.name)) if (isGoing(cluster, pod, now)) pods.push(pod);
  }
  return pods;
}

/** Whether the pod is on a node of which `leavingDemand` takes pods. */
export function isOnDeletedNode(cluster: Cluster, { nodeName }: ObservedPod): boolean {
  if (nodeName === undefined) return false;
  const node = cluster.nodes.get(nodeName);
  const claim = cluster.claimOfNode(nodeName);
  return node !== undefined && claim !== undefined && isDeleted(claim, node);
}

/** The pod that its owner will create in its place, as planning takes it. */
export function successorOf(pod: ObservedPod): Pod {
  return { ...pod, nodeName: undefined, phase: 'Pending', terminating: false, pinnedTo: undefined };
}

/**
 * Where a method of disruption has decided that the node goes, its command held room for the pods before the deletion, unless it could
 * not wait until there was any; other reasons for a deletion have no command. A static pool launches another node by itself. A node
 * that Karpenter takes over keeps its pods though its claim goes.
 */
function isDeleted(claim: NodeClaim, node: ObservedNode): boolean {
  const { deletionTimestamp, annotations, status } = claim;
  if (deletionTimestamp === undefined && node.deletionTimestamp === undefined) return false;
  const isDecided = methodOf(status.disruption?.reason)?.isUrgent === false;
  if (isDecided || annotations.has(STATIC_ANNOTATION)) return false;
  return !isChangingHands(claim) && !isKarpenters(node);
}

/**
 * Whether the drain evicts the pod. One that is not to be disrupted may stay for long, and is planned once it is gone, as in
 * Karpenter; members of gangs are planned with their gang.
 */
function isGoing(cluster: Cluster, pod: ObservedPod, now: number): boolean {
  if (!isMovable(pod) || podGangOf(cluster, pod) !== undefined) return false;
  const { schedulers, leastPriority = -Infinity } = cluster.demandTerms;
  if (!schedulers.includes(pod.spec.schedulerName) || pod.spec.priority < leastPriority) return false;
  if (podProtectedUntil(pod, now) !== undefined) return false;
  return !toleratesDisruption(pod);
}

/** Whether the budget forbids every eviction for good; one that allows none just now will allow one later. */
function neverAllows({ minAvailable, maxUnavailable }: PodDisruptionBudget): boolean {
  return maxUnavailable?.amount === 0 || (minAvailable?.unit === 'percent' && minAvailable.amount >= 100);
}

function isCovered(budgets: readonly PodDisruptionBudget[], { namespace, spec }: ObservedPod): boolean {
  return budgets.some((budget) => budget.namespace === namespace && selects(budget.selector, spec.labels));
}

/** For how many of the owner's pods that leave room has still to be found. */
function wanting(cluster: Cluster, owner: string, leaving: readonly ObservedPod[]): number {
  const taken = takenEntries(cluster, owner).reduce((sum, { pods }) => sum + pods.length, 0);
  const free = Math.max(0, spareRoom(cluster, owner) - taken);
  const coming = Math.min(leaving.length, comingPods(cluster, owner, leaving));
  return Math.max(0, coming - free - roomOfCommands(cluster, owner, leaving));
}

/** For how many of them the commands for which their nodes go hold room. */
function roomOfCommands(cluster: Cluster, owner: string, leaving: readonly ObservedPod[]): number {
  const decided = leaving.filter(({ nodeName = '' }) => {
    const reason = cluster.claimOfNode(nodeName)?.status.disruption?.reason;
    return methodOf(reason) !== undefined;
  });
  return Math.max(0, decided.length - missingRoom(cluster, owner));
}

/** How many pods the owner will create once these are gone: none if it is gone, fewer if it is scaled down. */
function comingPods(cluster: Cluster, owner: string, leaving: readonly ObservedPod[]): number {
  const [first] = leaving;
  if (first?.owner === undefined || !COUNTED_OWNERS.has(first.owner.kind)) return leaving.length;
  const workload = cluster.workloadOf(first);
  if (workload === undefined) return 0;
  const going = new Set(leaving);
  const staying = cluster
    .podsOf(owner)
    .filter((pod) => !pod.terminating && !isFinished(pod) && !going.has(pod));
  return workload.wantedPods - staying.length;
}
