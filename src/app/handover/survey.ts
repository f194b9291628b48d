/** Which nodes may change hands, and why others may not. */
import type { HandoverDirection } from '../../domain/nodes/handover.js';
import { decodeNodeClaim, encodeNodeClaim } from '../../apis/berth/node-claim.js';
import { decodeObservedNode } from '../../apis/kubernetes/nodes/observed-node.js';
import { nodeClassCodecs } from '../../apis/node-class/node-class-codecs.js';
import { driftOf } from '../../controllers/disruption/conditions/drift.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { InstanceHandover } from '../../ports/instance-handover.js';
import type { HandoverContext } from './carry-out.js';
import { handoverOf, poolOf, textAt, type HandoverNode } from './handover-node.js';
import {
  KARPENTER_NODE_CLAIMS,
  NODE_CLAIMS,
  NODES,
  type KubeObject,
  type KubeObjects,
} from './kube-objects.js';
import { ownClaim } from './own-claim.js';

/** What is asked for. */
export interface HandoverWish {
  readonly direction: HandoverDirection;
  /** Whose the nodes are, or were; undefined in a release. */
  readonly from?: 'karpenter' | 'nodegroup' | undefined;
  /** NodePools, and with `nodegroup` the one that the nodes come to; empty: all. */
  readonly nodePools: readonly string[];
  /** Names of Nodes of node groups. */
  readonly nodes: readonly string[];
}

/** All nodes that the wish is about. @throws PortError */
export async function survey(
  wish: HandoverWish,
  objects: KubeObjects,
  handover: InstanceHandover,
): Promise<readonly HandoverNode[]> {
  // Before the Nodes: a claim that is seen has its Node then.
  const [ours, theirs] = [await objects.list(NODE_CLAIMS), await karpenterClaims(objects, wish)];
  const nodes = await objects.list(NODES);
  const found = [...claimed(wish, ours, theirs), ...grouped(wish, ours, nodes)];
  const instances = await handover.instances(
    found.flatMap(({ providerID }) => (providerID === '' ? [] : [providerID])),
  );
  const nodeOf = new Map(nodes.map((node) => [textAt(node.spec, 'providerID'), node]));
  const instanceOf = new Map(instances.map((instance) => [instance.providerID, instance]));
  return found.map((claims) => ({
    ...claims,
    node: nodeOf.get(claims.providerID),
    instance: instanceOf.get(claims.providerID),
  }));
}

/** The same node as it is now. @throws PortError */
export async function lookAgain(
  { name, nodePool, providerID, node }: HandoverNode,
  objects: KubeObjects,
  handover: InstanceHandover,
): Promise<HandoverNode> {
  const [ours, theirs, instances] = await Promise.all([
    objects.get(NODE_CLAIMS, name),
    objects.get(KARPENTER_NODE_CLAIMS, name),
    handover.instances([providerID]),
  ]);
  const current = node && (await objects.get(NODES, node.metadata.name));
  return { name, nodePool, providerID, ours, theirs, node: current, instance: instances[0] };
}

type Claims = Omit<HandoverNode, 'node' | 'instance'>;

function claimed(
  { direction, from, nodePools }: HandoverWish,
  ours: readonly KubeObject[],
  theirs: readonly KubeObject[],
): readonly Claims[] {
  if (from === 'nodegroup') return [];
  const ourOf = new Map(ours.map((claim) => [claim.metadata.name, claim]));
  const theirOf = new Map(theirs.map((claim) => [claim.metadata.name, claim]));
  // What a killed adoption began is ended, also where Karpenter's claim is gone already.
  const held = ours.filter((claim) => handoverOf(claim) !== undefined);
  const candidates = direction === 'releasing' ? ours : [...theirs, ...held];
  const names = [...new Set(candidates.map(({ metadata }) => metadata.name))].sort();
  return names.flatMap((name) => {
    const [our, their] = [ourOf.get(name), theirOf.get(name)];
    const claim = our ?? their;
    if (claim === undefined) return [];
    const nodePool = poolOf(claim);
    if (nodePools.length > 0 && !nodePools.includes(nodePool)) return [];
    const providerID = textAt(our?.status, 'providerID') ?? textAt(their?.status, 'providerID') ?? '';
    return [{ name, nodePool, providerID, ours: our, theirs: their }];
  });
}

/** Nodes that no claim is about. */
function grouped(
  { from, nodePools, nodes: names }: HandoverWish,
  ours: readonly KubeObject[],
  nodes: readonly KubeObject[],
): readonly Claims[] {
  const [nodePool = ''] = nodePools;
  if (from !== 'nodegroup') return [];
  return names.map((name) => {
    const node = nodes.find(({ metadata }) => metadata.name === name);
    if (node === undefined)
      throw new PortError('NotFound', { operation: `adopt Node ${name}`, message: 'there is no such Node' });
    const claim = ours.find(({ status }) => textAt(status, 'nodeName') === name);
    // Names of Nodes are names of claims, too, and no claim of Berth's own is called so.
    const claimName = claim?.metadata.name ?? name;
    const providerID = textAt(node.spec, 'providerID') ?? '';
    return { name: claimName, nodePool, providerID, ours: claim, theirs: undefined };
  });
}

/** A cluster that Karpenter was never in, or is not in any more, has none. */
async function karpenterClaims(
  objects: KubeObjects,
  { direction, from }: HandoverWish,
): Promise<readonly KubeObject[]> {
  try {
    return await objects.list(KARPENTER_NODE_CLAIMS);
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    if (direction === 'adopting' && from === 'nodegroup') return [];
    throw new PortError('NotFound', {
      operation: 'list nodeclaims.karpenter.sh',
      message: "the cluster does not have Karpenter's CustomResourceDefinitions (karpenter.sh/v1)",
      cause: error,
    });
  }
}

/** Why the node cannot change hands now, and what to do; undefined when it can. */
export function refusal(it: HandoverNode, wish: HandoverWish, context: HandoverContext): string | undefined {
  const shared = notRunning(it) ?? context.handover.manager(it.instance);
  if (shared !== undefined) return shared;
  // What was begun, in either direction, has been judged, and can be ended in both.
  if (handoverOf(it.ours) !== undefined) return undefined;
  return wish.direction === 'adopting' ? notAdoptable(it, context) : notReleasable(it, context);
}

function notRunning({ providerID, node, instance, theirs }: HandoverNode): string | undefined {
  if (theirs?.metadata.deletionTimestamp !== undefined)
    return 'Karpenter is deleting its NodeClaim; start Karpenter again to let it finish, or wait';
  if (providerID === '' || node === undefined)
    return 'it has not joined the cluster yet; run the command again when it has';
  if (node.metadata.deletionTimestamp !== undefined) return 'its Node is being deleted';
  if (instance === undefined) return 'the cloud does not know its instance';
  return instance.state === 'running' ? undefined : `its instance is ${instance.state}`;
}

function notAdoptable(it: HandoverNode, context: HandoverContext): string | undefined {
  const { theirs, ours, name } = it;
  if (ours !== undefined && theirs !== undefined && handoverOf(ours) === undefined) {
    const own = textAt(ours.status, 'providerID');
    if (own !== it.providerID || own !== textAt(theirs.status, 'providerID'))
      return `Berth has another NodeClaim of the name ${name}`;
  }
  const managed = managedGroup(theirs);
  if (managed !== undefined)
    return `its node class is of ${managed}, and only that service may manage its instance; let Berth launch nodes for its pods instead`;
  if (theirs !== undefined && !isInitialized(theirs))
    return 'Karpenter has not initialized it yet; run the command again when it has';
  if (ours !== undefined) return undefined;
  try {
    return wouldDrift(it, context);
  } catch (error) {
    if (hasCode(error, 'NotFound', 'Invalid')) return error.message;
    throw error;
  }
}

/** The API group of a node class whose instances Berth cannot own, such as that of EKS Auto Mode. */
function managedGroup(theirs: KubeObject | undefined): string | undefined {
  const group = textAt(theirs?.spec?.['nodeClassRef'] as JsonObject | undefined, 'group');
  return nodeClassCodecs().some((codec) => codec.group === group) ? undefined : group;
}

/** A node that does not meet its NodePool would be replaced as soon as it is Berth's. */
function wouldDrift(it: HandoverNode, { termsOf }: HandoverContext): string | undefined {
  const terms = termsOf(it.nodePool);
  const claim = decodeNodeClaim(encodeNodeClaim(ownClaim(it, terms))).value;
  const node = decodeObservedNode(withPoolLabel(it)).value;
  if (claim === undefined) return undefined;
  const { pool, nodeClass } = terms;
  const drift = driftOf({
    claim,
    node,
    pool,
    nodeClass,
    resolved: undefined,
    instance: undefined,
    types: [],
  });
  return drift && `it would be replaced at once: ${drift.message}; change the NodePool first`;
}

/** As it is when it has been taken. */
function withPoolLabel({ node, nodePool }: HandoverNode): JsonObject {
  const { metadata } = node ?? {};
  return {
    ...node,
    metadata: { ...metadata, labels: { ...metadata?.labels, 'karpenter.sh/nodepool': nodePool } },
  };
}

function notReleasable(it: HandoverNode, context: HandoverContext): string | undefined {
  const { ours, nodePool } = it;
  const disruption = ours?.status?.['disruption'] as { readonly reason?: string } | undefined;
  if (ours?.metadata.deletionTimestamp !== undefined || disruption !== undefined)
    return `Berth is disrupting it (${disruption?.reason ?? 'Deleted'}); run the command again when it is gone`;
  if (ours !== undefined && !isInitialized(ours))
    return 'Berth has not initialized it yet; run the command again when it has';
  try {
    context.karpenterPool(nodePool);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return error.message;
    throw error;
  }
}

function isInitialized({ status }: KubeObject): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return conditions.some(({ type, status: value }) => type === 'Initialized' && value === 'True');
}
