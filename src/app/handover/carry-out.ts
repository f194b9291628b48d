/** Carries out the steps by which one node changes hands: each is one request, and the next begins where a killed one ended. */
import {
  HANDOVER_ANNOTATION,
  KARPENTER_FINALIZER,
  type HandoverDirection,
} from '../../domain/nodes/handover.js';
import { TERMINATION_FINALIZER } from '../../domain/nodes/node-claim.js';
import { encodeNewNodeClaim } from '../../apis/berth/node-claim.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { CAPACITY_TYPE, NODEPOOL } from '../../domain/values/labels.js';
import type { HandoverStep } from '../../planning/handover/steps.js';
import { BERTH_TAG_KEYS } from '../../ports/instance-handover.js';
import { isKarpenterClaim, wantedTags } from './handover-node.js';
import type { HandoverNode, TagContext } from './handover-node.js';
import { karpenterClaim, karpenterStatus } from './karpenter-claim.js';
import {
  KARPENTER_NODE_CLAIMS,
  NODE_CLAIMS,
  NODES,
  type KubeObject,
  type KubeObjects,
} from './kube-objects.js';
import { ownClaim, statusJson, type ClaimTerms } from './own-claim.js';

const DISRUPTED = 'karpenter.sh/disrupted';

export interface HandoverContext extends TagContext {
  readonly objects: KubeObjects;
  /** For nodes that are adopted. @throws PortError NotFound, when Berth has no such NodePool. */
  readonly termsOf: (nodePool: string) => ClaimTerms;
  /** Karpenter's, for nodes that are released. @throws PortError NotFound */
  readonly karpenterPool: (nodePool: string) => KubeObject;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Does one step and answers the node as it is then. @throws PortError */
export function carryOut(
  step: HandoverStep,
  it: HandoverNode,
  direction: HandoverDirection,
  context: HandoverContext,
): Promise<HandoverNode> {
  return ACTS[step](it, context, direction);
}

type Act = (
  it: HandoverNode,
  context: HandoverContext,
  direction: HandoverDirection,
) => Promise<HandoverNode>;

const ACTS: Readonly<Record<HandoverStep, Act>> = {
  CreateNodeClaim: async (it, { objects, termsOf }) => {
    const body = encodeNewNodeClaim(ownClaim(it, termsOf(it.nodePool)));
    return { ...it, ours: await objects.create(NODE_CLAIMS, body) };
  },
  HoldNodeClaim: (it, context, direction) =>
    changeOurs(it, context, {
      annotations: { [HANDOVER_ANNOTATION]: direction },
      finalizers: including(it.ours, TERMINATION_FINALIZER),
    }),
  WriteNodeClaimStatus: async (it, { objects, termsOf }) => {
    const status = statusJson(ownClaim(it, termsOf(it.nodePool)));
    return { ...it, ours: await objects.mergeStatus(NODE_CLAIMS, there(it.ours), status) };
  },
  ActivateNodeClaim: (it, context) =>
    changeOurs(it, context, { annotations: { [HANDOVER_ANNOTATION]: null } }),
  RemoveFinalizer: (it, context) =>
    changeOurs(it, context, { finalizers: without(it.ours, TERMINATION_FINALIZER) }),
  DeleteNodeClaim: async (it, { objects }) => {
    await objects.remove(NODE_CLAIMS, there(it.ours));
    return { ...it, ours: undefined };
  },
  CreateKarpenterNodeClaim: async (it, context) => {
    if (it.theirs !== undefined)
      return changeTheirs(it, context, { finalizers: including(it.theirs, KARPENTER_FINALIZER) });
    const body = karpenterClaim(it, context.karpenterPool(it.nodePool));
    return { ...it, theirs: await context.objects.create(KARPENTER_NODE_CLAIMS, body) };
  },
  WriteKarpenterNodeClaimStatus: async (it, { objects, now }) => {
    const status = karpenterStatus(it, now());
    return { ...it, theirs: await objects.mergeStatus(KARPENTER_NODE_CLAIMS, there(it.theirs), status) };
  },
  RemoveKarpenterFinalizer: (it, context) =>
    changeTheirs(it, context, { finalizers: without(it.theirs, KARPENTER_FINALIZER) }),
  DeleteKarpenterNodeClaim: async (it, { objects }) => {
    await objects.remove(KARPENTER_NODE_CLAIMS, there(it.theirs));
    return { ...it, theirs: undefined };
  },
  TakeNode: async (it, { objects }) => ({
    ...it,
    node: await objects.merge(NODES, there(it.node), takenNode(it)),
  }),
  GiveNode: async (it, { objects }) => ({
    ...it,
    node: await objects.merge(NODES, there(it.node), givenNode(it)),
  }),
  AddTags: async (it, context) => {
    await context.handover.addTags(there(it.instance).id, wantedTags(it, context).berth);
    return it;
  },
  RemoveTags: async (it, { handover }) => {
    await handover.removeTags(there(it.instance).id, BERTH_TAG_KEYS);
    return it;
  },
  AddKarpenterTags: async (it, context) => {
    await context.handover.addTags(there(it.instance).id, wantedTags(it, context).karpenter);
    return it;
  },
  RemoveKarpenterTags: async (it, { handover }) => {
    await handover.removeTags(there(it.instance).id, handover.karpenterTagKeys);
    return it;
  },
};

/** In one request, so that Kubernetes never sees a Node of an owner that is gone, or of none. */
function takenNode({ node, nodePool, instance }: HandoverNode): JsonObject {
  const { ownerReferences = [], labels = {} } = node?.metadata ?? {};
  return {
    metadata: {
      finalizers: including(node, TERMINATION_FINALIZER).filter((each) => each !== KARPENTER_FINALIZER),
      ownerReferences: ownerReferences.filter((each) => !isKarpenterClaim(each)),
      labels: {
        [NODEPOOL]: nodePool,
        [CAPACITY_TYPE]: labels[CAPACITY_TYPE] ?? instance?.capacityType,
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
      },
    },
    spec: { taints: stayingTaints(node) },
  };
}

function givenNode({ node, theirs }: HandoverNode): JsonObject {
  const { name, uid } = there(theirs).metadata;
  const { ownerReferences = [] } = node?.metadata ?? {};
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid, blockOwnerDeletion: true };
  return {
    metadata: {
      finalizers: including(node, KARPENTER_FINALIZER).filter((each) => each !== TERMINATION_FINALIZER),
      ownerReferences: [...ownerReferences.filter((each) => !isKarpenterClaim(each)), owner],
    },
    spec: { taints: stayingTaints(node) },
  };
}

/** A disruption that the old owner had begun, and not gone through with, is not the new one's. */
function stayingTaints(node: KubeObject | undefined): readonly JsonObject[] {
  const taints = (node?.spec?.['taints'] ?? []) as readonly JsonObject[];
  return taints.filter(({ key }) => key !== DISRUPTED);
}

async function changeOurs(
  it: HandoverNode,
  { objects }: HandoverContext,
  metadata: JsonObject,
): Promise<HandoverNode> {
  return { ...it, ours: await objects.merge(NODE_CLAIMS, there(it.ours), { metadata }) };
}

async function changeTheirs(
  it: HandoverNode,
  { objects }: HandoverContext,
  metadata: JsonObject,
): Promise<HandoverNode> {
  return { ...it, theirs: await objects.merge(KARPENTER_NODE_CLAIMS, there(it.theirs), { metadata }) };
}

function including(object: KubeObject | undefined, finalizer: string): readonly string[] {
  return [...without(object, finalizer), finalizer];
}

function without(object: KubeObject | undefined, finalizer: string): readonly string[] {
  return (object?.metadata.finalizers ?? []).filter((each) => each !== finalizer);
}

/** What the plan of steps has made sure of. */
function there<T>(object: T | undefined): T {
  if (object === undefined) throw new Error('a step is carried out on an object that there is not');
  return object;
}
