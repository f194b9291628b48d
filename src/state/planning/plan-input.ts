/**
 * The cluster as planning takes it: nodes and claims in flight, pods where they are or are planned to be, and the pods
 * that want a place.
 */
import type { DeviceObjects } from '../../domain/devices/claim.js';
import type { NodeDevices } from '../../domain/devices/device.js';
import { PublishedDevices, UNPUBLISHED_MILLIS } from '../../domain/devices/published-devices.js';
import { asksToMove } from '../../domain/pods/deferred-resize.js';
import { DISRUPTED_TAINT, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { isHeldTaint } from '../../domain/nodes/held-taint.js';
import type { Node } from '../../domain/nodes/node.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { virtualPods, type BufferDemand } from '../../domain/pods/capacity-buffer.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isFinished, type Pod } from '../../domain/pods/pod.js';
import { ofSuccessor } from '../../domain/pods/resource-claim-use.js';
import {
  MOVED,
  reservationName,
  type ReservationEntry,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import {
  addResources,
  NO_RESOURCES,
  subtractResources,
  type ResourceList,
} from '../../domain/values/resources.js';
import type { PlanOptions } from '../../planning/plan-options.js';
import type { ClusterInput } from '../../planning/snapshot/cluster-input.js';
import { closedNode } from '../../planning/snapshot/snapshot-view.js';
import { DEVICE_KINDS, type ObservedKind } from '../../ports/cluster-feed.js';
import type { PlanQuestion } from '../../ports/planner.js';
import type { Cluster } from '../cluster/cluster.js';
import { nodeOfFlight, nodeStartingUp, withVolumeLimits } from '../nodes/expected-node.js';
import { withDefaultSpread } from './default-spread.js';
import { withGangs } from '../cluster/gangs.js';
import { ownerKey } from '../cluster/owner-key.js';
import { isDown, isLeaving, isStarting } from '../nodes/node-state.js';
import { isOnDeletedNode, successorOf } from './leaving-demand.js';

/** What every plan is made from. */
export const PLANNED_KINDS = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'NodeClaim',
  'Reservation',
  'PolicyConfigMap',
  'PolicyStatus',
] as const satisfies readonly ObservedKind[];

/** What plans are made from beside: only where claims of devices are planned. */
export function deviceKinds({ demandTerms }: Pick<Cluster, 'demandTerms'>): readonly ObservedKind[] {
  return demandTerms.plansDevices === true ? DEVICE_KINDS : [];
}

export interface PlanInputQuestion extends Omit<PlanQuestion, 'options'> {
  /** Whether nodes whose disruption is decided still take pods until they are deleted; false, unless given. */
  readonly usesLeaving?: boolean | undefined;
}

/** What options say of the input. */
export type InputOptions = Partial<Pick<PlanOptions, 'defaultSpread' | 'plansDevices'>>;

/**
 * A claim without a node is a node named as the claim; reserved pods are bound where they are reserved, and pods that
 * kube-scheduler makes room for by preemption where it nominated them. What goes away or is down takes no new pods, but still counts
 * against limits and for topology.
 */
export function planInput(
  cluster: Cluster,
  question: PlanInputQuestion,
  { defaultSpread = [], plansDevices = false }: InputOptions = {},
): ClusterInput {
  const { pools, setAside = [], buffers = [], virtual = [] } = question;
  const demand = wantingPods(cluster, question.demand);
  const held = heldForOwners(cluster);
  const { resourceSlices, resourceClaims } = cluster;
  const devices = plansDevices
    ? new PublishedDevices(resourceSlices.values(), resourceClaims.values())
    : undefined;
  const nodes = plannedNodes(cluster, question, devices).map((node) => {
    const room = held.room.get(node.name);
    return room === undefined ? node : { ...node, allocatable: subtractResources(node.allocatable, room) };
  });
  const wanting = demand.map((pod) => (pod.nodeName === undefined ? pod : successorOf(pod)));
  const unreal = [...bufferPods(cluster, buffers, nodes), ...virtual];
  const moving = demand.filter(asksToMove).map(asItIsNow);
  const placed = placedPods(cluster, { demand: new Set(demand), leaving: held.leaving });
  const all = [...placed, ...held.coming, ...wanting, ...moving, ...unreal];
  const { pods, gangs } = withGangs(cluster, withDefaultSpread(cluster, all, defaultSpread));
  const left = new Set(setAside.map(({ uid }) => uid));
  return {
    pods: left.size === 0 ? pods : pods.filter(({ uid }) => !left.has(uid)),
    gangs,
    nodes,
    daemonSets: [...cluster.daemonSets.values()],
    pools,
    persistentVolumeClaims: [...cluster.persistentVolumeClaims.values()],
    persistentVolumes: [...cluster.persistentVolumes.values()],
    storageClasses: [...cluster.storageClasses.values()],
    ...(plansDevices && { devices: deviceObjects(cluster) }),
    namespaces: new Map([...cluster.namespaces.values()].map(({ name, labels }) => [name, labels])),
  };
}

function deviceObjects({ resourceClaims, resourceClaimTemplates, deviceClasses }: Cluster): DeviceObjects {
  return {
    claims: [...resourceClaims.values()],
    templates: [...resourceClaimTemplates.values()],
    classes: [...deviceClasses.values()],
  };
}

/** Where they were planned last, as long as that is there. */
function bufferPods(
  cluster: Cluster,
  buffers: readonly BufferDemand[],
  nodes: readonly Node[],
): readonly Pod[] {
  if (buffers.length === 0) return [];
  const there = new Set(nodes.map(({ name }) => name));
  return buffers.flatMap((buffer) =>
    virtualPods(buffer).map((pod, index) => {
      const place = buffer.places?.[index];
      const nodeName = place && plannedNodeName(cluster, place);
      return nodeName !== undefined && there.has(nodeName) ? { ...pod, nodeName } : pod;
    }),
  );
}

/**
 * A pod that moves for its resize keeps its room until it is gone: its node stays, and has none for its successor. By another name, since
 * its own is that of the successor here.
 */
function asItIsNow(pod: ObservedPod): Pod {
  return { ...pod, name: `${pod.name} (moves for its resize)` };
}

/** As they are now. A pod that was asked about before the last change may have a place by now, or be gone. */
function wantingPods(cluster: Cluster, demand: readonly ObservedPod[]): readonly ObservedPod[] {
  const pods: ObservedPod[] = [];
  for (const { uid } of demand) {
    const pod = cluster.podByUID(uid);
    if (pod === undefined || cluster.entriesOfPod(uid).length > 0) continue;
    if (pod.nodeName === undefined || asksToMove(pod) || isOnDeletedNode(cluster, pod)) pods.push(pod);
  }
  return pods;
}

/** The name that a target's node has in the input; undefined when it has none (any more). */
export function plannedNodeName(cluster: Cluster, { kind, name }: ReservationTarget): string | undefined {
  if (kind === 'Node') return cluster.nodes.get(name)?.name;
  return cluster.nodeOfClaim(name)?.name ?? cluster.nodeClaims.get(name)?.name;
}

/** What a reservation on the input's node of this name is for; undefined when there is no such node (any more). */
export function plannedTarget(cluster: Cluster, nodeName: string): ReservationTarget | undefined {
  const node = cluster.nodes.get(nodeName);
  if (node !== undefined) return targetOfNode(cluster, node, cluster.claimOfNode(nodeName));
  return cluster.nodeClaims.get(nodeName) && { kind: 'NodeClaim', name: nodeName };
}

function plannedNodes(
  cluster: Cluster,
  { typesOf, usesLeaving = false, now }: PlanInputQuestion,
  devices: PublishedDevices | undefined,
): readonly Node[] {
  const result: Node[] = [];
  const hasVolumes = cluster.persistentVolumeClaims.size > 0;
  const devicesOfType = (node: ObservedNode): NodeDevices | undefined =>
    expectedDevices(node, cluster.claimOfNode(node.name), { typesOf, now });
  for (const node of cluster.nodes.values()) {
    const claim = cluster.claimOfNode(node.name);
    const planned = claim === undefined ? node : nodeAsPlanned(node, claim, typesOf, hasVolumes);
    const seen =
      devices === undefined ? planned : withDevices(planned, devices.of(node, devicesOfType(node)));
    // No pod is let go to a node that is down, whatever it tolerates.
    if (!isLeaving(claim, node)) result.push(isDown(node, claim) ? closedNode(seen) : seen);
    else result.push(usesLeaving && !isDeleted(claim, node) ? withoutTaint(seen) : closedNode(seen));
  }
  return [...result, ...nodesInFlight(cluster, typesOf)];
}

function nodesInFlight(cluster: Cluster, typesOf: PlanQuestion['typesOf']): readonly Node[] {
  const result: Node[] = [];
  for (const claim of cluster.nodeClaims.values()) {
    const isGone = claim.deletionTimestamp !== undefined && claim.status.providerID === undefined;
    if (isGone || cluster.nodeOfClaim(claim.name) !== undefined) continue;
    const flight = nodeOfFlight(claim, typesOf(claim));
    result.push(isLeaving(claim, undefined) ? closedNode(flight) : flight);
  }
  return result;
}

/** Those of the node's type, as long as its drivers may still publish them. */
function expectedDevices(
  { createdAt }: ObservedNode,
  claim: NodeClaim | undefined,
  { typesOf, now }: Pick<PlanInputQuestion, 'typesOf' | 'now'>,
): NodeDevices | undefined {
  const isNew = now === undefined || now - createdAt < UNPUBLISHED_MILLIS;
  if (claim?.status.instanceType === undefined || !isNew) return undefined;
  return typesOf(claim).find(({ name }) => name === claim.status.instanceType)?.devices;
}

function withDevices(node: Node, devices: NodeDevices | undefined): Node {
  return devices === undefined ? node : { ...node, devices };
}

function isDeleted(claim: NodeClaim | undefined, node: ObservedNode): boolean {
  return claim === undefined || claim.deletionTimestamp !== undefined || node.deletionTimestamp !== undefined;
}

/** The node as it was before its disruption was decided. */
function withoutTaint(node: Node): Node {
  return { ...node, taints: node.taints.filter(({ key }) => key !== DISRUPTED_TAINT.key) };
}

/** A pod that is planned on a held node gets a toleration: the taint is none for planning. */
function nodeAsPlanned(
  observed: ObservedNode,
  claim: NodeClaim,
  typesOf: PlanQuestion['typesOf'],
  hasVolumes: boolean,
): Node {
  const isHeld = observed.taints.some(isHeldTaint);
  const node = isHeld
    ? { ...observed, taints: observed.taints.filter((taint) => !isHeldTaint(taint)) }
    : observed;
  const isUp = !isStarting(claim);
  if (isUp && !hasVolumes) return node;
  const types = typesOf(claim);
  return isUp ? withVolumeLimits(node, claim, types) : nodeStartingUp(node, claim, types);
}

/** A claim that holds room already, or is not up yet, keeps holding it: one instance has one reservation. */
function targetOfNode(
  cluster: Cluster,
  { name }: ObservedNode,
  claim: NodeClaim | undefined,
): ReservationTarget {
  if (claim === undefined) return { kind: 'Node', name };
  const own: ReservationTarget = { kind: 'NodeClaim', name: claim.name };
  const isUp = !isStarting(claim);
  return isUp && cluster.reservations.get(reservationName(own)) === undefined ? { kind: 'Node', name } : own;
}

interface Placed {
  readonly demand: ReadonlySet<ObservedPod>;
  /** Pods of which successors come to other nodes. */
  readonly leaving: ReadonlySet<ObservedPod>;
}

function placedPods(cluster: Cluster, { demand, leaving }: Placed): readonly Pod[] {
  const result: Pod[] = [];
  for (const pod of cluster.pods.values()) {
    if (demand.has(pod)) continue;
    const nodeName = pod.nodeName ?? plannedPlace(cluster, pod);
    if (nodeName === undefined) continue;
    if (nodeName !== pod.nodeName) result.push({ ...pod, nodeName });
    else result.push(leaving.has(pod) ? { ...pod, move: 'leaves' } : pod);
  }
  return result;
}

function plannedPlace(cluster: Cluster, pod: ObservedPod): string | undefined {
  const [held] = cluster.entriesOfPod(pod.uid);
  return held === undefined ? pod.nominatedNodeName : plannedNodeName(cluster, held.reservation.target);
}

interface HeldForOwners {
  /** Pods that come in the place of moved ones, where they are to go: they count for topology beside those that are still there. */
  readonly coming: readonly Pod[];
  /** Pods of the same owners on nodes that go. */
  readonly leaving: ReadonlySet<ObservedPod>;
  /** Node of the input → room for other pods that do not exist yet. */
  readonly room: ReadonlyMap<string, ResourceList>;
}

function heldForOwners(cluster: Cluster): HeldForOwners {
  const room = new Map<string, ResourceList>();
  const coming: Pod[] = [];
  const owners = new Set<string>();
  for (const { target, entries } of cluster.reservations.values()) {
    const ofOwners = entries.filter(({ owner }) => owner !== undefined);
    const nodeName = ofOwners.length === 0 ? undefined : plannedNodeName(cluster, target);
    if (nodeName === undefined) continue;
    for (const entry of ofOwners) {
      const pods = comingPods(cluster, entry, nodeName);
      coming.push(...pods);
      if (pods.length > 0 && entry.owner !== undefined) owners.add(ownerKey(entry.owner));
      else room.set(nodeName, addResources(room.get(nodeName) ?? NO_RESOURCES, roomOf(entry)));
    }
  }
  return { coming, leaving: leavingPods(cluster, owners), room };
}

/** `owners` as `ownerKeyOf` a pod has them. */
function leavingPods(cluster: Cluster, owners: ReadonlySet<string>): ReadonlySet<ObservedPod> {
  const leaving = new Set<ObservedPod>();
  for (const owner of owners) {
    for (const pod of cluster.podsOf(owner)) {
      if (pod.nodeName === undefined || pod.terminating) continue;
      if (isLeaving(cluster.claimOfNode(pod.nodeName), cluster.nodes.get(pod.nodeName))) leaving.add(pod);
    }
  }
  return leaving;
}

/** None where no pod shows what they are like. */
function comingPods(
  cluster: Cluster,
  { owner, reason, count }: ReservationEntry,
  nodeName: string,
): readonly Pod[] {
  if (owner === undefined || reason !== MOVED) return [];
  const like = cluster.podsOf(ownerKey(owner)).find((pod) => !isFinished(pod));
  if (like === undefined) return [];
  const { volumes, resourceClaims } = like.spec;
  // Volumes are where they are until then; devices are those of the node that the pods come to.
  const spec =
    volumes.length + resourceClaims.length === 0
      ? like.spec
      : { ...like.spec, volumes: [], resourceClaims: resourceClaims.map(ofSuccessor) };
  const pod: Pod = { ...successorOf(like), spec, gang: undefined, nodeName, move: 'comes' };
  return Array.from({ length: count }, (_, index) => ({
    ...pod,
    name: `${like.name} (comes to ${nodeName}, ${String(index + 1)})`,
    uid: `${like.uid} ${nodeName} ${String(index + 1)}`,
  }));
}

function roomOf({ requests, count }: ReservationEntry): ResourceList {
  return new Map([...requests].map(([resource, amount]) => [resource, amount * count]));
}
