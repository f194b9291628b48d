/**
 * Which pods take the room that is held for their owner: those of it that wait, in the order of their age, as many as there is
 * room for, over its reservations in the order of their names; but none where its volumes are not.
 */
import { demandStatus, type DemandTerms } from '../../domain/pods/demand.js';
import type { Pod } from '../../domain/pods/pod.js';
import { isRequestOwner } from '../../domain/pods/provisioning-request.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Reservation, ReservationEntry, ReservationTarget } from '../../domain/records/reservation.js';
import type { Cluster } from '../cluster/cluster.js';
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import { type LabelLookup, ZONE } from '../../domain/values/labels.js';
import { labelsSatisfy } from '../../domain/values/requirements.js';
import { isWithin } from '../../domain/values/resources.js';

/** An entry for an owner, with the pods that are to have its room. */
export interface TakenEntry {
  readonly reservation: Reservation;
  readonly entry: ReservationEntry;
  /** At most `entry.count`. */
  readonly pods: readonly ObservedPod[];
}

/** `owner` as `ownerKeyOf` a pod has it. */
export function takenEntries(
  cluster: Cluster,
  owner: string,
  terms: DemandTerms = cluster.demandTerms,
): readonly TakenEntry[] {
  const held = cluster.entriesOfOwner(owner);
  if (held.length === 0) return [];
  const waiting = cluster
    .podsOf(owner)
    .filter((pod) => demandStatus(pod, terms) === 'demand' && cluster.entriesOfPod(pod.uid).length === 0)
    .filter((pod) => cluster.roomKeyOf(pod) === owner)
    .sort(byAge);
  const taken = new Set<ObservedPod>();
  return held.map(({ reservation, entry }) => {
    const pods = waiting
      .filter((pod) => !taken.has(pod) && isRoomFor(entry, pod, held))
      .filter((pod) => reachesVolumes(cluster, pod, reservation.target))
      .slice(0, entry.count);
    for (const pod of pods) taken.add(pod);
    return { reservation, entry, pods };
  });
}

/** Whether the pod waits for room that is held for its owner, and need not be planned. */
export function takesOwnersRoom(
  cluster: Cluster,
  pod: ObservedPod,
  terms: DemandTerms = cluster.demandTerms,
): boolean {
  const owner = cluster.roomKeyOf(pod);
  if (owner === undefined || cluster.entriesOfOwner(owner).length === 0) return false;
  return takenEntries(cluster, owner, terms).some(({ pods }) => pods.some(({ uid }) => uid === pod.uid));
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
