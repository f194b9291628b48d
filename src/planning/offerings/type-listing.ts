/** The types of a template that could be listed in given zones and capacity types, cheapest first. */
import type { Launchables } from '../model/launch/launchables.js';
import type { LaunchTables, OfferedType, UsableColumns } from './launch-tables.js';
import type { OfferingSets } from './offering-sets.js';

/** Types all of whose offerings within the sets are allowed, by the price of the cheapest; of equal prices by name. */
export interface TypeListing {
  /** The row that stands for each type. */
  readonly types: Int32Array;
  /** USD/h of the cheapest and of the most expensive offering listed. */
  readonly price: Float64Array;
  readonly highestPrice: Float64Array;
  /** The column of the cheapest. */
  readonly column: Int32Array;
  /** 1 where the price of an offering listed is an estimate. */
  readonly estimated: Uint8Array;
  /** types × R: the least room that any offering listed has. */
  readonly room: Float64Array;
  /** Whether fewer zones or capacity types might list a type that this listing cannot. */
  readonly isPartial: boolean;
}

interface ListingInput {
  readonly launchables: Launchables;
  readonly tables: LaunchTables;
  readonly usable: UsableColumns;
  readonly sets: OfferingSets;
  /** R. */
  readonly width: number;
}

/** The offerings of a type that are within the sets. */
export function listedColumns(
  { typeColumns }: Launchables,
  tables: LaunchTables,
  { type, sets }: { readonly type: number; readonly sets: OfferingSets },
): readonly number[] {
  return (typeColumns[type] ?? []).filter((column) => isListed(tables, sets, column));
}

/** The same where it was asked for before, as the columns are known by content. */
export function listingOf(input: ListingInput): TypeListing {
  const ofUsable = LISTINGS.get(input.usable) ?? new Map<OfferingSets, TypeListing>();
  LISTINGS.set(input.usable, ofUsable);
  const listing = ofUsable.get(input.sets) ?? listTypes(input);
  ofUsable.set(input.sets, listing);
  return listing;
}

const LISTINGS = new WeakMap<UsableColumns, Map<OfferingSets, TypeListing>>();

function listTypes(input: ListingInput): TypeListing {
  const { tables, usable, sets } = input;
  const key = `${String(usable.template)} ${sets.key}`;
  const offered = tables.offered.get(key) ?? offeredTypes(input);
  tables.offered.set(key, offered);
  let isPartial = false;
  const entries = offered.filter((each) => {
    const isKept = each.isUsable && areAllowed(each.columns, usable.allowed);
    isPartial ||= isKept ? each.isSplit : isAllowedSomewhere(input, each.columns);
    return isKept;
  });
  return {
    types: Int32Array.from(entries, ({ type }) => type),
    price: Float64Array.from(entries, ({ price }) => price),
    highestPrice: Float64Array.from(entries, ({ highestPrice }) => highestPrice),
    column: Int32Array.from(entries, ({ column }) => column),
    estimated: Uint8Array.from(entries, ({ isEstimated }) => (isEstimated ? 1 : 0)),
    room: roomOf(entries, input.width),
    isPartial,
  };
}

function isListed(tables: LaunchTables, { isZone, isCapacityType }: OfferingSets, column: number): boolean {
  return isZone[tables.zone[column] ?? 0] === 1 && isCapacityType[tables.capacityType[column] ?? 0] === 1;
}

/** The types of a template that are offered within the sets, by price, whatever a claim demands. */
function offeredTypes({ launchables, tables, usable, sets, width }: ListingInput): readonly OfferedType[] {
  const { columnRow, price, offerings, net } = launchables;
  const seen = new Uint8Array(launchables.rowType.length);
  const result: OfferedType[] = [];
  for (const column of tables.byPrice(usable.template)) {
    const type = tables.typeOf[columnRow[column] ?? 0] ?? 0;
    if (seen[type] === 1 || !isListed(tables, sets, column)) continue;
    seen[type] = 1;
    const columns = listedColumns(launchables, tables, { type, sets });
    const rows = [...new Set(columns.map((each) => columnRow[each] ?? 0))];
    result.push({
      type,
      column,
      columns: Int32Array.from(columns),
      price: price[column] ?? Infinity,
      highestPrice: Math.max(...columns.map((each) => price[each] ?? 0)),
      isEstimated: columns.some((each) => offerings[each]?.estimated ?? false),
      isUsable: rows.every((row) => tables.isUsable[row] === 1),
      isSplit: rows.length > 1,
      room: leastRoom(net, width, rows),
    });
  }
  return result;
}

function areAllowed(columns: Int32Array, allowed: Uint8Array): boolean {
  for (const column of columns) if (allowed[column] !== 1) return false;
  return true;
}

function isAllowedSomewhere({ launchables, tables, usable }: ListingInput, columns: Int32Array): boolean {
  return columns.some(
    (column) => usable.allowed[column] === 1 && tables.isUsable[launchables.columnRow[column] ?? 0] === 1,
  );
}

/** Per resource the least that any of the rows has. */
function leastRoom(net: Float64Array, width: number, rows: readonly number[]): Float64Array {
  return new Float64Array(width).map((_, axis) =>
    Math.min(...rows.map((row) => net[row * width + axis] ?? 0)),
  );
}

function roomOf(entries: readonly OfferedType[], width: number): Float64Array {
  const result = new Float64Array(entries.length * width);
  entries.forEach(({ room }, index) => {
    result.set(room, index * width);
  });
  return result;
}
