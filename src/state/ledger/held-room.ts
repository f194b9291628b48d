/** The room that reservations hold, entry by entry: for how many pods that have not arrived. */
import type { Reservation, ReservationEntry } from '../../domain/records/reservation.js';
import { ownerKey } from '../cluster/owner-key.js';
import type { NodeAccount } from './node-account.js';
import type { Amounts, ResourceColumns } from './resource-columns.js';

/** The room of one entry, and on which node it is counted. */
export class EntryRoom {
  readonly entry: ReservationEntry;
  readonly amounts: Amounts;
  /** Of an owner's entry: pods that were answered its room, and whether they have been seen bound since. */
  readonly #takers = new Map<string, boolean>();
  /** The pod is bound or gone, or the entry has expired. */
  #over = false;
  /** Pods for which the account counts room, and pods that it waits for. */
  #counted = 0;
  #awaited = 0;
  #account: NodeAccount | undefined;

  constructor(entry: ReservationEntry, amounts: Amounts) {
    this.entry = entry;
    this.amounts = amounts;
  }

  /** Of whose pods it is; undefined for a pod's own entry. */
  get owner(): string | undefined {
    return this.entry.owner === undefined ? undefined : ownerKey(this.entry.owner);
  }

  /** Whether the pod, which it names or whose owner it names, can have room of it. */
  isFor(podUID: string): boolean {
    return this.left > 0 || (!this.#over && this.hasTaken(podUID));
  }

  /** Whether the pod was answered room of it. */
  hasTaken(podUID: string): boolean {
    return this.#takers.has(podUID);
  }

  /** How many pods it still holds room for. */
  get left(): number {
    return this.#over ? 0 : Math.max(0, this.entry.count - this.#takers.size);
  }

  /** Whether room for it is counted on this node. */
  isCountedOn(account: NodeAccount): boolean {
    return this.#account === account && this.#counted > 0;
  }

  /** Whether there is nothing more to wait for. */
  setOver(over: boolean): void {
    this.#over = over;
    this.#recount();
  }

  /** The node that the reservation's target is, if there is one. */
  moveTo(account: NodeAccount | undefined): void {
    if (account === this.#account) return;
    this.#count(0, 0);
    this.#account = account;
    this.#recount();
  }

  /** A pod of the owner is answered room of it. */
  take(podUID: string): void {
    this.#takers.set(podUID, false);
    this.#recount();
  }

  /** A pod that took of it is bound: the entry's count will be lowered, and until then it has taken its part. */
  arrive(podUID: string): void {
    if (this.#takers.has(podUID)) this.#takers.set(podUID, true);
    this.#recount();
  }

  /** A pod that took of it will not come. */
  giveBack(podUID: string): void {
    this.#takers.delete(podUID);
    this.#recount();
  }

  #recount(): void {
    const arrived = [...this.#takers.values()].filter((bound) => bound).length;
    const awaited = this.#over ? 0 : Math.max(0, this.entry.count - arrived);
    this.#count(this.left, awaited);
  }

  #count(left: number, awaited: number): void {
    const isSomewhere = this.#account !== undefined;
    const counted = isSomewhere ? left : 0;
    const waiting = isSomewhere ? awaited : 0;
    this.#account?.reserve(this.amounts, counted - this.#counted, waiting - this.#awaited);
    this.#counted = counted;
    this.#awaited = waiting;
  }
}

/** All rooms, by reservation and entry. */
export class HeldRooms {
  readonly #columns: ResourceColumns;
  readonly #rooms = new Map<string, ReadonlyMap<ReservationEntry, EntryRoom>>();

  constructor(columns: ResourceColumns) {
    this.#columns = columns;
  }

  get(reservation: string, entry: ReservationEntry): EntryRoom | undefined {
    return this.#rooms.get(reservation)?.get(entry);
  }

  all(): Iterable<ReadonlyMap<ReservationEntry, EntryRoom>> {
    return this.#rooms.values();
  }

  of(reservation: string): Iterable<EntryRoom> {
    return this.#rooms.get(reservation)?.values() ?? [];
  }

  /** Takes the reservation in, in place of the version that is known. */
  replace(reservation: Reservation): readonly EntryRoom[] {
    const rooms = reservation.entries.map(
      (entry) => new EntryRoom(entry, this.#columns.amounts(entry.requests)),
    );
    this.#rooms.set(reservation.name, new Map(rooms.map((room) => [room.entry, room])));
    return rooms;
  }

  remove(reservation: string): void {
    this.#rooms.delete(reservation);
  }
}
