/** What is launchable in the order of prices, and by zone and capacity type: made once, whatever is asked of it. */
import { CAPACITY_TYPES } from '../../domain/nodes/instance-type.js';
import type { Launchables } from '../model/launch/launchables.js';

export interface LaunchTables {
  /** The columns of a template, cheapest first; of equal prices the first column. Sorted when first asked for. */
  readonly byPrice: (template: number) => Int32Array;
  /** Row → the row that stands for its type: the first of its siblings. */
  readonly typeOf: Int32Array;
  /** Row → 1 where DaemonSets leave nothing below zero, so that pods may come at all. */
  readonly isUsable: Uint8Array;
  /** Zones in which anything is offered, sorted. */
  readonly zones: readonly string[];
  /** Column → index into `zones`, and into CAPACITY_TYPES. */
  readonly zone: Uint16Array;
  readonly capacityType: Uint8Array;
  /** Template, zones and capacity types → what is offered in them, by price; filled as it is asked for. */
  readonly offered: Map<string, readonly OfferedType[]>;
}

/** A type within some zones and capacity types. */
export interface OfferedType {
  /** The row that stands for it. */
  readonly type: number;
  /** The cheapest of its columns there, and all of them. */
  readonly column: number;
  readonly columns: Int32Array;
  /** USD/h of the cheapest and of the most expensive. */
  readonly price: number;
  readonly highestPrice: number;
  readonly isEstimated: boolean;
  /** Whether DaemonSets overfill none of them, and whether they leave some of them less room than others. */
  readonly isUsable: boolean;
  readonly isSplit: boolean;
  /** R amounts: the least room that any of them has. */
  readonly room: Float64Array;
}

const TABLES = new WeakMap<Launchables, LaunchTables>();

export function launchTables(launchables: Launchables): LaunchTables {
  const known = TABLES.get(launchables);
  if (known !== undefined) return known;
  const made = compileTables(launchables);
  TABLES.set(launchables, made);
  return made;
}

function compileTables(launchables: Launchables): LaunchTables {
  const { templateRows, rowColumns, rowSiblings, rowType } = launchables;
  const known: Int32Array[] = [];
  const sorted = (template: number): Int32Array =>
    sortedByPrice(
      (templateRows[template] ?? []).flatMap((row) => rowColumns[row] ?? []),
      launchables.price,
    );
  return {
    byPrice: (template) => (known[template] ??= sorted(template)),
    typeOf: Int32Array.from(rowType, (_, row) => rowSiblings[row]?.[0] ?? row),
    isUsable: usableRows(launchables),
    ...placesOf(launchables),
    offered: new Map(),
  };
}

/** Sorted by the engine's numeric sort, which is several times as fast as one that calls back for every pair. */
function sortedByPrice(columns: readonly number[], price: Float64Array): Int32Array {
  const prices = Float64Array.from(columns, (column) => price[column] ?? Infinity);
  const sorted = prices.slice().sort();
  const next = new Map<number, number>();
  for (let position = sorted.length - 1; position >= 0; position--) next.set(sorted[position] ?? 0, position);
  const result = new Int32Array(columns.length);
  columns.forEach((column, index) => {
    const each = prices[index] ?? Infinity;
    const position = next.get(each) ?? 0;
    result[position] = column;
    next.set(each, position + 1);
  });
  return result;
}

function usableRows({ net, rowType }: Launchables): Uint8Array {
  const result = new Uint8Array(rowType.length).fill(1);
  const width = net.length / Math.max(1, rowType.length);
  net.forEach((amount, index) => {
    if (amount < 0) result[Math.floor(index / width)] = 0;
  });
  return result;
}

/** Zone and capacity type are looked at once per place, of which there are few. */
function placesOf({
  offerings,
  columnPlace,
}: Launchables): Pick<LaunchTables, 'zones' | 'zone' | 'capacityType'> {
  const zones: string[] = [];
  const types: number[] = [];
  columnPlace.forEach((place, column) => {
    const offering = offerings[column];
    if (types[place] !== undefined || offering === undefined) return;
    zones[place] = offering.zone;
    types[place] = CAPACITY_TYPES.indexOf(offering.capacityType);
  });
  const sorted = [...new Set(zones)].sort();
  const zoneOf = zones.map((zone) => sorted.indexOf(zone));
  return {
    zones: sorted,
    zone: Uint16Array.from(columnPlace, (place) => zoneOf[place] ?? 0),
    capacityType: Uint8Array.from(columnPlace, (place) => types[place] ?? 0),
  };
}

/** What a demand leaves of a template, in the domains of the column chosen. Equal answers are one object. */
export interface UsableColumns {
  readonly template: number;
  /** Column → 1 where the demand allows it; to be read for columns of the template only. */
  readonly allowed: Uint8Array;
  /** Rows with an allowed column, by the price of the cheapest; not those that DaemonSets alone overfill. */
  readonly rows: Int32Array;
  /** The cheapest allowed column of each of these rows. */
  readonly columns: Int32Array;
  /** Room of each of these rows: rows × R. */
  readonly room: Float64Array;
}

/** Bytes after which all is forgotten, between two plans. */
const MOST_BYTES = 2 ** 24;

const USABLE_TABLES = new WeakMap<Launchables, UsableTable>();

/** One for as long as the launchables last; to be asked for once per plan. */
export function usableTable(launchables: Launchables): UsableTable {
  const known = USABLE_TABLES.get(launchables) ?? new UsableTable(launchables);
  USABLE_TABLES.set(launchables, known);
  known.trim();
  return known;
}

export class UsableTable {
  readonly #launchables: Launchables;
  readonly #tables: LaunchTables;
  /** Hash → all that have it. */
  readonly #known = new Map<number, UsableColumns[]>();
  #bytes = 0;

  constructor(launchables: Launchables) {
    this.#launchables = launchables;
    this.#tables = launchTables(launchables);
  }

  /** Makes room where too much is remembered; to be called between plans. */
  trim(): void {
    if (this.#bytes <= MOST_BYTES) return;
    this.#known.clear();
    this.#bytes = 0;
  }

  /** What is left of a template where these columns of it are allowed. */
  of(template: number, allowed: Uint8Array): UsableColumns {
    const byPrice = this.#tables.byPrice(template);
    const hash = hashOf(template, byPrice, allowed);
    const alike = this.#known.get(hash) ?? [];
    this.#known.set(hash, alike);
    const known = alike.find(
      (other) => other.template === template && areAlike(byPrice, other.allowed, allowed),
    );
    if (known !== undefined) return known;
    const made = { template, allowed, ...this.#rowsByPrice(byPrice, allowed) };
    alike.push(made);
    this.#bytes += allowed.byteLength + made.room.byteLength;
    return made;
  }

  #rowsByPrice(byPrice: Int32Array, allowed: Uint8Array): Pick<UsableColumns, 'rows' | 'columns' | 'room'> {
    const { columnRow, rowType, net } = this.#launchables;
    const width = net.length / Math.max(1, rowType.length);
    const seen = new Uint8Array(rowType.length);
    const rows: number[] = [];
    const columns: number[] = [];
    for (const column of byPrice) {
      const row = columnRow[column] ?? 0;
      if (allowed[column] !== 1 || seen[row] === 1 || this.#tables.isUsable[row] !== 1) continue;
      seen[row] = 1;
      rows.push(row);
      columns.push(column);
    }
    const room = new Float64Array(rows.length * width);
    rows.forEach((row, index) => {
      room.set(net.subarray(row * width, (row + 1) * width), index * width);
    });
    return { rows: Int32Array.from(rows), columns: Int32Array.from(columns), room };
  }
}

function hashOf(template: number, columns: Int32Array, allowed: Uint8Array): number {
  let hash = template;
  for (const column of columns) hash = (Math.imul(hash, 31) + (allowed[column] ?? 0)) | 0;
  return hash;
}

function areAlike(columns: Int32Array, left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  for (const column of columns) if (left[column] !== right[column]) return false;
  return true;
}
