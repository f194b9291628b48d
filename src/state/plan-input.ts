/**
 * The cluster as planning takes it: nodes and claims in flight, pods where they are or are planned to be, and the pods
 * that want a place.
 */
import type { InstanceType } from '../domain/instance-type.js';
import { isTrue } from '../domain/condition.js';
import type { NodeClaim } from '../domain/node-claim.js';
import type { Node } from '../domain/node.js';
import type { ObservedNode } from '../domain/observed-node.js';
import type { ObservedPod } from '../domain/observed-pod.js';
import type { Pod } from '../domain/pod.js';
import { reservationName, type ReservationEntry, type ReservationTarget } from '../domain/reservation.js';
import { addResources, NO_RESOURCES, subtractResources, type ResourceList } from '../domain/resources.js';
import type { ClusterInput, PoolOffer } from '../planning/snapshot/cluster-input.js';
import type { Cluster } from './cluster.js';
import { closedNode, nodeOfFlight, nodeStartingUp } from './expected-node.js';
import { withGangs } from './gangs.js';
import { isLeaving } from './node-state.js';

export interface PlanInputOptions {
  /** Pods that want a place; none of them bound or reserved. */
  readonly demand: readonly ObservedPod[];
  readonly pools: readonly PoolOffer[];
  /**
   * The instance types of a node class for nodes of a pool, whether or not they are available; empty when there is no such
   * class.
   */
  readonly typesOf: (nodeClass: string, nodePool: string) => readonly InstanceType[];
}

export interface PlanInput {
  readonly input: ClusterInput;
  /** What a reservation on the input's node of this name is for. */
  readonly targetOf: (nodeName: string) => ReservationTarget | undefined;
}

/** A node of the input, with the cluster's name for it. */
interface PlannedNode {
  readonly node: Node;
  readonly target: ReservationTarget;
}

/**
 * A claim without a node is a node named as the claim; reserved pods are bound where they are reserved, and pods that
 * kube-scheduler makes room for by preemption where it nominated them. What goes away takes no new pods, but still counts
 * against limits and for topology.
 */
export function planInput(cluster: Cluster, { demand, pools, typesOf }: PlanInputOptions): PlanInput {
  const planned = plannedNodes(cluster, typesOf);
  const targets = new Map(planned.map(({ node, target }) => [node.name, target]));
  const held = heldForOwners(cluster);
  const nodes = planned.map(({ node }) => {
    const room = held.get(node.name);
    return room === undefined ? node : { ...node, allocatable: subtractResources(node.allocatable, room) };
  });
  const { pods, gangs } = withGangs(cluster, [...placedPods(cluster, new Set(demand)), ...demand]);
  return {
    input: {
      pods,
      gangs,
      nodes,
      daemonSets: [...cluster.daemonSets.values()],
      pools,
      persistentVolumeClaims: [...cluster.persistentVolumeClaims.values()],
      persistentVolumes: [...cluster.persistentVolumes.values()],
      storageClasses: [...cluster.storageClasses.values()],
      namespaces: new Map([...cluster.namespaces.values()].map(({ name, labels }) => [name, labels])),
    },
    targetOf: (nodeName) => targets.get(nodeName),
  };
}

/** The name that a target's node has in the input; undefined when it has none (any more). */
export function plannedNodeName(cluster: Cluster, { kind, name }: ReservationTarget): string | undefined {
  if (kind === 'Node') return cluster.nodes.get(name)?.name;
  return cluster.nodeOfClaim(name)?.name ?? cluster.nodeClaims.get(name)?.name;
}

function plannedNodes(cluster: Cluster, typesOf: PlanInputOptions['typesOf']): readonly PlannedNode[] {
  const result: PlannedNode[] = [];
  for (const node of cluster.nodes.values()) {
    const claim = cluster.claimOfNode(node.name);
    const target = targetOfNode(cluster, node, claim);
    const seen = claim === undefined ? node : nodeAsPlanned(node, claim, typesOf);
    result.push({ node: isLeaving(claim, node) ? closedNode(seen) : seen, target });
  }
  for (const claim of cluster.nodeClaims.values()) {
    const isGone = claim.deletionTimestamp !== undefined && claim.status.providerID === undefined;
    if (isGone || cluster.nodeOfClaim(claim.name) !== undefined) continue;
    const flight = nodeOfFlight(claim, typesOf(claim.spec.nodeClassRef.name, claim.spec.nodePool));
    result.push({
      node: isLeaving(claim, undefined) ? closedNode(flight) : flight,
      target: { kind: 'NodeClaim', name: claim.name },
    });
  }
  return result;
}

function nodeAsPlanned(node: ObservedNode, claim: NodeClaim, typesOf: PlanInputOptions['typesOf']): Node {
  if (isTrue(claim.status.conditions, 'Initialized')) return node;
  return nodeStartingUp(node, claim, typesOf(claim.spec.nodeClassRef.name, claim.spec.nodePool));
}

/** A claim that holds room already, or is not up yet, keeps holding it: one instance has one reservation. */
function targetOfNode(
  cluster: Cluster,
  { name }: ObservedNode,
  claim: NodeClaim | undefined,
): ReservationTarget {
  if (claim === undefined) return { kind: 'Node', name };
  const own: ReservationTarget = { kind: 'NodeClaim', name: claim.name };
  const isUp = isTrue(claim.status.conditions, 'Initialized');
  return isUp && cluster.reservations.get(reservationName(own)) === undefined ? { kind: 'Node', name } : own;
}

function placedPods(cluster: Cluster, demand: ReadonlySet<ObservedPod>): readonly Pod[] {
  const result: Pod[] = [];
  for (const pod of cluster.pods.values()) {
    if (demand.has(pod)) continue;
    const nodeName = pod.nodeName ?? plannedPlace(cluster, pod);
    if (nodeName !== undefined) result.push(nodeName === pod.nodeName ? pod : { ...pod, nodeName });
  }
  return result;
}

function plannedPlace(cluster: Cluster, pod: ObservedPod): string | undefined {
  const [held] = cluster.entriesOfPod(pod.uid);
  return held === undefined ? pod.nominatedNodeName : plannedNodeName(cluster, held.reservation.target);
}

/** Node of the input → room for pods that do not exist yet. */
function heldForOwners(cluster: Cluster): ReadonlyMap<string, ResourceList> {
  const result = new Map<string, ResourceList>();
  for (const { target, entries } of cluster.reservations.values()) {
    const room = entries.filter(({ owner }) => owner !== undefined).map(roomOf);
    const name = room.length > 0 ? plannedNodeName(cluster, target) : undefined;
    if (name !== undefined) result.set(name, room.reduce(addResources, result.get(name) ?? NO_RESOURCES));
  }
  return result;
}

function roomOf({ requests, count }: ReservationEntry): ResourceList {
  return new Map([...requests].map(([resource, amount]) => [resource, amount * count]));
}
