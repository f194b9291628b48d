/**
 * The order in which a node changes hands. Karpenter terminates an instance that has its tags and no NodeClaim of its own;
 * Berth does the same with its own tag. So the new owner's NodeClaim comes before its tags, and the old owner's tags go before
 * its NodeClaim. Until the last step Berth's NodeClaim carries an annotation by which Berth's controllers leave it alone: at
 * each moment one owner at most acts on the instance.
 */
import type { HandoverDirection } from '../../domain/nodes/handover.js';

/** What is there of one owner. */
export interface OwnerTraces {
  /** Its NodeClaim; undefined where there is none. */
  readonly claim: ClaimTraces | undefined;
  /** Of its tags on the instance, whether one is there, and whether none is missing. A cloud without tags: false and true. */
  readonly tags: { readonly some: boolean; readonly all: boolean };
  /** Its finalizer on the Node, or an owner reference to its NodeClaim. */
  readonly holdsNode: boolean;
}

export interface ClaimTraces {
  /** Its status names the instance: without that its owner would launch one. */
  readonly namesInstance: boolean;
  readonly hasFinalizer: boolean;
}

/** What is there of one instance that changes hands. */
export interface HandoverState {
  readonly berth: OwnerTraces & { readonly handover: HandoverDirection | undefined };
  readonly karpenter: OwnerTraces;
}

/** In the order of an adoption, then of a release. */
export const ADOPT_STEPS = [
  'CreateNodeClaim',
  'HoldNodeClaim',
  'WriteNodeClaimStatus',
  'AddTags',
  'TakeNode',
  'RemoveKarpenterTags',
  'RemoveKarpenterFinalizer',
  'DeleteKarpenterNodeClaim',
  'ActivateNodeClaim',
] as const;
export const RELEASE_STEPS = [
  'HoldNodeClaim',
  'CreateKarpenterNodeClaim',
  'WriteKarpenterNodeClaimStatus',
  'AddKarpenterTags',
  'GiveNode',
  'RemoveTags',
  'RemoveFinalizer',
  'DeleteNodeClaim',
] as const;
export type HandoverStep = (typeof ADOPT_STEPS)[number] | (typeof RELEASE_STEPS)[number];

/** What is left to do until the instance is Berth's; empty when it is. Each step changes one object, and may be repeated. */
export function adoptSteps({ berth, karpenter }: HandoverState): readonly HandoverStep[] {
  const { claim } = berth;
  const theirs = karpenter.claim;
  if (isWhole(berth) && isGone(karpenter) && berth.handover === undefined) return [];
  return chosen<(typeof ADOPT_STEPS)[number]>(ADOPT_STEPS, {
    CreateNodeClaim: claim === undefined,
    HoldNodeClaim: claim !== undefined && (berth.handover !== 'adopting' || !claim.hasFinalizer),
    WriteNodeClaimStatus: claim?.namesInstance !== true,
    AddTags: !berth.tags.all,
    TakeNode: !berth.holdsNode || karpenter.holdsNode,
    RemoveKarpenterTags: karpenter.tags.some,
    RemoveKarpenterFinalizer: theirs?.hasFinalizer === true,
    DeleteKarpenterNodeClaim: theirs !== undefined,
    ActivateNodeClaim: true,
  });
}

/** What is left to do until the instance is Karpenter's; empty when it is. */
export function releaseSteps({ berth, karpenter }: HandoverState): readonly HandoverStep[] {
  const { claim } = berth;
  const theirs = karpenter.claim;
  if (isWhole(karpenter) && isGone(berth)) return [];
  return chosen<(typeof RELEASE_STEPS)[number]>(RELEASE_STEPS, {
    HoldNodeClaim: claim !== undefined && berth.handover !== 'releasing',
    // Also one that an adoption has left without its finalizer.
    CreateKarpenterNodeClaim: theirs?.hasFinalizer !== true,
    WriteKarpenterNodeClaimStatus: theirs?.namesInstance !== true,
    AddKarpenterTags: !karpenter.tags.all,
    GiveNode: !karpenter.holdsNode || berth.holdsNode,
    RemoveTags: berth.tags.some,
    RemoveFinalizer: claim?.hasFinalizer === true,
    DeleteNodeClaim: claim !== undefined,
  });
}

function isWhole({ claim, tags, holdsNode }: OwnerTraces): boolean {
  return claim?.namesInstance === true && claim.hasFinalizer && tags.all && holdsNode;
}

function isGone({ claim, tags, holdsNode }: OwnerTraces): boolean {
  return claim === undefined && !tags.some && !holdsNode;
}

function chosen<Step extends HandoverStep>(
  order: readonly Step[],
  isNeeded: Readonly<Record<Step, boolean>>,
): readonly Step[] {
  return order.filter((step) => isNeeded[step]);
}
