/** Where nodes and their claims are in their lives: not usable yet, usable, on their way out. */
import { TERMINATION_FINALIZER, UNREGISTERED_TAINT, type NodeClaim } from '../domain/node-claim.js';
import type { ObservedNode } from '../domain/observed-node.js';
import type { ReservationTarget } from '../domain/reservation.js';
import type { Taint } from '../domain/taint.js';
import type { Cluster } from './cluster.js';

/**
 * Taints that every new node loses by itself, by key and effect: those of the node life cycle, of an external cloud
 * provider, and Berth's own (Karpenter: known ephemeral taints).
 */
const EPHEMERAL_TAINTS: readonly Pick<Taint, 'key' | 'effect'>[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  UNREGISTERED_TAINT,
];

/** Whether a new node loses the taint by itself, or whoever owns its startup taints takes it away. */
export function isPassing(taint: Taint, startupTaints: readonly Taint[]): boolean {
  return [...EPHEMERAL_TAINTS, ...startupTaints].some(
    ({ key, effect }) => key === taint.key && effect === taint.effect,
  );
}

/** Whether the node can hold pods now: Ready, not cordoned, and without any taint that it is going to lose. */
export function isUsable(node: ObservedNode, claim: NodeClaim | undefined): boolean {
  const startupTaints = claim?.spec.startupTaints ?? [];
  return node.ready && !node.unschedulable && !node.taints.some((taint) => isPassing(taint, startupTaints));
}

/** Whether the claim, or its node, is on its way out. A node whose claim is gone follows it. */
export function isLeaving(claim: NodeClaim | undefined, node: ObservedNode | undefined): boolean {
  if (node?.deletionTimestamp !== undefined) return true;
  if (claim === undefined) return node?.finalizers.includes(TERMINATION_FINALIZER) ?? false;
  return claim.deletionTimestamp !== undefined || claim.status.disruption !== undefined;
}

/** The machine of a reservation's target, as far as there is one. */
export interface TargetState {
  readonly claim: NodeClaim | undefined;
  readonly node: ObservedNode | undefined;
  /** The target is not there any more, or on its way out: nothing can be held on it. */
  readonly isLost: boolean;
  /** Pods that are planned on it can be bound to it now. */
  readonly isUsable: boolean;
}

export function targetState(cluster: Cluster, { kind, name }: ReservationTarget): TargetState {
  const node = kind === 'Node' ? cluster.nodes.get(name) : cluster.nodeOfClaim(name);
  const claim = kind === 'Node' ? cluster.claimOfNode(name) : cluster.nodeClaims.get(name);
  const isThere = (kind === 'Node' ? node : claim) !== undefined;
  const isLost = !isThere || isLeaving(claim, node);
  return { claim, node, isLost, isUsable: !isLost && node !== undefined && isUsable(node, claim) };
}
