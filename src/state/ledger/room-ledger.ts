/** Who has how much room on which node: the books that the extender answers from, kept up with every change. */
import { isFinished } from '../../domain/pods/pod.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import {
  MOVED,
  reservationName,
  type Reservation,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import type { FilterAnswer } from '../../planning/placement/filter.js';
import { pinnedNode } from '../../planning/placement/pinned-node.js';
import type { PlacementPod } from '../../planning/placement/placement-view.js';
import type { Clock } from '../../ports/clock.js';
import { Charges } from './charges.js';
import type { Cluster } from '../cluster/cluster.js';
import { HeldRooms, type EntryRoom } from './held-room.js';
import { NodeAccount } from './node-account.js';
import { KeyIndex } from '../cluster/key-index.js';
import { isRoomFor, movedRoom, spareRoom } from './owner-room.js';
import { NodeRows } from './node-rows.js';
import { OpenAnswers } from './open-answers.js';
import { ResourceColumns, type Amounts } from './resource-columns.js';
import type { Change } from '../cluster/store.js';

export interface RoomLedgerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** How long a pod that was answered a node is waited for. 5 s. */
  readonly chargeMillis?: number | undefined;
  /** The same for pods with volumes, which kube-scheduler binds only once their volumes are there. 60 s. */
  readonly volumeChargeMillis?: number | undefined;
}

/** Room for pods whose Reservation is not written yet. */
export interface UnwrittenRoom {
  /** Whether a pod may still be on its way to the node that kube-scheduler was answered it for before the room was held. */
  hasGuests(): boolean;
  /** The Reservation is written, or will not be. */
  end(): void;
}

/**
 * For each node: what it has, what bound pods use, what reservations hold for pods that have not arrived, what pending
 * DaemonSet pods need, and what is charged to pods that were answered the node and are not seen bound yet.
 *
 * As long as pods are charged where they are let in and let in only where the sum of all that stays within what the
 * node has, a reservation holds, in whatever order the watches tell of reservations, binds and deletions. A pod is
 * counted once at any time: a charge rests while the pod's own reservation counts, and a reservation's entry ends with
 * the bind. Changes cost what they change, questions nothing more.
 */
export class RoomLedger {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #chargeMillis: number;
  readonly #volumeChargeMillis: number;
  readonly #columns = new ResourceColumns();
  readonly #accounts = new Map<string, NodeAccount>();
  readonly #rooms = new HeldRooms(this.#columns);
  /** Name that a target's reservation has → names of the reservations that name the target. */
  readonly #byTarget = new KeyIndex();
  readonly #charges = new Charges((uid, account) => this.#isHeldOn(uid, account));
  readonly #open = new OpenAnswers();
  /** UID of a pod that is not seen bound → when it was answered nodes, on the clock's monotonic time. */
  readonly #answeredAt = new Map<string, number>();
  /** UIDs of pods whose Reservation is being written. */
  readonly #unwritten = new Set<string>();
  readonly #shared = {
    columns: this.#columns,
    answers: this.#open,
    restricted: new Set<string>(),
    rows: new NodeRows(),
  };
  readonly #unsubscribe: readonly (() => void)[];
  /** When the next entry of a reservation expires, in milliseconds since 1970. */
  #nextExpiry = Infinity;

  constructor({ cluster, clock, chargeMillis = 5_000, volumeChargeMillis = 60_000 }: RoomLedgerOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#chargeMillis = chargeMillis;
    this.#volumeChargeMillis = volumeChargeMillis;
    for (const node of cluster.nodes.values()) this.#describe(node.name);
    for (const pod of cluster.pods.values()) this.#onPod({ before: undefined, after: pod });
    for (const reservation of cluster.reservations.values())
      this.#onReservation({ before: undefined, after: reservation });
    this.#unsubscribe = [
      cluster.pods.subscribe((change) => {
        this.#onPod(change);
      }),
      cluster.nodes.subscribe(({ key, before, after }) => {
        this.#onNode(key, [before?.providerID, after?.providerID]);
      }),
      cluster.nodeClaims.subscribe(({ key, before, after }) => {
        this.#onClaim(key, [before?.status.providerID, after?.status.providerID]);
      }),
      cluster.reservations.subscribe((change) => {
        this.#onReservation(change);
      }),
    ];
  }

  /** Stops following the cluster. */
  close(): void {
    for (const end of this.#unsubscribe) end();
  }

  /** Pods that were answered a node and are not seen bound. */
  get charges(): number {
    return this.#charges.size;
  }

  /** undefined for a node that is not known. */
  account(nodeName: string): NodeAccount | undefined {
    const account = this.#accounts.get(nodeName);
    return account?.node === undefined ? undefined : account;
  }

  /** Names of known nodes that are leaving or have room held: on all others kube-scheduler is free. */
  get restricted(): ReadonlySet<string> {
    return this.#shared.restricted;
  }

  /** The known nodes, for scores. */
  get rows(): NodeRows {
    return this.#shared.rows;
  }

  /** The rooms that reservations hold for the pod: by its own entries, else by its owner's with room left. */
  roomsFor(pod: PlacementPod): readonly { readonly reservation: Reservation; readonly room: EntryRoom }[] {
    const own = this.#cluster.entriesOfPod(pod.uid);
    const owner = own.length > 0 ? undefined : this.#cluster.roomKeyOf(pod);
    const held = owner === undefined ? own : this.#cluster.entriesOfOwner(owner);
    const isSpare = owner === undefined || this.#hasSpareRoom(owner);
    return held.flatMap(({ reservation, entry }) => {
      const room = this.#rooms.get(reservation.name, entry);
      if (room?.isFor(pod.uid) !== true || !isRoomFor(entry, pod, held)) return [];
      const isKept = entry.reason === MOVED && !isSpare && !room.hasTaken(pod.uid);
      return isKept ? [] : [{ reservation, room }];
    });
  }

  /** Whether room that is held for moved pods of the owner is more than those need that are still to be evicted. */
  #hasSpareRoom(owner: string): boolean {
    const left = movedRoom(
      this.#cluster,
      owner,
      ({ reservation, entry }) => this.#rooms.get(reservation.name, entry)?.left ?? 0,
    );
    return spareRoom(this.#cluster, owner, left) > 0;
  }

  amountsOf(pod: PlacementPod): Amounts {
    return this.#columns.amounts(pod.spec.requests);
  }

  /** What the pod's own charge takes of the node. */
  ownCharge(pod: PlacementPod, account: NodeAccount): Amounts | undefined {
    return this.#charges.countedOn(account, pod.uid);
  }

  /**
   * Pods that may be on their way to the node uncharged: they were answered it, among others, before room on it was
   * held, and are not seen bound anywhere.
   */
  possibleGuests(pod: PlacementPod, account: NodeAccount): readonly Amounts[] {
    return this.#open.until(account.guardedSince, pod.uid);
  }

  /**
   * Whether kube-scheduler was answered nodes for the pod a moment ago, and is likely to bind it to one of them. Volumes may
   * take longer than this, and fail.
   */
  isOnItsWay(podUID: string): boolean {
    const at = this.#answeredAt.get(podUID);
    return at !== undefined && this.#clock.monotonic() < at + this.#chargeMillis;
  }

  /**
   * Holds room for pods whose Reservation is not written yet, from now on: on this node, if it is there. They themselves are let
   * go nowhere until then.
   */
  holdUnwritten(pods: readonly PlacementPod[], nodeName: string | undefined): UnwrittenRoom {
    this.expire();
    const account = nodeName === undefined ? undefined : this.account(nodeName);
    const amounts = pods.map((pod) => this.amountsOf(pod));
    for (const each of amounts) account?.reserve(each, 1, 1);
    for (const { uid } of pods) this.#unwritten.add(uid);
    const own = new Set(pods.map(({ uid }) => uid));
    let hasEnded = false;
    const guests =
      account === undefined
        ? []
        : [...this.#open.podsUntil(account.guardedSince), ...this.#charges.podsOn(account)];
    return {
      hasGuests: () => {
        this.expire();
        return guests.some((uid) => !own.has(uid) && (this.#open.has(uid) || this.#charges.has(uid)));
      },
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        for (const each of amounts) account?.reserve(each, -1, -1);
        for (const uid of own) this.#unwritten.delete(uid);
      },
    };
  }

  /** Whether a Reservation with room for the pod is being written. */
  isUnwritten(podUID: string): boolean {
    return this.#unwritten.has(podUID);
  }

  /** Ends what time has ended; to be called before questions. */
  expire(): void {
    this.#charges.expire(this.#clock.monotonic());
    this.#open.expire(this.#clock.monotonic());
    const now = this.#clock.now();
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Infinity;
    for (const rooms of this.#rooms.all()) for (const room of rooms.values()) this.#settle(room);
  }

  /** The pod is asked about again: where it was to go before no longer counts. */
  release(podUID: string): void {
    this.#charges.release(podUID, false);
    this.#open.close(podUID);
    this.#answeredAt.delete(podUID);
  }

  /** So many nodes were the answer for the pod, and it may be bound before the watch reports it. */
  answered(pod: PlacementPod, passed: number, charge: FilterAnswer['charge']): void {
    const millis = pod.spec.volumes.length > 0 ? this.#volumeChargeMillis : this.#chargeMillis;
    const now = this.#clock.monotonic();
    const until = now + millis;
    if (passed > 0) this.#answeredAt.set(pod.uid, now);
    const amounts = this.amountsOf(pod);
    const account = charge === undefined ? undefined : this.account(charge.nodeName);
    const isOpen = pinnedNode(pod) === undefined && passed > (account === undefined ? 0 : 1);
    if (isOpen) this.#open.open(pod.uid, { amounts, until });
    if (account === undefined) return;
    const held = this.roomsFor(pod).find(({ reservation }) => reservation.name === charge?.reservation);
    const room = held?.room.owner === undefined ? undefined : held.room;
    this.#charges.add({ uid: pod.uid, account, amounts, until, room });
  }

  #onPod({ before, after }: Omit<Change<ObservedPod>, 'key'>): void {
    if (before !== undefined) this.#book(before, -1);
    if (after !== undefined) this.#book(after, 1);
    if (before !== undefined && before.uid !== after?.uid) this.#settlePod(before.uid, undefined);
    if (after !== undefined) this.#settlePod(after.uid, after);
    const left = before === undefined ? undefined : (before.nodeName ?? expectedOn(before));
    if (left !== undefined) this.#dropIfUnknown(left);
  }

  /** Room that the pod uses, or that is kept for it as a DaemonSet's. */
  #book(pod: ObservedPod, times: 1 | -1): void {
    if (isFinished(pod)) return;
    if (pod.nodeName !== undefined) {
      this.#accountFor(pod.nodeName).use(this.amountsOf(pod), times);
      return;
    }
    const pinned = expectedOn(pod);
    if (pinned === undefined) return;
    this.#accountFor(pinned).expectDaemons(this.amountsOf(pod), times);
  }

  /** `pod` is undefined when it is gone. */
  #settlePod(uid: string, pod: ObservedPod | undefined): void {
    if (pod === undefined || isOver(pod)) {
      this.#charges.release(uid, pod?.nodeName !== undefined);
      this.#open.close(uid);
      this.#answeredAt.delete(uid);
    } else this.#charges.recount(uid);
    for (const { reservation, entry } of this.#cluster.entriesOfPod(uid)) {
      const room = this.#rooms.get(reservation.name, entry);
      if (room !== undefined) this.#settle(room);
    }
  }

  #onNode(name: string, providerIDs: readonly (string | undefined)[]): void {
    this.#describe(name);
    this.#placeTarget({ kind: 'Node', name });
    for (const providerID of providerIDs) {
      const claim = providerID === undefined ? undefined : this.#cluster.claimByProviderID(providerID);
      if (claim !== undefined) this.#placeTarget({ kind: 'NodeClaim', name: claim.name });
    }
    this.#dropIfUnknown(name);
  }

  #onClaim(name: string, providerIDs: readonly (string | undefined)[]): void {
    for (const providerID of providerIDs) {
      const node = providerID === undefined ? undefined : this.#cluster.nodeByProviderID(providerID);
      if (node !== undefined) this.#describe(node.name);
    }
    this.#placeTarget({ kind: 'NodeClaim', name });
  }

  #describe(name: string): void {
    const node = this.#cluster.nodes.get(name);
    if (node === undefined && !this.#accounts.has(name)) return;
    this.#accountFor(name).describe(node, this.#cluster.claimOfNode(name));
  }

  #onReservation({ before, after }: Omit<Change<Reservation>, 'key'>): void {
    const old = before === undefined ? [] : [...this.#rooms.of(before.name)];
    if (before !== undefined) this.#byTarget.remove(before.name, reservationName(before.target));
    if (before !== undefined) this.#rooms.remove(before.name);
    const rooms = after === undefined ? [] : this.#rooms.replace(after);
    if (after !== undefined) this.#byTarget.add(after.name, reservationName(after.target));
    for (const room of rooms) this.#settle(room);
    if (after !== undefined) this.#placeTarget(after.target);
    // Only now, so that a node whose reservation is replaced never counts as free in between. What pods took of an
    // owner's entry is not carried over: it is unknown whether the new count is already without them.
    for (const room of old) {
      room.moveTo(undefined);
      this.#recountCharge(room);
    }
  }

  /** Reservations of this target are counted on its node from now on, or nowhere. */
  #placeTarget(target: ReservationTarget): void {
    const { kind, name } = target;
    const node = kind === 'Node' ? this.#cluster.nodes.get(name) : this.#cluster.nodeOfClaim(name);
    const account = node === undefined ? undefined : this.#accountFor(node.name);
    for (const reservation of this.#byTarget.all(reservationName(target)))
      for (const room of this.#rooms.of(reservation)) {
        room.moveTo(account);
        this.#recountCharge(room);
      }
  }

  /** Whether the entry still holds: its pod may have arrived, or its time may be over. */
  #settle(room: EntryRoom): void {
    const { podUID, expiresAt = Infinity } = room.entry;
    const hasExpired = expiresAt <= this.#clock.now();
    if (!hasExpired) this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
    room.setOver(hasExpired || (podUID !== undefined && this.#isPodOver(podUID)));
    this.#recountCharge(room);
  }

  #recountCharge({ entry }: EntryRoom): void {
    if (entry.podUID !== undefined) this.#charges.recount(entry.podUID);
  }

  /** A pod that was never seen is still to come. */
  #isPodOver(uid: string): boolean {
    const pod = this.#cluster.podByUID(uid);
    return pod === undefined ? this.#cluster.pods.wasDeleted(uid) : isOver(pod);
  }

  /** Whether the pod's room there is counted already: a reservation holds it, or it is kept for a DaemonSet pod. */
  #isHeldOn(uid: string, account: NodeAccount): boolean {
    const pod = this.#cluster.podByUID(uid);
    if (pod !== undefined && expectedOn(pod) === account.name) return true;
    return this.#cluster
      .entriesOfPod(uid)
      .some(
        ({ reservation, entry }) => this.#rooms.get(reservation.name, entry)?.isCountedOn(account) === true,
      );
  }

  #accountFor(name: string): NodeAccount {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const account = new NodeAccount(name, this.#shared);
    this.#accounts.set(name, account);
    return account;
  }

  /** Forgets a node that is gone once none of its pods is left. */
  #dropIfUnknown(name: string): void {
    const account = this.#accounts.get(name);
    if (account === undefined || account.node !== undefined || account.pendingDaemonPods > 0) return;
    if (this.#cluster.podsOn(name).length === 0) this.#accounts.delete(name);
  }
}

/** The node that keeps room for this DaemonSet pod, which is still to come. */
function expectedOn(pod: ObservedPod): string | undefined {
  return isOver(pod) ? undefined : pinnedNode(pod);
}

/** Whether nothing is to be waited for: it is bound, or never will be. */
function isOver(pod: ObservedPod): boolean {
  return pod.nodeName !== undefined || isFinished(pod) || pod.terminating;
}
