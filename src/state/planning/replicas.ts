/** The NodeClaims of a static NodePool, as far as scaling it goes by. */
import { isTrue } from '../../domain/values/condition.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import {
  evictionWeight,
  isMovable,
  podProtectedUntil,
  protectedUntil,
} from '../../domain/pods/movable-pods.js';
import { PodWindows } from '../../domain/pods/disruption-windows.js';
import { reservationName, type ReservationTarget } from '../../domain/records/reservation.js';
import { isChangingHands } from '../../domain/nodes/handover.js';
import type { Replica, ReplicaStage } from '../../planning/replicas/scale-pool.js';
import type { Cluster } from '../cluster/cluster.js';
import { DO_NOT_DISRUPT_ANNOTATION, isOutsideWindows, wishOf } from './disruption-input.js';

/** `now` in milliseconds since 1970. */
export function replicasOf(cluster: Cluster, nodePool: string, now: number): readonly Replica[] {
  const windows = new PodWindows(now);
  return [...cluster.nodeClaims.values()]
    .filter(({ spec }) => spec.nodePool === nodePool)
    .map((claim) => replicaOf(cluster, claim, { now, windows }));
}

function replicaOf(
  cluster: Cluster,
  claim: NodeClaim,
  { now, windows }: { readonly now: number; readonly windows: PodWindows },
): Replica {
  const node = cluster.nodeOfClaim(claim.name);
  const pods = node === undefined ? [] : cluster.podsOn(node.name);
  const wish = wishOf(claim, node, DO_NOT_DISRUPT_ANNOTATION);
  const isKept =
    protectedUntil(wish, claim.createdAt, now) !== undefined ||
    pods.some((pod) => podProtectedUntil(pod, now) !== undefined || isOutsideWindows(cluster, pod, windows));
  return {
    name: claim.name,
    fate: fateOf(claim, node),
    stage: stageOf(cluster, claim, { node, pods }),
    // A node that changes hands is not deleted before it has.
    isProtected: isKept || isChangingHands(claim),
    hasDrifted: isTrue(claim.status.conditions, 'Drifted'),
    evictions: pods.filter(isMovable).reduce((sum, pod) => sum + evictionWeight(pod), 0),
    createdAt: claim.createdAt,
  };
}

function fateOf({ deletionTimestamp, status }: NodeClaim, node: ObservedNode | undefined): Replica['fate'] {
  if (deletionTimestamp !== undefined || node?.deletionTimestamp !== undefined) return 'Going';
  return status.disruption === undefined ? 'Staying' : 'Replaced';
}

/** Pods that are planned on it use it, too. */
function stageOf(
  cluster: Cluster,
  { name, status }: NodeClaim,
  { node, pods }: { readonly node: ObservedNode | undefined; readonly pods: readonly ObservedPod[] },
): ReplicaStage {
  const targets: readonly ReservationTarget[] = [
    { kind: 'NodeClaim', name },
    ...(node === undefined ? [] : [{ kind: 'Node' as const, name: node.name }]),
  ];
  const isPlanned = targets.some((target) => cluster.reservations.get(reservationName(target)) !== undefined);
  if (isPlanned || pods.some(isMovable)) return 'InUse';
  if (status.providerID === undefined) return 'Requested';
  return node !== undefined && isTrue(status.conditions, 'Initialized') ? 'Empty' : 'Launched';
}
