/**
 * Registration: the node of the claim's instance appeared. The pods planned on it are hinted to the scheduler, and only then it
 * gets what the claim says and loses the taint that kept all pods away: in one request, since pods wait for it.
 */
import { tenancyOfClaim } from '../../domain/nodes/tenancy.js';
import { zoneIDOf } from '../../domain/nodes/instance-type.js';
import {
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NO_LABELS,
  NODEPOOL,
  PLACEMENT_GROUP_ID,
  PLACEMENT_GROUP_PARTITION,
  ZONE_ID,
  type Labels,
} from '../../domain/values/labels.js';
import { ADOPTED_ANNOTATION, ADOPTED_RESOURCES_ANNOTATION } from '../../domain/nodes/handover.js';
import {
  BUFFER_ANNOTATION,
  CA_HASH_ANNOTATION,
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  REPLACES_ANNOTATION,
  STATIC_ANNOTATION,
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
  instanceID,
  type NodeClaim,
} from '../../domain/nodes/node-claim.js';
import { heldTaint } from '../../domain/nodes/held-taint.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { PROPOSAL_ANNOTATION, PROPOSAL_PRICE_ANNOTATION } from '../../domain/records/proposal.js';
import { reservationName } from '../../domain/records/reservation.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type ResourceList } from '../../domain/values/resources.js';
import { hasTaint, type Taint } from '../../domain/values/taint.js';
import type { NodePatch } from '../../ports/kube-writer.js';
import type { Requeue } from '../../runtime/concurrency/work-queue.js';
import { is, withConditions } from './claim-conditions.js';
import type { LifecycleContext } from './lifecycle-context.js';
import { recordClaim, relatedNode } from './record-claim.js';

/** What the tool eks-node-viewer reads as the price of a node, in place of its own table. */
const INSTANCE_PRICE = 'eks-node-viewer/instance-price';
/** Karpenter's mark of a node whose taints have been synced. */
const REGISTERED_LABEL = 'karpenter.sh/registered';
/** Karpenter's label by which the claim's taints are not synced to the node. */
const DO_NOT_SYNC_TAINTS_LABEL = 'karpenter.sh/do-not-sync-taints';
/** How old a node may become while its pods cannot be nominated. */
const NOMINATING_MILLIS = 10_000;
/** About the claim only. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  ADOPTED_ANNOTATION,
  ADOPTED_RESOURCES_ANNOTATION,
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  PROPOSAL_ANNOTATION,
  PROPOSAL_PRICE_ANNOTATION,
  REPLACES_ANNOTATION,
  BUFFER_ANNOTATION,
  STATIC_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  CA_HASH_ANNOTATION,
]);

/** One step; undefined when there is nothing to do before something changes. */
export async function register(
  context: LifecycleContext,
  claim: NodeClaim,
  signal: AbortSignal,
): Promise<Requeue | undefined> {
  const node = context.cluster.nodeOfClaim(claim.name);
  if (node === undefined) return undefined;
  if (!isSynced(node) || isUnregistered(node)) await openNode(context, claim, node, signal);
  else if (!is(claim, 'Registered')) await confirm(context, claim, node, signal);
  return undefined;
}

/** Whether nothing is left to do here. */
export function isRegistered(claim: NodeClaim, node: ObservedNode): boolean {
  return isSynced(node) && is(claim, 'Registered') && !isUnregistered(node);
}

function isSynced(node: ObservedNode): boolean {
  return node.finalizers.includes(TERMINATION_FINALIZER) && isMarked(node);
}

/** Whether its taints have been synced. */
function isMarked({ labels }: ObservedNode): boolean {
  return labels.get(REGISTERED_LABEL) === 'true';
}

function isUnregistered({ taints }: ObservedNode): boolean {
  return hasTaint(taints, UNREGISTERED_TAINT);
}

/** Nominates first: the planned pods come here, although any pod may come from now on. */
async function openNode(
  context: LifecycleContext,
  claim: NodeClaim,
  node: ObservedNode,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = !isMarked(node);
  if (isUnregistered(node)) await nominate(context, claim, node, signal);
  const current = context.cluster.nodes.get(node.name) ?? node;
  const placed = await placementLabels(context, claim, signal);
  await context.writer.patchNode(current, nodePatch(context, claim, current, placed), signal);
  if (!isFirst || isUnregistered(node)) return;
  recordClaim(context.recorder, claim, {
    action: 'Register',
    reason: 'UnregisteredTaintMissing',
    message: `node ${node.name} registered without the taint ${UNREGISTERED_TAINT.key}: other pods may be bound before the planned ones are nominated`,
    trigger: 'Node',
    related: [relatedNode(node.name)],
    event: 'Warning',
  });
}

/** A node that cannot be opened for its pods is of no use: after ten seconds it is opened without. */
async function nominate(
  { nominatePods, clock, logger }: LifecycleContext,
  claim: NodeClaim,
  node: ObservedNode,
  signal: AbortSignal,
): Promise<void> {
  try {
    await nominatePods(claim, node.name, signal);
  } catch (error) {
    if (clock.now() - node.createdAt < NOMINATING_MILLIS || signal.aborted) throw error;
    logger.warn('Removed the unregistered taint before all pods were nominated', {
      nodeClaim: claim.name,
      node: node.name,
      error,
    });
  }
}

/** One request, so that taints are never synced without the mark that says so: start-up taints must not come back. */
function nodePatch(
  context: LifecycleContext,
  claim: NodeClaim,
  node: ObservedNode,
  placed: Labels,
): NodePatch {
  const annotations = [...claim.annotations].filter(([key]) => !OWN_ANNOTATIONS.has(key));
  const isHeld = node.finalizers.includes(TERMINATION_FINALIZER);
  return {
    labels: {
      ...Object.fromEntries([...nodeLabels(context, claim), ...placed]),
      [REGISTERED_LABEL]: 'true',
    },
    annotations: Object.fromEntries(annotations),
    finalizers: { add: isHeld ? [] : [TERMINATION_FINALIZER] },
    taints: {
      add: isMarked(node) ? [] : [...missingTaints(claim, node), ...holdOf(context, claim)],
      remove: isUnregistered(node) ? [UNREGISTERED_TAINT] : [],
    },
  };
}

/**
 * The partition that the cloud chose in the claim's placement group, where the claim asks for none: pods are spread over partitions by
 * this label, so that a node has it from the first.
 */
async function placementLabels(
  { cloud }: LifecycleContext,
  { labels, status: { providerID } }: NodeClaim,
  signal: AbortSignal,
): Promise<Labels> {
  const isChosen = labels.has(PLACEMENT_GROUP_PARTITION) || !labels.has(PLACEMENT_GROUP_ID);
  if (isChosen || providerID === undefined) return NO_LABELS;
  const id = instanceID(providerID);
  const found = (await cloud.instances(NO_LABELS, signal, [id])).find((instance) => instance.id === id);
  return found?.partition === undefined
    ? NO_LABELS
    : new Map([[PLACEMENT_GROUP_PARTITION, String(found.partition)]]);
}

/** What the type says, the pool, and what the claim asks for; the zone's name is for the cloud's own controller to say. */
function nodeLabels({ catalogue, nodeClass }: LifecycleContext, claim: NodeClaim): Labels {
  const { spec, status, labels } = claim;
  const source = nodeClass(spec.nodeClassRef);
  const types = source ? catalogue().forNodeClass(source, tenancyOfClaim(claim)) : catalogue().instanceTypes;
  const type = types.find(({ name }) => name === status.instanceType);
  const known: [string, string | undefined][] = [
    [NODEPOOL, spec.nodePool],
    [CAPACITY_TYPE, status.capacityType],
    [INSTANCE_TYPE, status.instanceType],
    [ZONE_ID, zoneIDOf(types, status.zone)],
  ];
  return new Map([
    ...(type?.labels ?? []),
    ...labels,
    ...known.flatMap(([key, value]): [string, string][] => (value === undefined ? [] : [[key, value]])),
    ...Object.entries(priceLabel(status.hourlyPrice)),
  ]);
}

/** The price of a node, USD/h with at most six decimal places, as a label; none where it is not known. */
export function priceLabel(price: number | undefined): Readonly<Record<string, string>> {
  return price === undefined ? {} : { [INSTANCE_PRICE]: String(Number(price.toFixed(6))) };
}

function missingTaints({ spec }: NodeClaim, { taints, labels }: ObservedNode): readonly Taint[] {
  if (labels.get(DO_NOT_SYNC_TAINTS_LABEL) === 'true') return [];
  return [...spec.taints, ...spec.startupTaints].filter((taint) => !hasTaint(taints, taint));
}

/**
 * Until the pods are bound that it was launched for, if this is wanted, and only on a node that has just come: what runs
 * elsewhere must not be kept from new pods of its DaemonSets. Devices come from DaemonSets, which the taint would keep away.
 */
function holdOf({ cluster, settings }: LifecycleContext, claim: NodeClaim): readonly Taint[] {
  const reservation = cluster.reservations.get(reservationName({ kind: 'NodeClaim', name: claim.name }));
  if (!settings.taintNewNodes || reservation === undefined) return [];
  return asksForDevices(claim.spec.requests) ? [] : [heldTaint(claim)];
}

function asksForDevices(requests: ResourceList): boolean {
  return [...requests].some(([resource, amount]) => amount > 0 && !KUBELETS_OWN.has(resource));
}

/** What every kubelet reports by itself. */
const KUBELETS_OWN: ReadonlySet<string> = new Set([CPU, MEMORY, EPHEMERAL_STORAGE, PODS]);

async function confirm(
  { writer, clock, recorder, metrics, logger }: LifecycleContext,
  claim: NodeClaim,
  node: ObservedNode,
  signal: AbortSignal,
): Promise<void> {
  const conditions = withConditions(claim, [{ type: 'Registered', status: 'True' }], clock.now());
  await writer.updateStatus(claim, { nodeName: node.name, conditions }, signal);
  metrics.nodesCreated.inc({ nodepool: claim.spec.nodePool, zone: claim.status.zone ?? '' });
  logger.info('Registered node', { nodeClaim: claim.name, node: node.name });
  recordClaim(recorder, claim, {
    action: 'Register',
    reason: 'Registered',
    message: `node ${node.name}`,
    trigger: 'Node',
    related: [relatedNode(node.name)],
    event: 'Normal',
  });
}
