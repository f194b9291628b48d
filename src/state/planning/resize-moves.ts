/**
 * Running pods that are to move to another node, since theirs has no room for their in-place resize. Room for what they ask for is
 * planned and held first, as for the pods of deleted nodes.
 */
import { mayMoveForResize } from '../../domain/pods/deferred-resize.js';
import { PodWindows } from '../../domain/pods/disruption-windows.js';
import { podProtectedUntil, protectedUntil } from '../../domain/pods/movable-pods.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import {
  allowedDisruptions,
  disruptionClosed,
  isBudgetActive,
  type DisruptionBudget,
} from '../../domain/policies/budget.js';
import type { Disruption } from '../../domain/policies/node-pool.js';
import { isChangingHands, isKarpenters } from '../../domain/nodes/handover.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { isTrue } from '../../domain/values/condition.js';
import type { Cluster } from '../cluster/cluster.js';
import { podGangOf } from '../cluster/gangs.js';
import { ownerKeyOf } from '../cluster/owner-key.js';
import { isLeaving } from '../nodes/node-state.js';
import { DO_NOT_DISRUPT_ANNOTATION, isOutsideWindows, wishOf } from './disruption-input.js';

/** Those that may be moved now. @param now milliseconds since 1970. */
export function resizeMoves(cluster: Cluster, now: number): readonly ObservedPod[] {
  const windows = new PodWindows(now);
  return cluster.podsAskingToMove().filter((pod) => movesForResize(cluster, pod, now, windows));
}

/**
 * Whether the pod is to be moved now: neither it nor its node asks not to be disrupted now, budgets and freezes of the NodePool let a node of
 * it be disrupted, and no pod of its owner moves for another reason. Pods of other schedulers, and of gangs, are not moved.
 */
export function movesForResize(
  cluster: Cluster,
  pod: ObservedPod,
  now: number,
  windows = new PodWindows(now),
): boolean {
  if (!mayMoveForResize(pod) || podProtectedUntil(pod, now) !== undefined) return false;
  if (isOutsideWindows(cluster, pod, windows)) return false;
  const { schedulers, leastPriority = -Infinity } = cluster.demandTerms;
  if (!schedulers.includes(pod.spec.schedulerName) || pod.spec.priority < leastPriority) return false;
  const owner = ownerKeyOf(pod);
  if (owner === undefined || podGangOf(cluster, pod) !== undefined || isOwnerMoving(cluster, owner))
    return false;
  return mayLeaveNode(cluster, pod.nodeName ?? '', now);
}

/** Whether another pod of it is on a node that goes: the room that is held for the owner is for that one. */
function isOwnerMoving(cluster: Cluster, owner: string): boolean {
  return cluster
    .podsOf(owner)
    .some(
      ({ nodeName }) =>
        nodeName !== undefined && isLeaving(cluster.claimOfNode(nodeName), cluster.nodes.get(nodeName)),
    );
}

function mayLeaveNode(cluster: Cluster, nodeName: string, now: number): boolean {
  const node = cluster.nodes.get(nodeName);
  const claim = cluster.claimOfNode(nodeName);
  if (node === undefined || claim === undefined || isChangingHands(claim) || isKarpenters(node)) return false;
  const wish = wishOf(claim, node, DO_NOT_DISRUPT_ANNOTATION);
  if (protectedUntil(wish, claim.createdAt, now) !== undefined) return false;
  return budgetsAllow(cluster, claim.spec.nodePool, now);
}

/** Budgets and freezes cannot name this reason: those for every reason hold. */
function budgetsAllow(cluster: Cluster, nodePool: string, now: number): boolean {
  const terms = disruptionTerms(cluster);
  const own = terms.get(nodePool);
  if (own === undefined || disruptionClosed(own, undefined, now) !== undefined) return false;
  const isFull = own.loadBudgets.some(
    (budget) => isBudgetActive(budget, undefined, now) && (budget.pods ?? Infinity) < 1,
  );
  if (isFull) return false;
  const ofCluster = [...terms.values()].flatMap(({ clusterBudgets }) => clusterBudgets);
  return (
    allowed(cluster, own.budgets, now, (pool) => pool === nodePool) &&
    allowed(cluster, ofCluster, now, () => true)
  );
}

function disruptionTerms({ policyStatuses }: Cluster): ReadonlyMap<string, Disruption> {
  const terms = new Map<string, Disruption>();
  for (const { policy, lastAccepted } of policyStatuses.values())
    if (lastAccepted?.value?.kind === 'NodePool') terms.set(policy, lastAccepted.value.nodePool.disruption);
  return terms;
}

/** As budgets of nodes do. */
function isCounted({ status: { conditions } }: NodeClaim): boolean {
  return isTrue(conditions, 'Initialized') && !isTrue(conditions, 'InstanceTerminating');
}

/** Whether budgets let one more node of these NodePools be disrupted. A pod counts as its node, and those that move already do. */
function allowed(
  cluster: Cluster,
  budgets: readonly DisruptionBudget[],
  now: number,
  isMeant: (nodePool: string) => boolean,
): boolean {
  if (budgets.length === 0) return true;
  let total = 0;
  let used = 0;
  for (const claim of cluster.nodeClaims.values()) {
    if (!isMeant(claim.spec.nodePool) || !isCounted(claim)) continue;
    total++;
    if (isLeaving(claim, cluster.nodeOfClaim(claim.name))) used++;
  }
  for (const { terminating, nodeName = '' } of cluster.podsAskingToMove())
    if (terminating && isMeant(cluster.claimOfNode(nodeName)?.spec.nodePool ?? '')) used++;
  return allowedDisruptions(budgets, { reason: undefined, now, total, used }) > 0;
}
