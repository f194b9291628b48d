/** An instance as people see it: a claim, its node, or both, from the order to the end. */
import { isFinished } from '../../domain/pods/pod.js';
import { isTrue } from '../../domain/values/condition.js';
import {
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODEPOOL,
  NO_LABELS,
  ZONE,
  type Labels,
} from '../../domain/values/labels.js';
import { NEW_CLAIM_STATUS, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { reservationName, type ReservationEntry } from '../../domain/records/reservation.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../cluster/cluster.js';
import { isLeaving } from './node-state.js';

/** Where it is in its life; `Launching` has no instance yet, `Starting` has one whose node cannot take all its pods yet. */
export type NodePhase = 'Launching' | 'Starting' | 'Ready' | 'NotReady' | 'Leaving';

export interface StateNode {
  /** The node's name, the claim's while there is no node. */
  readonly name: string;
  readonly node: ObservedNode | undefined;
  readonly claim: NodeClaim | undefined;
  /** '' for a node that no pool made. */
  readonly nodePool: string;
  /** '' while it is open, as are zone and capacity type. */
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** USD/h; undefined where it is not known: before the launch, and of nodes that Berth did not launch. */
  readonly hourlyPrice: number | undefined;
  /** What it has for pods; what it was asked for while that is all that is known. */
  readonly allocatable: ResourceList;
  readonly phase: NodePhase;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** All instances, each once: nodes first. */
export function stateNodes(cluster: Cluster): readonly StateNode[] {
  const withNodes = [...cluster.nodes.values()].map((node) => describe(node, cluster.claimOfNode(node.name)));
  const inFlight = [...cluster.nodeClaims.values()]
    .filter(({ name }) => cluster.nodeOfClaim(name) === undefined)
    .map((claim) => describe(undefined, claim));
  return [...withNodes, ...inFlight];
}

export function stateNodeOfNode(cluster: Cluster, nodeName: string): StateNode | undefined {
  const node = cluster.nodes.get(nodeName);
  return node === undefined ? undefined : describe(node, cluster.claimOfNode(nodeName));
}

export function stateNodeOfClaim(cluster: Cluster, claimName: string): StateNode | undefined {
  const claim = cluster.nodeClaims.get(claimName);
  return claim === undefined ? undefined : describe(cluster.nodeOfClaim(claimName), claim);
}

/** Pods on the instance that have not finished. */
export function podsOn(cluster: Cluster, { node }: StateNode): readonly ObservedPod[] {
  if (node === undefined) return [];
  return cluster.podsOn(node.name).filter((pod) => !isFinished(pod));
}

/** Entries of the reservations that hold room on the instance, by either of its names. */
export function heldOn(cluster: Cluster, { node, claim }: StateNode): readonly ReservationEntry[] {
  const byNode =
    node === undefined
      ? undefined
      : cluster.reservations.get(reservationName({ kind: 'Node', name: node.name }));
  const byClaim =
    claim === undefined
      ? undefined
      : cluster.reservations.get(reservationName({ kind: 'NodeClaim', name: claim.name }));
  return [...(byNode?.entries ?? []), ...(byClaim?.entries ?? [])];
}

/** Pods that are to come: those that room is held for by name and that are not bound anywhere. */
export function awaitedOn(cluster: Cluster, stateNode: StateNode): readonly ObservedPod[] {
  const seen = new Set<string>();
  return heldOn(cluster, stateNode).flatMap(({ podUID }) => {
    const pod = podUID === undefined || seen.has(podUID) ? undefined : cluster.podByUID(podUID);
    if (pod === undefined || pod.nodeName !== undefined) return [];
    seen.add(pod.uid);
    return [pod];
  });
}

/** The message of the claim's condition Drifted while that is True (its reason where the message is empty). */
export function driftOf({ claim }: StateNode): string | undefined {
  const drift = claim?.status.conditions.find(({ type, status }) => type === 'Drifted' && status === 'True');
  return drift?.message === '' ? drift.reason : drift?.message;
}

function describe(node: ObservedNode | undefined, claim: NodeClaim | undefined): StateNode {
  return {
    name: node?.name ?? claim?.name ?? '',
    node,
    claim,
    ...bought(node?.labels ?? NO_LABELS, claim),
    allocatable: allocatableOf(node, claim),
    phase: phaseOf(node, claim),
    createdAt: claim?.createdAt ?? node?.createdAt ?? 0,
  };
}

type Bought = Pick<StateNode, 'nodePool' | 'instanceType' | 'zone' | 'capacityType' | 'hourlyPrice'>;

/** From the claim; for nodes without one, from their labels. */
function bought(labels: Labels, claim: NodeClaim | undefined): Bought {
  const { instanceType, zone, capacityType, hourlyPrice } = claim?.status ?? NEW_CLAIM_STATUS;
  const or = (known: string | undefined, key: string): string => known ?? labels.get(key) ?? '';
  return {
    nodePool: or(claim?.spec.nodePool, NODEPOOL),
    instanceType: or(instanceType, INSTANCE_TYPE),
    zone: or(zone, ZONE),
    capacityType: or(capacityType, CAPACITY_TYPE),
    hourlyPrice,
  };
}

const NOTHING: ResourceList = new Map();

/** A node that has just registered may report nothing yet of what its claim knows already. */
function allocatableOf(node: ObservedNode | undefined, claim: NodeClaim | undefined): ResourceList {
  const known = claim?.status.allocatable ?? NOTHING;
  const reported = node?.allocatable ?? NOTHING;
  if (known.size === 0 && reported.size === 0) return claim?.spec.requests ?? NOTHING;
  // Nearly always the node reports everything, and thousands are asked for at once.
  for (const resource of known.keys()) if (!reported.has(resource)) return new Map([...known, ...reported]);
  return reported;
}

function phaseOf(node: ObservedNode | undefined, claim: NodeClaim | undefined): NodePhase {
  if (isLeaving(claim, node)) return 'Leaving';
  if (node === undefined) return claim?.status.providerID === undefined ? 'Launching' : 'Starting';
  if (claim !== undefined && !isTrue(claim.status.conditions, 'Initialized')) return 'Starting';
  return node.ready ? 'Ready' : 'NotReady';
}
