/** What is launchable in the order of prices, and by zone and capacity type: made once, whatever is asked of it. */
import { CAPACITY_TYPES } from '../../domain/instance-type.js';
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
  /** USD/h of the cheapest and of the dearest. */
  readonly price: number;
  readonly dearest: number;
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
