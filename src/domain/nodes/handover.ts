/** Nodes that change hands: `berth adopt` takes them over from Karpenter, `berth release` gives them back. */
import type { NodeClaim } from './node-claim.js';
import type { ObservedNode } from './observed-node.js';

/**
 * On a NodeClaim whose node is changing hands: {@link HandoverDirection}. It is there from the moment the claim is created until
 * nothing of the other owner is left, or until the claim goes. Controllers neither launch, disrupt nor terminate for such a claim.
 */
export const HANDOVER_ANNOTATION = 'berth.sh/handover';

/** On an adopted NodeClaim: what the other owner had, as JSON, so that a release gives back the same. */
export const ADOPTED_ANNOTATION = 'berth.sh/adopted';

/**
 * On an adopted NodeClaim: fingerprint of the images, subnets and security groups of its node class when Berth first saw both.
 * As long as these stay, an instance with others has not drifted: Berth did not choose them.
 */
export const ADOPTED_RESOURCES_ANNOTATION = 'berth.sh/adopted-nodeclass-resources';

export const HANDOVER_DIRECTIONS = ['adopting', 'releasing'] as const;
export type HandoverDirection = (typeof HANDOVER_DIRECTIONS)[number];

/** Whether the claim's node is changing hands: Berth's controllers leave the claim, its node and its instance alone. */
export function isChangingHands({ annotations }: Pick<NodeClaim, 'annotations'>): boolean {
  return annotations.has(HANDOVER_ANNOTATION);
}

/** Karpenter's finalizer of Nodes and NodeClaims. */
export const KARPENTER_FINALIZER = 'karpenter.sh/termination';

/**
 * Whether Karpenter owns the Node. A release swaps the finalizers in one request, so this is seen together with the loss of
 * Berth's own, even where the annotation on the NodeClaim has not been seen yet: watches of two kinds have no order.
 */
export function isKarpenters({ finalizers }: Pick<ObservedNode, 'finalizers'>): boolean {
  return finalizers.includes(KARPENTER_FINALIZER);
}
