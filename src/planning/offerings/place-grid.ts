/** Zone × capacity type: whether some types are offered there, and whether all of these hold a claim. */
import { CAPACITY_TYPES } from '../../domain/instance-type.js';
import type { Launchables } from '../model/launch/launchables.js';
import type { LaunchTables } from './launch-tables.js';
import type { Need } from './need.js';
import type { UsableColumns } from './usable-table.js';

/** Bits of a place: something offered there holds the claim; something does not. */
export const HELD = 1;
export const REFUSED = 2;

const TYPES = CAPACITY_TYPES.length;

export class PlaceGrid {
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
