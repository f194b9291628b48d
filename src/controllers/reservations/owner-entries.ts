/** What becomes of room that is held for an owner: its pods take it as they come, and it is prolonged while more may come. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isRequestOwner } from '../../domain/pods/provisioning-request.js';
import { MOVED, MOVED_MILLIS, type ReservationEntry } from '../../domain/records/reservation.js';
import { isMovable } from '../../domain/pods/movable-pods.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { isLeaving } from '../../state/nodes/node-state.js';
import { ownerKey } from '../../state/cluster/owner-key.js';
import { movesForResize } from '../../state/planning/resize-moves.js';
import { isRoomFor, takenEntries } from '../../state/ledger/owner-room.js';
import type { Change } from '../../state/cluster/store.js';

/** Prolonged when less than this is left. */
const RENEW_MILLIS = MOVED_MILLIS / 2;

/** Pods that were bound before they had an entry of their own: each has used up a part of its owner's. */
export class Arrivals {
  readonly #cluster: Cluster;
  /** Reservation → owner → uids. */
  readonly #uids = new Map<string, Map<string, Set<string>>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Answers the reservations that the change is about. */
  note({ before, after }: Change<ObservedPod>): readonly string[] {
    const isArrival =
      after?.nodeName !== undefined && (before?.uid !== after.uid || before.nodeName === undefined);
    const owner = after === undefined ? undefined : this.#cluster.roomKeyOf(after);
    if (after === undefined || owner === undefined || !isArrival) return [];
    if (this.#cluster.entriesOfPod(after.uid).length > 0) return [];
    const held = this.#cluster.entriesOfOwner(owner).find(({ reservation: { target } }) => {
      const node = target.kind === 'Node' ? target.name : this.#cluster.nodeOfClaim(target.name)?.name;
      return node === after.nodeName;
    });
    if (held === undefined) return [];
    const { name } = held.reservation;
    this.#add(name, owner, after.uid);
    return [name];
  }

  #add(reservation: string, owner: string, uid: string): void {
    const owners = this.#uids.get(reservation) ?? new Map<string, Set<string>>();
    this.#uids.set(reservation, owners.set(owner, (owners.get(owner) ?? new Set()).add(uid)));
  }

  of(reservation: string, owner: string): readonly string[] {
    return [...(this.#uids.get(reservation)?.get(owner) ?? [])];
  }

  /** The reservation is gone. */
  forget(reservation: string): void {
    this.#uids.delete(reservation);
  }

  /** They have been taken off the entry. */
  settled(reservation: string, owner: string, uids: readonly string[]): void {
    const owners = this.#uids.get(reservation);
    const left = owners?.get(owner);
    for (const uid of uids) left?.delete(uid);
    if (left?.size === 0) owners?.delete(owner);
    if (owners?.size === 0) this.#uids.delete(reservation);
  }
}

export interface OwnerEntryFate {
  /** In the place of the entry. */
  readonly entries: readonly ReservationEntry[];
  /** Uids of the pods that it was lowered for because they have arrived. */
  readonly arrived: readonly string[];
}

export interface OwnerEntryQuestion {
  /** Name of the reservation that the entry is in. */
  readonly reservation: string;
  readonly entry: ReservationEntry;
  /** Of `Arrivals`. */
  readonly arrivals: readonly string[];
  /** Uids of pods that are being written into a reservation → its name. */
  readonly adopting: ReadonlyMap<string, string>;
}

/** The entry as it is to be now. `now` in milliseconds since 1970. */
export function ownerEntryFate(
  cluster: Cluster,
  { reservation, entry, arrivals, adopting }: OwnerEntryQuestion,
  now: number,
): OwnerEntryFate {
  const owner = entry.owner === undefined ? '' : ownerKey(entry.owner);
  const arrived = arrivals.filter((uid) => hasTaken(cluster, entry, uid));
  const own = takenEntries(cluster, owner, { adopting }).find(
    (taken) => taken.reservation.name === reservation && taken.entry === entry,
  );
  const free = Math.max(0, entry.count - arrived.length);
  const adopted = (own?.pods ?? []).slice(0, free);
  // Room that is booked has its time, whatever becomes of the pods that took of it.
  const isAwaited = entry.reason === MOVED && awaits(cluster, owner, now);
  const rest = rested(entry, { count: free - adopted.length, isAwaited, now });
  return { entries: [...adopted.map(entryOf(entry)), ...rest], arrived };
}

/** Of a ProvisioningRequest there may be several entries on a node, for pods that differ. */
function hasTaken(cluster: Cluster, entry: ReservationEntry, podUID: string): boolean {
  if (!isRequestOwner(entry.owner)) return true;
  const pod = cluster.podByUID(podUID);
  return pod !== undefined && isRoomFor(entry, pod, cluster.entriesOfOwner(ownerKey(entry.owner)));
}

/** What is left of the entry: the same one where nothing changes. */
function rested(
  entry: ReservationEntry,
  { count, isAwaited, now }: { readonly count: number; readonly isAwaited: boolean; readonly now: number },
): readonly ReservationEntry[] {
  const left = (entry.expiresAt ?? Infinity) - now;
  if (count <= 0 || (left <= 0 && !isAwaited)) return [];
  if (isAwaited && left <= RENEW_MILLIS) return [{ ...entry, count, expiresAt: now + MOVED_MILLIS }];
  return [count === entry.count ? entry : { ...entry, count }];
}

/** When the entry has to be looked at again, in milliseconds since 1970. */
export function ownerEntryLook({ expiresAt }: ReservationEntry, now: number): number {
  if (expiresAt === undefined) return Infinity;
  return expiresAt - RENEW_MILLIS > now ? expiresAt - RENEW_MILLIS : expiresAt;
}

/** Whether pods of the owner are on nodes that go, or move for their resize: others will come in their place. */
function awaits(cluster: Cluster, owner: string, now: number): boolean {
  return cluster.podsOf(owner).some((pod) => {
    if (pod.nodeName === undefined || !isMovable(pod)) return false;
    if (isLeaving(cluster.claimOfNode(pod.nodeName), cluster.nodes.get(pod.nodeName))) return true;
    return movesForResize(cluster, pod, now);
  });
}

function entryOf({ reason }: ReservationEntry): (pod: ObservedPod) => ReservationEntry {
  return ({ uid, spec }) => ({
    podUID: uid,
    owner: undefined,
    count: 1,
    requests: spec.requests,
    priority: spec.priority,
    reason,
    expiresAt: undefined,
  });
}
