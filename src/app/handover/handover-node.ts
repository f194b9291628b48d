/** One node that changes hands: its objects, and what of each owner is on them. */
import {
  ADOPTED_ANNOTATION,
  HANDOVER_ANNOTATION,
  HANDOVER_DIRECTIONS,
  KARPENTER_FINALIZER,
  type HandoverDirection,
} from '../../domain/nodes/handover.js';
import { TERMINATION_FINALIZER } from '../../domain/nodes/node-claim.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { NODEPOOL } from '../../domain/values/labels.js';
import type { HandoverState, OwnerTraces } from '../../planning/handover/steps.js';
import type { CloudInstance, ClusterIdentity } from '../../ports/cloud.js';
import { adoptedTags, BERTH_TAG_KEYS, type InstanceHandover } from '../../ports/instance-handover.js';
import type { KubeObject, OwnerReference } from './kube-objects.js';

export interface HandoverNode {
  /** Of both NodeClaims, Berth's and Karpenter's. */
  readonly name: string;
  readonly nodePool: string;
  readonly providerID: string;
  readonly ours: KubeObject | undefined;
  readonly theirs: KubeObject | undefined;
  readonly node: KubeObject | undefined;
  readonly instance: CloudInstance | undefined;
}

/** What the annotation {@link ADOPTED_ANNOTATION} has. */
export interface Adopted {
  readonly from: 'karpenter' | 'nodegroup';
  /** Karpenter's NodeClaim as it was. */
  readonly nodeClaim?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec: JsonObject;
    readonly status: JsonObject;
  };
}

/** undefined for a node that Berth launched, and where the annotation cannot be read. */
export function adoptedOf(ours: KubeObject | undefined): Adopted | undefined {
  const text = ours?.metadata.annotations?.[ADOPTED_ANNOTATION];
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Adopted);
  } catch {
    return undefined;
  }
}

export function handoverOf(ours: KubeObject | undefined): HandoverDirection | undefined {
  const text = ours?.metadata.annotations?.[HANDOVER_ANNOTATION];
  return HANDOVER_DIRECTIONS.find((direction) => direction === text);
}

export function poolOf({ spec, metadata }: KubeObject): string {
  return textAt(spec, 'nodePool') ?? metadata.labels?.[NODEPOOL] ?? '';
}

export function nodeClassNameOf(claim: KubeObject | undefined): string | undefined {
  return textAt(claim?.spec?.['nodeClassRef'] as JsonObject | undefined, 'name');
}

export function textAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isKarpenterClaim({ apiVersion, kind }: OwnerReference): boolean {
  return kind === 'NodeClaim' && apiVersion.startsWith('karpenter.sh/');
}

/** The tags of each owner as they should be. */
export function wantedTags(
  { name, nodePool, ours, theirs }: HandoverNode,
  { handover, cluster }: TagContext,
): { readonly berth: ReadonlyMap<string, string>; readonly karpenter: ReadonlyMap<string, string> } {
  const nodeClass = nodeClassNameOf(theirs) ?? nodeClassNameOf(ours) ?? '';
  return {
    berth: adoptedTags(cluster, { nodePool, nodeClaim: name }),
    karpenter: handover.karpenterTags({ nodeClaim: name, nodePool, nodeClass }),
  };
}

export interface TagContext {
  readonly handover: InstanceHandover;
  readonly cluster: ClusterIdentity;
}

/** What is planned from. */
export function stateOf(it: HandoverNode, context: TagContext): HandoverState {
  const { ours, theirs, node, instance } = it;
  const wanted = wantedTags(it, context);
  const { finalizers = [], ownerReferences = [] } = node?.metadata ?? {};
  return {
    berth: {
      claim: ours && claimTraces(ours, TERMINATION_FINALIZER),
      tags: tagTraces(instance, BERTH_TAG_KEYS, wanted.berth),
      holdsNode: finalizers.includes(TERMINATION_FINALIZER),
      handover: handoverOf(ours),
    },
    karpenter: {
      claim: theirs && claimTraces(theirs, KARPENTER_FINALIZER),
      tags: tagTraces(instance, context.handover.karpenterTagKeys, wanted.karpenter),
      holdsNode: finalizers.includes(KARPENTER_FINALIZER) || ownerReferences.some(isKarpenterClaim),
    },
  };
}

function claimTraces({ status, metadata }: KubeObject, finalizer: string): OwnerTraces['claim'] {
  return {
    namesInstance: textAt(status, 'providerID') !== undefined,
    hasFinalizer: metadata.finalizers?.includes(finalizer) === true,
  };
}

function tagTraces(
  instance: CloudInstance | undefined,
  keys: readonly string[],
  wanted: ReadonlyMap<string, string>,
): OwnerTraces['tags'] {
  const tags = instance?.tags ?? new Map<string, string>();
  return {
    some: keys.some((key) => tags.has(key)),
    all: [...wanted].every(([key, value]) => tags.get(key) === value),
  };
}
