/** Whose room is held: the entries of all reservations by the pod or owner that they name. */
import type { Reservation, ReservationEntry } from '../../domain/records/reservation.js';
import { ownerKey } from './owner-key.js';
import type { Change } from './store.js';

/** An entry with the reservation it stands in. */
export interface HeldEntry {
  readonly reservation: Reservation;
  readonly entry: ReservationEntry;
}

const NONE: readonly HeldEntry[] = [];

export class ReservationIndex {
  /** By pod uid and by owner key, in the order of the reservations' names; nearly always one. */
  readonly #pods = new Map<string, readonly HeldEntry[]>();
  readonly #owners = new Map<string, readonly HeldEntry[]>();

  /** Awaited pod → pods that wait for it, by uid. */
  readonly #after = new Map<string, Set<string>>();

  change({ before, after }: Change<Reservation>): void {
    if (before !== undefined) for (const entry of before.entries) this.#remove(before, entry);
    if (after !== undefined) for (const entry of after.entries) this.#add(after, entry);
  }

  /** Entries for the pod itself. */
  ofPod(uid: string): readonly HeldEntry[] {
    return this.#pods.get(uid) ?? NONE;
  }

  /** Entries for the pods of an owner. */
  ofOwner(owner: string): readonly HeldEntry[] {
    return this.#owners.get(owner) ?? NONE;
  }

  /** Uids of the pods that are bound after this one. */
  after(uid: string): Iterable<string> {
    return this.#after.get(uid) ?? [];
  }

  #add(reservation: Reservation, entry: ReservationEntry): void {
    for (const awaited of entry.after ?? [])
      if (entry.podUID !== undefined)
        this.#after.set(awaited, (this.#after.get(awaited) ?? new Set<string>()).add(entry.podUID));
    const { map, key } = this.#placeOf(entry);
    const others = map.get(key) ?? NONE;
    const added = { reservation, entry };
    map.set(key, others.length === 0 ? [added] : [...others, added].sort(byReservation));
  }

  #remove(reservation: Reservation, entry: ReservationEntry): void {
    for (const awaited of entry.after ?? []) {
      const waiting = this.#after.get(awaited);
      waiting?.delete(entry.podUID ?? '');
      if (waiting?.size === 0) this.#after.delete(awaited);
    }
    const { map, key } = this.#placeOf(entry);
    const others = (map.get(key) ?? NONE).filter((held) => held.reservation.name !== reservation.name);
    if (others.length === 0) map.delete(key);
    else map.set(key, others);
  }

  #placeOf(entry: ReservationEntry): { map: Map<string, readonly HeldEntry[]>; key: string } {
    if (entry.podUID !== undefined) return { map: this.#pods, key: entry.podUID };
    return { map: this.#owners, key: entry.owner === undefined ? '' : ownerKey(entry.owner) };
  }
}

function byReservation(left: HeldEntry, right: HeldEntry): number {
  return left.reservation.name < right.reservation.name ? -1 : 1;
}
