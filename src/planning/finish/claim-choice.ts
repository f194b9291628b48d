/** What a claim becomes: its cheapest offering, the zones and capacity types it lists, the types that could be listed. */
import { CAPACITY_TYPES } from '../../domain/nodes/instance-type.js';
import type { Problem } from '../model/problem.js';
import type { DeviceRooms } from '../rules/device-rooms.js';
import type { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';
import type { LimitRoom } from '../offerings/limit-room.js';
import type { CountedLabel } from '../offerings/min-values-count.js';
import { minValuesSets } from '../offerings/min-values-sets.js';
import { Need } from '../offerings/need.js';
import { offeringSetChoice, type OfferingSets, type SetsInput } from '../offerings/offering-sets.js';
import { listedColumns, listingOf, type TypeListing } from '../offerings/type-listing.js';
import { type ReliedSpread, usableOfferings } from '../offerings/usable-columns.js';
import type { UsableColumns } from '../offerings/launch-tables.js';

/** Fewest types that a claim lists which may be launched on spot, where the pool has them: one type's spot runs out. */
export const SPOT_TYPES = 15;
const SPOT = CAPACITY_TYPES.indexOf('spot');

/** Equal claims have one choice between them. */
export interface ClaimChoice {
  /** What it would be launched as, were it not for types that the limits may leave room for. */
  readonly column: number;
  readonly sets: OfferingSets;
  readonly listing: TypeListing;
  /** Position of that column's type in the listing, and of the first that costs as much. */
  readonly own: number;
  readonly firstAsCheap: number;
}

/** A choice with what it was made for. */
interface KnownChoice {
  readonly opened: number;
  readonly free: Float64Array;
  readonly choice: ClaimChoice;
}

interface LimitedClaim {
  readonly usable: UsableColumns;
  readonly target: Target;
  readonly limits: LimitRoom | undefined;
}

export class ClaimChoices {
  readonly #problem: Problem;
  readonly #counted: (template: number) => readonly CountedLabel[];
  readonly #offerings;
  readonly #sets;
  readonly #relied: readonly ReliedSpread[];
  readonly #minValues;
  readonly #known = new Map<UsableColumns, Map<number, KnownChoice[]>>();
  readonly #need: Need;
  readonly #devices: DeviceRooms | undefined;

  /**
   * `counted`: the labels that the minValues of a template's pool count. `relied`: spread for which no claim may
   * bring another domain.
   */
  constructor(
    { problem, devices }: Pick<Packing, 'problem' | 'devices'>,
    counted: (template: number) => readonly CountedLabel[],
    relied: readonly ReliedSpread[],
  ) {
    this.#relied = relied;
    this.#problem = problem;
    this.#devices = devices;
    this.#counted = counted;
    this.#offerings = usableOfferings(problem);
    this.#sets = offeringSetChoice(problem.launchables);
    this.#minValues = minValuesSets(problem.launchables, problem.snapshot.resources.length);
    this.#need = new Need(problem.snapshot.resources.length);
  }

  /** What the claim needs, until the next one is asked for. */
  needOf({ column, free }: Target): Need {
    const { net, columnRow } = this.#problem.launchables;
    this.#need.set(net, columnRow[column] ?? 0, free);
    return this.#need;
  }

  /** The columns that the type at a position of the choice's listing lists. */
  columnsAt({ listing, sets }: ClaimChoice, position: number): readonly number[] {
    const type = listing.types[position] ?? -1;
    return listedColumns(this.#problem.launchables, this.#offerings.tables, { type, sets });
  }

  /** Takes no more of the limits than the column that was opened. */
  of(target: Target, limits: LimitRoom | undefined): ClaimChoice {
    const usable = this.#offerings.of(target.column, target.content.keys(), target.asks, this.#relied);
    if (this.#devices?.concerns(target) === true) return this.#choose(target, usable, limits);
    const ofUsable = this.#known.get(usable) ?? new Map<number, KnownChoice[]>();
    this.#known.set(usable, ofUsable);
    const hash = hashOf(target);
    const alike = ofUsable.get(hash);
    const known = alike?.find(({ opened, free }) => opened === target.column && areEqual(free, target.free));
    if (known !== undefined) return known.choice;
    const choice = this.#choose(target, usable, limits);
    const made = { opened: target.column, free: target.free, choice };
    if (alike === undefined) ofUsable.set(hash, [made]);
    else alike.push(made);
    return choice;
  }

  #choose(target: Target, usable: UsableColumns, limits: LimitRoom | undefined): ClaimChoice {
    const { price, columnRow } = this.#problem.launchables;
    const need = this.needOf(target);
    const cheapest = this.#cheapest(usable, target, limits);
    const isWide = this.#counted(usable.template).length > 0;
    const widest = this.#diverse({ usable, column: cheapest, need, isWide });
    const { column, sets } = isWide
      ? this.#keepingMinValues({ column: cheapest, sets: widest }, { usable, target, limits })
      : { column: cheapest, sets: widest };
    const listing = this.#listing(usable, sets);
    const firstAsCheap = lowerBound(listing.price, price[column] ?? 0);
    const type = this.#offerings.tables.typeOf[columnRow[column] ?? 0] ?? 0;
    return { column, sets, listing, firstAsCheap, own: listing.types.indexOf(type, firstAsCheap) };
  }

  /** The choice, or where it lists too few for minValues: the cheapest sets that list enough, and what is cheapest there. */
  #keepingMinValues(
    choice: Pick<ClaimChoice, 'column' | 'sets'>,
    { usable, target, limits }: LimitedClaim,
  ): Pick<ClaimChoice, 'column' | 'sets'> {
    const allowance = limits?.chargeOf(this.#problem.launchables.columnRow[target.column] ?? 0);
    const isWithin = (row: number): boolean =>
      allowance === undefined || limits?.isWithin(row, allowance) !== false;
    const question = { usable, need: this.#need, labels: this.#counted(usable.template), isWithin };
    if (this.#minValues.tooFew(question, choice.sets) === undefined) return choice;
    const sets = this.#minValues.cheapest(question);
    if (sets === undefined) return choice;
    const column = this.#listing(usable, sets).column[this.#minValues.first(question, sets)];
    return { sets, column: column ?? choice.column };
  }

  #cheapest(usable: UsableColumns, target: Target, limits: LimitRoom | undefined): number {
    const opened = target.column;
    const { price } = this.#problem.launchables;
    const { rows, columns, room } = usable;
    const need = this.#need;
    const mayBe = this.#mayBecome(target, limits);
    for (
      let at = need.next(room, 0, rows.length);
      at < rows.length;
      at = need.next(room, at + 1, rows.length)
    ) {
      if (!mayBe(rows[at] ?? 0)) continue;
      const column = columns[at] ?? opened;
      return (price[column] ?? 0) < (price[opened] ?? 0) ? column : opened;
    }
    return opened;
  }

  /** Whether limits and devices let the claim become one of a row. */
  #mayBecome(target: Target, limits: LimitRoom | undefined): (row: number) => boolean {
    const allowance = limits?.chargeOf(this.#problem.launchables.columnRow[target.column] ?? 0);
    return (row) =>
      (allowance === undefined || limits?.isWithin(row, allowance) !== false) &&
      this.#devices?.suits(target, row) !== false;
  }

  #listing(usable: UsableColumns, sets: OfferingSets): TypeListing {
    const { launchables, snapshot } = this.#problem;
    const width = snapshot.resources.length;
    return listingOf({ launchables, tables: this.#offerings.tables, usable, sets, width });
  }

  /**
   * The widest sets; but where a claim that may be spot would list too few types, as many zones and capacity types as
   * leave it enough, or at least no fewer than its own zone and capacity type alone would.
   */
  #diverse(input: SetsInput): OfferingSets {
    const widest = this.#sets.widest(input);
    if (input.isWide || widest.isCapacityType[SPOT] !== 1) return widest;
    if (!this.#listing(input.usable, widest).isPartial) return widest;
    const most = Math.min(SPOT_TYPES, this.#problem.options.maxInstanceTypes);
    const widely = this.#count(input, widest, most);
    if (widely === most) return widest;
    const narrowest = this.#narrowest(input.column, widest);
    const enough = this.#count(input, narrowest, most);
    return enough <= widely ? widest : this.#widen(input, { narrowest, widest, enough });
  }

  #narrowest(column: number, { isCapacityType }: OfferingSets): OfferingSets {
    const { zones, zone, capacityType } = this.#offerings.tables;
    const isZone = Uint8Array.from(zones, (_, each) => (each === zone[column] ? 1 : 0));
    if (capacityType[column] !== SPOT) return this.#sets.of(isZone, isCapacityType);
    return this.#sets.of(
      isZone,
      isCapacityType.map((_, type) => (type === SPOT ? 1 : 0)),
    );
  }

  /** First one zone after the other, then the capacity types. */
  #widen(
    input: SetsInput,
    {
      narrowest,
      widest,
      enough,
    }: { readonly narrowest: OfferingSets; readonly widest: OfferingSets; readonly enough: number },
  ): OfferingSets {
    let sets = narrowest;
    const tryOn = (isZone: Uint8Array, isCapacityType: Uint8Array): void => {
      const wider = this.#sets.of(isZone, isCapacityType);
      if (this.#count(input, wider, enough) === enough) sets = wider;
    };
    widest.isZone.forEach((isListed, zone) => {
      if (isListed === 1)
        tryOn(
          sets.isZone.map((known, each) => (each === zone ? 1 : known)),
          sets.isCapacityType,
        );
    });
    tryOn(sets.isZone, widest.isCapacityType);
    return sets;
  }

  /** How many types hold the claim in these sets, as far as `most`. */
  #count({ usable, need }: SetsInput, sets: OfferingSets, most: number): number {
    const { types, room } = this.#listing(usable, sets);
    let count = 0;
    let at = need.next(room, 0, types.length);
    while (at < types.length && count < most) {
      count++;
      at = need.next(room, at + 1, types.length);
    }
    return count;
  }
}

function hashOf({ column, free }: Target): number {
  let hash = column;
  for (const amount of free) hash = Math.imul(hash ^ (amount | 0) ^ ((amount / 2 ** 32) | 0), 0x9e3779b1) | 0;
  return hash;
}

function areEqual(left: Float64Array, right: Float64Array): boolean {
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Position of the first that is at least this high. */
function lowerBound(ascending: Float64Array, least: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
