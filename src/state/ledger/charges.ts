/** Room of pods that were answered a node and are not seen bound there yet. */
import type { EntryRoom } from './held-room.js';
import type { NodeAccount } from './node-account.js';
import type { Amounts } from './resource-columns.js';

export interface Charge {
  readonly uid: string;
  readonly account: NodeAccount;
  readonly amounts: Amounts;
  /** On the clock's monotonic time. */
  readonly until: number;
  /** The owner's entry whose room the pod takes. */
  readonly room: EntryRoom | undefined;
}

interface Booked extends Charge {
  /** Part of the account's sum; not so while the reservation holds the same room. */
  counted: boolean;
}

/** One charge per pod at most. */
export class Charges {
  readonly #charges = new Map<string, Booked>();
  readonly #isHeld: (uid: string, account: NodeAccount) => boolean;
  #nextEnd = Infinity;

  /** `isHeld`: whether a reservation counts room for the pod on the node already. */
  constructor(isHeld: (uid: string, account: NodeAccount) => boolean) {
    this.#isHeld = isHeld;
  }

  get size(): number {
    return this.#charges.size;
  }

  has(uid: string): boolean {
    return this.#charges.has(uid);
  }

  /** UIDs of the pods that are charged on this node. */
  podsOn(account: NodeAccount): readonly string[] {
    return [...this.#charges.values()].flatMap((charge) => (charge.account === account ? charge.uid : []));
  }

  /** What the pod's own charge takes of this node. */
  countedOn(account: NodeAccount, uid: string): Amounts | undefined {
    const charge = this.#charges.get(uid);
    return charge?.counted === true && charge.account === account ? charge.amounts : undefined;
  }

  add(charge: Charge): void {
    this.release(charge.uid, false);
    const booked = { ...charge, counted: false };
    this.#charges.set(charge.uid, booked);
    this.#nextEnd = Math.min(this.#nextEnd, charge.until);
    charge.room?.take(charge.uid);
    this.recount(charge.uid);
  }

  /** Ends the pod's charge. A pod that arrived keeps what it took of an owner's entry. */
  release(uid: string, arrived: boolean): void {
    const charge = this.#charges.get(uid);
    if (charge === undefined) return;
    this.#charges.delete(uid);
    this.#count(charge, false);
    if (arrived) charge.room?.arrive(uid);
    else charge.room?.giveBack(uid);
  }

  /** What reservations hold for the pod has changed. */
  recount(uid: string): void {
    const charge = this.#charges.get(uid);
    if (charge !== undefined) this.#count(charge, !this.#isHeld(uid, charge.account));
  }

  /** Ends the charges whose time is over. */
  expire(now: number): void {
    if (now < this.#nextEnd) return;
    this.#nextEnd = Infinity;
    for (const { uid, until } of [...this.#charges.values()])
      if (until <= now) this.release(uid, false);
      else this.#nextEnd = Math.min(this.#nextEnd, until);
  }

  #count(charge: Booked, counted: boolean): void {
    if (charge.counted === counted) return;
    charge.counted = counted;
    charge.account.charge(charge.amounts, counted ? 1 : -1);
  }
}
