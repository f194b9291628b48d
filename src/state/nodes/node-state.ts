/** Where nodes and their claims are in their lives: not usable yet, usable, on their way out. */
import { isTrue } from '../../domain/values/condition.js';
import { currentReboot, REBOOTING_TAINT } from '../../domain/nodes/claim-reboot.js';
import { TERMINATION_FINALIZER, UNREGISTERED_TAINT, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ReservationTarget } from '../../domain/records/reservation.js';
import type { ResourceList } from '../../domain/values/resources.js';
import { hasTaint, type Taint } from '../../domain/values/taint.js';
import type { Cluster } from '../cluster/cluster.js';

/**
 * Taints that every node which boots loses by itself, by key and effect: those of the node life cycle, of an external cloud
 * provider, and Berth's own (Karpenter: known ephemeral taints).
 */
const EPHEMERAL_TAINTS: readonly Pick<Taint, 'key' | 'effect'>[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  UNREGISTERED_TAINT,
  REBOOTING_TAINT,
];

/** Whether a new node loses the taint by itself, or the owner of its startup taints removes it. */
export function isPassing(taint: Taint, startupTaints: readonly Taint[]): boolean {
  return hasTaint(EPHEMERAL_TAINTS, taint) || hasTaint(startupTaints, taint);
}

/**
 * Of a Ready node this one keeps no pod away: admission has pods tolerate it for five minutes (DefaultTolerationSeconds), and
 * kube-controller-manager takes it off with its next look at the node, up to five seconds later.
 */
const TOLERATED_TAINT: Pick<Taint, 'key' | 'effect'> = {
  key: 'node.kubernetes.io/not-ready',
  effect: 'NoExecute',
};

/** Whether the node can hold pods now: Ready, not cordoned, and without any taint that it is going to lose and that keeps pods away. */
export function isUsable(node: ObservedNode, claim: NodeClaim | undefined): boolean {
  const startupTaints = claim?.spec.startupTaints ?? [];
  const isClosedBy = (taint: Taint): boolean =>
    isPassing(taint, startupTaints) && !hasTaint([taint], TOLERATED_TAINT);
  return node.ready && !node.unschedulable && !node.taints.some(isClosedBy);
}

/**
 * The first of the resources that the node has none of; undefined when there is some of each. Device plugins report theirs
 * some time after the node is Ready.
 */
export function missingResource({ allocatable }: ObservedNode, requests: ResourceList): string | undefined {
  for (const [resource, amount] of requests)
    if (amount > 0 && (allocatable.get(resource) ?? 0) === 0) return resource;
  return undefined;
}

/** Whether the node of the claim boots, for the first time or again: what it lacks now is to come. */
export function isStarting(claim: NodeClaim): boolean {
  return !isTrue(claim.status.conditions, 'Initialized') || currentReboot(claim) !== undefined;
}

/** Whether the node was up and cannot hold more pods now. */
export function isDown(node: ObservedNode, claim: NodeClaim | undefined): boolean {
  return (claim === undefined || !isStarting(claim)) && !isUsable(node, claim);
}

/** The node controller has not heard of the kubelet for its grace period (50 s by default). */
export const UNREACHABLE: Pick<Taint, 'key' | 'effect'> = {
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
};

/** Whether a node that was up takes no pods until it is mended or opened again: it is cordoned, or its kubelet is silent. */
function isOutOfService(node: ObservedNode, claim: NodeClaim | undefined): boolean {
  return (node.unschedulable || hasTaint(node.taints, UNREACHABLE)) && isDown(node, claim);
}

/** Whether the claim, or its node, is on its way out. A node whose claim is gone follows it. */
export function isLeaving(claim: NodeClaim | undefined, node: ObservedNode | undefined): boolean {
  if (node?.deletionTimestamp !== undefined) return true;
  if (claim === undefined) return node?.finalizers.includes(TERMINATION_FINALIZER) ?? false;
  return claim.deletionTimestamp !== undefined || claim.status.disruption !== undefined;
}

/** The instance of a reservation's target, as far as there is one. */
export interface TargetState {
  readonly claim: NodeClaim | undefined;
  readonly node: ObservedNode | undefined;
  /** The target is not there any more, on its way out or out of service: nothing can be held on it. */
  readonly isLost: boolean;
  /** The node holds pods now; those that need devices have to wait for these as well (`canBind`). */
  readonly isUsable: boolean;
}

/** Why nothing can be held on a target that is there and lost. */
export const WHY_LOST = 'it is going away, cordoned or unreachable';

export function targetState(cluster: Cluster, { kind, name }: ReservationTarget): TargetState {
  const node = kind === 'Node' ? cluster.nodes.get(name) : cluster.nodeOfClaim(name);
  const claim = kind === 'Node' ? cluster.claimOfNode(name) : cluster.nodeClaims.get(name);
  const isThere = (kind === 'Node' ? node : claim) !== undefined;
  const isClosed = node !== undefined && isOutOfService(node, claim);
  const isLost = !isThere || isClosed || isLeaving(claim, node);
  return { claim, node, isLost, isUsable: !isLost && node !== undefined && isUsable(node, claim) };
}

/**
 * Whether a pod with these requests that is planned on the target can be bound to it now. Devices are waited for on a node
 * that starts; if they were removed since, it is unknown whether they return.
 */
export function canBind({ claim, node, isUsable }: TargetState, requests: ResourceList): boolean {
  if (!isUsable || node === undefined) return false;
  const isNew = claim !== undefined && !isTrue(claim.status.conditions, 'Initialized');
  return !isNew || missingResource(node, requests) === undefined;
}

/** Whether the target's node was up and is not Ready now, or closed by a taint that it loses: it may be back in a moment, or not. */
export function isInterrupted({ claim, node, isLost }: TargetState): boolean {
  return node !== undefined && !isLost && isDown(node, claim);
}
