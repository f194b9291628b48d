/** The zones and capacity types that a claim lists: such that whatever is launched in them holds its pods. */
import { CAPACITY_TYPES, type CapacityType } from '../../domain/nodes/instance-type.js';
import type { Launchables } from '../model/launch/launchables.js';
import { launchTables, type LaunchTables, type UsableColumns } from './launch-tables.js';
import type { Need } from './need.js';

/** Equal sets are one object. */
export interface OfferingSets {
  /** Sorted. */
  readonly zones: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
  /** The same as bytes, per index into `LaunchTables.zones` and into CAPACITY_TYPES. */
  readonly isZone: Uint8Array;
  readonly isCapacityType: Uint8Array;
  /** The same as text. */
  readonly key: string;
}

/** What sets are to be listed for. */
export interface SetsInput {
  readonly usable: UsableColumns;
  /** What the claim would be launched as first: an allowed column that has the room needed. */
  readonly column: number;
  readonly need: Need;
  /** Whether capacity types are listed for the sake of other types too: minValues may need them. */
  readonly isWide: boolean;
}

/** What follows from the first choice and its demand alone. */
interface OwnSets {
  readonly isZone: Uint8Array;
  readonly isCapacityType: Uint8Array;
  /** Zones in which the first choice is not sold but other types are. */
  readonly foreign: readonly number[];
  /** Without the foreign ones. */
  readonly sets: OfferingSets;
}

const CHOICES = new WeakMap<Launchables, OfferingSetChoice>();

/** One for as long as the launchables last. */
export function offeringSetChoice(launchables: Launchables): OfferingSetChoice {
  const known = CHOICES.get(launchables) ?? new OfferingSetChoice(launchables, launchTables(launchables));
  CHOICES.set(launchables, known);
  return known;
}

class OfferingSetChoice {
  readonly #launchables: Launchables;
  readonly #tables: LaunchTables;
  readonly #made = new Map<string, OfferingSets>();
  readonly #own = new WeakMap<UsableColumns, Map<number, OwnSets>>();
  readonly #ofUsable = new WeakMap<UsableColumns, PlaceGrid>();
  readonly #grid: PlaceGrid;

  constructor(launchables: Launchables, tables: LaunchTables) {
    this.#launchables = launchables;
    this.#tables = tables;
    this.#grid = new PlaceGrid(launchables, tables);
  }

  /**
   * Capacity types, then zones, in which the first choice holds the claim wherever it is offered. Zones in which it is
   * not offered are listed for the sake of other types, unless one of these is offered there and does not hold the claim.
   */
  widest(input: SetsInput): OfferingSets {
    const own = this.#ownOf(input);
    if (own.foreign.length === 0) return own.sets;
    const isZone = own.isZone.slice();
    const others = this.#others(input, own);
    for (const zone of own.foreign) {
      if (others.inZone(zone, own.isCapacityType) === HELD) isZone[zone] = 1;
    }
    return this.of(isZone, own.isCapacityType);
  }

  /** The sets of these zones and capacity types. */
  of(isZone: Uint8Array, isCapacityType: Uint8Array): OfferingSets {
    const key = `${isZone.join('')} ${isCapacityType.join('')}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const zones = this.#tables.zones.filter((_, zone) => isZone[zone] === 1);
    const capacityTypes = CAPACITY_TYPES.filter((_, type) => isCapacityType[type] === 1);
    const made = { zones, capacityTypes, isZone, isCapacityType, key };
    this.#made.set(key, made);
    return made;
  }

  /** Remembered where the first choice has the same room everywhere, so that nothing hangs on what is needed. */
  #ownOf(input: SetsInput): OwnSets {
    const { usable, column, isWide } = input;
    const row = this.#launchables.columnRow[column] ?? 0;
    if (isWide || (this.#launchables.rowSiblings[row]?.length ?? 1) > 1) return this.#findOwn(input, row);
    const ofUsable = this.#own.get(usable) ?? new Map<number, OwnSets>();
    this.#own.set(usable, ofUsable);
    const known = ofUsable.get(column) ?? this.#findOwn(input, row);
    ofUsable.set(column, known);
    return known;
  }

  #findOwn(input: SetsInput, row: number): OwnSets {
    const { usable, column, need, isWide } = input;
    const zone = this.#tables.zone[column] ?? 0;
    const wide = isWide ? this.#wideTypes(input, zone) : [];
    const grid = this.#grid;
    grid.clear();
    grid.add(this.#tables.typeOf[row] ?? row, usable, need);
    const isCapacityType = Uint8Array.from(CAPACITY_TYPES, (_, type) =>
      grid.at(zone, type) === HELD || wide.includes(type) ? 1 : 0,
    );
    const isZone = Uint8Array.from(this.#tables.zones, (_, each) =>
      grid.inZone(each, isCapacityType) === HELD ? 1 : 0,
    );
    const absent = [...this.#tables.zones.keys()].filter((each) => grid.inZone(each, isCapacityType) === 0);
    const foreign = absent.filter((each) => this.#potential(usable).inZone(each, isCapacityType) & HELD);
    return { isZone, isCapacityType, foreign, sets: this.of(isZone, isCapacityType) };
  }

  /** Capacity types in which some place holds the claim, unless something in the first choice's zone does not. */
  #wideTypes(input: SetsInput, zone: number): readonly number[] {
    const all = this.#everything(input);
    return [...CAPACITY_TYPES.keys()].filter(
      (type) => all.isHeldAnywhere(type) && (all.at(zone, type) & REFUSED) === 0,
    );
  }

  /** What types that have the room could hold in the foreign zones. */
  #others(input: SetsInput, { foreign, isCapacityType }: OwnSets): PlaceGrid {
    const potential = this.#potential(input.usable);
    const isSafe = foreign.every((zone) => potential.inZone(zone, isCapacityType) === HELD);
    if (!isSafe) return this.#everything(input);
    return this.#everything(input, (grid) =>
      foreign.every((zone) => grid.inZone(zone, isCapacityType) === HELD),
    );
  }

  /** All that types are offered as that could hold the claim somewhere; or as much of it as is enough. */
  #everything({ usable, need }: SetsInput, isEnough?: (grid: PlaceGrid) => boolean): PlaceGrid {
    const grid = this.#grid;
    grid.clear();
    const { rows, room } = usable;
    for (
      let at = need.next(room, 0, rows.length);
      at < rows.length;
      at = need.next(room, at + 1, rows.length)
    ) {
      const row = rows[at] ?? 0;
      grid.add(this.#tables.typeOf[row] ?? row, usable, need);
      if (isEnough?.(grid) === true) break;
    }
    return grid;
  }

  /** The same, whatever is needed. */
  #potential(usable: UsableColumns): PlaceGrid {
    const known = this.#ofUsable.get(usable);
    if (known !== undefined) return known;
    const made = new PlaceGrid(this.#launchables, this.#tables);
    for (const row of usable.rows) made.add(this.#tables.typeOf[row] ?? row, usable, undefined);
    this.#ofUsable.set(usable, made);
    return made;
  }
}

/** Bits of a place: something offered there holds the claim; something does not. */
const HELD = 1;
const REFUSED = 2;

const TYPES = CAPACITY_TYPES.length;

/** Zone × capacity type: whether some types are offered there, and whether all of these hold a claim. */
class PlaceGrid {
  readonly #launchables: Launchables;
  readonly #tables: LaunchTables;
  readonly #bits: Uint8Array;

  constructor(launchables: Launchables, tables: LaunchTables) {
    this.#launchables = launchables;
    this.#tables = tables;
    this.#bits = new Uint8Array(tables.zones.length * TYPES);
  }

  clear(): void {
    this.#bits.fill(0);
  }

  /** Adds all that a type is offered as. Without a need, a type whose room differs by zone may hold the claim or not. */
  add(type: number, usable: UsableColumns, need: Need | undefined): void {
    const { typeColumns, rowSiblings } = this.#launchables;
    const unsettled = need === undefined && (rowSiblings[type]?.length ?? 1) > 1 ? HELD | REFUSED : HELD;
    for (const column of typeColumns[type] ?? []) {
      const at = (this.#tables.zone[column] ?? 0) * TYPES + (this.#tables.capacityType[column] ?? 0);
      const isHeld = usable.allowed[column] === 1 && this.#hasRoom(column, need);
      this.#bits[at] = (this.#bits[at] ?? 0) | (isHeld ? unsettled : REFUSED);
    }
  }

  #hasRoom(column: number, need: Need | undefined): boolean {
    const row = this.#launchables.columnRow[column] ?? 0;
    if (this.#tables.isUsable[row] !== 1) return false;
    return need === undefined || need.fits(this.#launchables.net, row);
  }

  /** The bits of one place. */
  at(zone: number, capacityType: number): number {
    return this.#bits[zone * TYPES + capacityType] ?? 0;
  }

  /** The bits of a zone under these capacity types; 0 where nothing is offered. */
  inZone(zone: number, isCapacityType: Uint8Array): number {
    let bits = 0;
    for (let type = 0; type < TYPES; type++) if (isCapacityType[type] === 1) bits |= this.at(zone, type);
    return bits;
  }

  /** Whether a place of this capacity type holds the claim, whatever is offered there. */
  isHeldAnywhere(capacityType: number): boolean {
    return this.#tables.zones.some((_, zone) => this.at(zone, capacityType) === HELD);
  }
}
