/**
 * Which pods take the room that is held for their owner: those of it that wait, in the order of their age, as many as there is
 * room for, over its reservations in the order of their names; but none where its volumes are not. Pods that are moved one after
 * the other take first the room where they can be bound at this moment: by their topology spread, and on nodes that are there.
 */
import { demandStatus, type DemandTerms } from '../../domain/pods/demand.js';
import { isFinished, type Pod } from '../../domain/pods/pod.js';
import type { TopologySpreadConstraint } from '../../domain/pods/topology-spread.js';
import { isMovable } from '../../domain/pods/movable-pods.js';
import { isRequestOwner } from '../../domain/pods/provisioning-request.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { isTrue } from '../../domain/values/condition.js';
import {
  MOVED,
  type Reservation,
  type ReservationEntry,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import { methodOf, METHODS } from '../../planning/disrupt/methods.js';
import type { Cluster } from '../cluster/cluster.js';
import type { HeldEntry } from '../cluster/reservation-index.js';
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import { HOSTNAME, type LabelLookup, ZONE } from '../../domain/values/labels.js';
import { labelsSatisfy } from '../../domain/values/requirements.js';
import { isWithin } from '../../domain/values/resources.js';
import { targetState } from '../nodes/node-state.js';

/** An entry for an owner, with the pods that are to have its room. */
export interface TakenEntry {
  readonly reservation: Reservation;
  readonly entry: ReservationEntry;
  /** At most `entry.count`. */
  readonly pods: readonly ObservedPod[];
}

export interface TakenOptions {
  /** Those of the cluster unless given. */
  readonly terms?: DemandTerms;
  /** Uids of pods that are being written into a reservation → its name: they take no other room. */
  readonly adopting?: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** `owner` as `ownerKeyOf` a pod has it. */
export function takenEntries(
  cluster: Cluster,
  owner: string,
  { terms = cluster.demandTerms, adopting = NONE }: TakenOptions = {},
): readonly TakenEntry[] {
  const held = inOrder(cluster, owner);
  if (held.length === 0) return [];
  const waiting = cluster
    .podsOf(owner)
    .filter((pod) => demandStatus(pod, terms) === 'demand' && cluster.entriesOfPod(pod.uid).length === 0)
    .filter((pod) => cluster.roomKeyOf(pod) === owner)
    .sort(byAge);
  const dealt = held.map((each) => ({ ...each, pods: [] as ObservedPod[] }));
  const left = new Set(waiting);
  let spare = spareRoom(cluster, owner);
  /** Of the pods that are left those that may have it take the room of each entry. */
  const deal = (isFor: (pod: ObservedPod, reservation: Reservation) => boolean): void => {
    for (const { reservation, entry, pods } of dealt) {
      const room = entry.count - pods.length;
      const takers = [...left]
        .filter((pod) => isFor(pod, reservation) && isRoomFor(entry, pod, held))
        .filter((pod) => reachesVolumes(cluster, pod, reservation.target))
        .slice(0, entry.reason === MOVED ? Math.min(room, spare) : room);
      for (const pod of takers) left.delete(pod);
      pods.push(...takers);
      if (entry.reason === MOVED) spare -= takers.length;
    }
  };
  if (adopting.size > 0) deal(({ uid }, { name }) => adopting.get(uid) === name);
  deal(({ uid }) => !adopting.has(uid));
  return dealt;
}

/** More than an owner has pods. */
const MANY_PODS = 1e9;
/** What is ranked by whole pods is ranked by this only where it is equal. */
const HALF_A_POD = 0.5;

/**
 * The owner's entries in the order in which its pods take them: others than those for moved pods; those where kube-scheduler would
 * bind a pod now, the fullest domain first, since it is full again once another pod has left the emptiest; those where it would once
 * the node is there; then the others. Nodes that will have to go come after their like: pods that were to move there before that was
 * known take the room that is left.
 */
function inOrder(cluster: Cluster, owner: string): readonly HeldEntry[] {
  const held = cluster.entriesOfOwner(owner);
  const moved = held.filter(({ entry }) => entry.reason === MOVED);
  if (moved.length < 2) return held;
  const spreads = spreadRanks(cluster, owner, moved);
  const rankOf = new Map(
    moved.map((each, index) => {
      const { isUsable, claim } = targetState(cluster, each.reservation.target);
      const rank = (isUsable ? 0 : MANY_PODS) + (hasToGo(claim) ? HALF_A_POD : 0);
      return [each, rank + (spreads[index] ?? 0)];
    }),
  );
  const ranked = held.map((each) => ({ each, rank: rankOf.get(each) ?? -Infinity }));
  return ranked.sort(byRank).map(({ each }) => each);
}

/** Conditions of claims whose nodes some method replaces, as soon as it may. */
const DUE = METHODS.flatMap(({ due, condition }) => (due === undefined ? [] : (condition?.type ?? [])));

function hasToGo(claim: NodeClaim | undefined): boolean {
  return claim !== undefined && DUE.some((type) => isTrue(claim.status.conditions, type));
}

/** By the pods' topology spread, which are alike: what `ranksIn` says, for each entry. */
function spreadRanks(cluster: Cluster, owner: string, entries: readonly HeldEntry[]): readonly number[] {
  const [first] = cluster.podsOf(owner);
  const spreads = first === undefined ? [] : sharedSpreads(first);
  if (spreads.length === 0) return entries.map(() => 0);
  const labels = entries.map(({ reservation }) => labelsOf(cluster, reservation.target));
  const ranks = spreads.map((spread) =>
    ranksIn(
      podsByDomain(cluster, owner, spread.topologyKey),
      labels.map((each) => each?.get(spread.topologyKey)),
      spread,
    ),
  );
  return entries.map((_, index) => ranks.reduce((sum, rank) => sum + (rank[index] ?? 0), 0));
}

/** By Infinity as well, which cannot be taken from itself. */
function byRank(
  { rank: one }: { readonly rank: number },
  { rank: other }: { readonly rank: number },
): number {
  return one === other ? 0 : one - other;
}

/** Of rooms in these domains: less for fuller ones, Infinity for those where the spread lets no pod be bound now. */
function ranksIn(
  pods: ReadonlyMap<string, number>,
  domains: readonly (string | undefined)[],
  { maxSkew }: TopologySpreadConstraint,
): readonly number[] {
  const counts = domains.map((domain) => (domain === undefined ? Infinity : (pods.get(domain) ?? 0)));
  const least = Math.min(...pods.values(), ...counts);
  return counts.map((here) => (here < least + maxSkew ? -here : Infinity));
}

/** Hard constraints whose domains are more than one node. */
function sharedSpreads({ spec: { spread } }: ObservedPod): readonly TopologySpreadConstraint[] {
  return spread.filter(
    ({ topologyKey, whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule' && topologyKey !== HOSTNAME,
  );
}

/** Domain → pods of the owner that kube-scheduler counts there now. */
function podsByDomain(cluster: Cluster, owner: string, topologyKey: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of cluster.podsOf(owner)) {
    if (pod.nodeName === undefined || pod.terminating || isFinished(pod)) continue;
    const domain = cluster.nodes.get(pod.nodeName)?.labels.get(topologyKey);
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}

/** Pods that the owner's entries for moved pods hold room for. `countOf` is what is left of an entry: its count, unless given. */
export function movedRoom(
  cluster: Cluster,
  owner: string,
  countOf: (held: Omit<TakenEntry, 'pods'>) => number = ({ entry }) => entry.count,
): number {
  const moved = cluster.entriesOfOwner(owner).filter(({ entry }) => entry.reason === MOVED);
  return moved.reduce((sum, each) => sum + countOf(each), 0);
}

/**
 * For how many pods the owner's entries for moved pods have room beside that of the pods which are still to be evicted: a pod
 * that comes before them does not have that room, for it replaces none of them. `held` is the room for moved pods.
 */
export function spareRoom(cluster: Cluster, owner: string, held = movedRoom(cluster, owner)): number {
  return held === 0 ? 0 : Math.max(0, held - podsToBeEvicted(cluster, owner));
}

/** For how many of the owner's pods that are still to be evicted no room is held. */
export function missingRoom(cluster: Cluster, owner: string): number {
  return Math.max(0, podsToBeEvicted(cluster, owner) - movedRoom(cluster, owner));
}

function podsToBeEvicted(cluster: Cluster, owner: string): number {
  return cluster.podsOf(owner).filter((pod) => isToBeEvicted(cluster, pod)).length;
}

/** Whether room is held for the pod that comes in its place: its node goes by a decision whose replacements are there, or that needs none. */
function isToBeEvicted(cluster: Cluster, pod: ObservedPod): boolean {
  if (pod.nodeName === undefined || !isMovable(pod)) return false;
  const claim = cluster.claimOfNode(pod.nodeName);
  if (claim === undefined || methodOf(claim.status.disruption?.reason) === undefined) return false;
  return claim.deletionTimestamp !== undefined || cluster.isReplaced(claim.name);
}

/** Whether the pod waits for room that is held for its owner, and need not be planned. */
export function takesOwnersRoom(
  cluster: Cluster,
  pod: ObservedPod,
  terms: DemandTerms = cluster.demandTerms,
): boolean {
  const owner = cluster.roomKeyOf(pod);
  if (owner === undefined || cluster.entriesOfOwner(owner).length === 0) return false;
  return takenEntries(cluster, owner, { terms }).some(({ pods }) => pods.some(({ uid }) => uid === pod.uid));
}

/**
 * Whether the entry is for pods like this one. Pods of an owner and template are alike; a ProvisioningRequest has several
 * templates, and its pods do not say of which they are: those that ask for as much as one of its entries take that, others one
 * that has enough. `held` are all entries of the owner.
 */
export function isRoomFor(
  entry: ReservationEntry,
  { spec }: Pick<Pod, 'spec'>,
  held: readonly Pick<TakenEntry, 'entry'>[],
): boolean {
  if (!isRequestOwner(entry.owner)) return true;
  if (!isWithin(spec.requests, entry.requests)) return false;
  const isExact = (other: ReservationEntry): boolean => isWithin(other.requests, spec.requests);
  return (
    isExact(entry) ||
    !held.some((other) => isExact(other.entry) && isWithin(spec.requests, other.entry.requests))
  );
}

function byAge(left: ObservedPod, right: ObservedPod): number {
  return left.createdAt - right.createdAt || (left.uid < right.uid ? -1 : 1);
}

/** True, too, where it is unknown: volumes without a zone, targets without labels. */
function reachesVolumes(cluster: Cluster, pod: ObservedPod, target: ReservationTarget): boolean {
  const labels = pod.spec.volumes.length === 0 ? undefined : labelsOf(cluster, target);
  if (labels === undefined) return true;
  return pod.spec.volumes.every(({ claim }) => {
    const name = cluster.persistentVolumeClaims.get(claim)?.volumeName;
    const volume = name === undefined ? undefined : cluster.persistentVolumes.get(name);
    return isAmong(volume?.nodeAffinity, labels) && isAmong(volume?.zones, labels);
  });
}

function isAmong(terms: readonly NodeSelectorTerm[] | undefined, labels: LabelLookup): boolean {
  return terms === undefined || terms.some((term) => labelsSatisfy(term.labels, labels));
}

/** Those of the node; of a claim without one only the zone is known, and only once it has an instance. */
function labelsOf(cluster: Cluster, { kind, name }: ReservationTarget): LabelLookup | undefined {
  const node = kind === 'Node' ? cluster.nodes.get(name) : cluster.nodeOfClaim(name);
  if (node !== undefined) return node.labels;
  const zone = kind === 'Node' ? undefined : cluster.nodeClaims.get(name)?.status.zone;
  return zone === undefined ? undefined : new Map([[ZONE, zone]]);
}
