/** Launchable columns as the optimizer's bin types: what can be bought, with a price per zone. */
import type { CapacityType } from '../../../domain/nodes/instance-type.js';
import { ZONE } from '../../../domain/values/labels.js';
import { NEW_HOST } from '../../model/constraints/domains.js';
import { type Launchables, rowCapacity } from '../../model/launch/launchables.js';
import { LEAST_PRICE } from '../../model/launch/resource-prices.js';
import { rowOf } from '../../model/launch/room.js';
import type { Problem } from '../../model/problem.js';
import { SeenLabels } from '../../offerings/min-values-count.js';
import { type Accounts, areZonesEqual, type BinTypes } from '../../optimize/problem/bin-problem.js';
import type { Flexibility } from '../../rules/flexibility.js';
import type { Packing } from '../../rules/packing.js';

export interface BinTypeTable {
  readonly count: number;
  /** Number of zones, Z: the domains of the zone label. */
  readonly zones: number;
  /** Bin type → launchable row. */
  readonly row: Int32Array;
  /** bin types × Z: the column to open, or -1 where it is not offered. */
  readonly column: Int32Array;
  /** bin types × Z: USD/h, Infinity where it is not offered. */
  readonly price: Float64Array;
  /** Launchable column → its zone, or below 0. */
  readonly zoneOfColumn: Int32Array;
  /** Whether every bin type is offered at one price in all zones in which anything is offered. */
  readonly zonesEqual: boolean;
}

/** One bin type per row and capacity type; of several offerings in a zone the cheapest. Offerings without a zone are left out. */
export function binTypeTable(problem: Problem): BinTypeTable {
  const { launchables, domains } = problem;
  const zones = domains.count(ZONE);
  const row: number[] = [];
  const column: number[] = [];
  const zoneOfColumn = zonesOfColumns(problem);
  launchables.rowColumns.forEach((columns, index) => {
    const binTypes = new Map<CapacityType, number>();
    for (const each of columns) {
      const zone = zoneOfColumn[each] ?? -1;
      const capacityType = launchables.offerings[each]?.capacityType;
      if (zone < 0 || capacityType === undefined) continue;
      let binType = binTypes.get(capacityType);
      if (binType === undefined) {
        binType = row.length;
        binTypes.set(capacityType, binType);
        row.push(index);
        for (let other = 0; other < zones; other++) column.push(-1);
      }
      const at = binType * zones + zone;
      column[at] = cheaper(launchables.price, column[at] ?? -1, each);
    }
  });
  const table = {
    count: row.length,
    zones,
    row: Int32Array.from(row),
    column: Int32Array.from(column),
    zoneOfColumn,
    price: pricesOf(column, launchables.price),
  };
  return { ...table, zonesEqual: areZonesEqual(table) };
}

/** The first of two columns where they cost the same; below 0 is none. */
function cheaper(price: Float64Array, first: number, second: number): number {
  return first < 0 || (price[second] ?? 0) < (price[first] ?? 0) ? second : first;
}

function zonesOfColumns({ launchables, domains }: Problem): Int32Array {
  const zones = new Int32Array(launchables.columnRow.length);
  for (let column = 0; column < zones.length; column++)
    zones[column] = domains.at(ZONE, { target: NEW_HOST, column });
  return zones;
}

function pricesOf(columns: readonly number[], price: Float64Array): Float64Array {
  const prices = new Float64Array(columns.length).fill(Infinity);
  for (const [index, column] of columns.entries())
    if (column >= 0) prices[index] = Math.max(LEAST_PRICE, price[column] ?? Infinity);
  return prices;
}

/** Room given up for the sake of minValues, as parts of what the bin type has: as little as will do, in these steps. */
const LOSSES = [0, 0.01, 0.03, 0.1, 0.25, 0.5];

/** bin types × R; with a negative amount where the minValues of the pool cannot be kept. */
export function binTypeRoom({ problem, flexibility }: Packing, { count, row }: BinTypeTable): Float64Array {
  const { launchables, snapshot } = problem;
  const width = snapshot.resources.length;
  const room = new Float64Array(count * width);
  const shared = new SharedRoom(launchables, flexibility, width);
  for (let binType = 0; binType < count; binType++) room.set(shared.of(row[binType] ?? 0), binType * width);
  return room;
}

class SharedRoom {
  readonly #launchables: Launchables;
  readonly #flexibility: Flexibility;
  readonly #width: number;
  /** Row → what was found for it. */
  readonly #found = new Map<number, Float64Array>();

  constructor(launchables: Launchables, flexibility: Flexibility, width: number) {
    this.#launchables = launchables;
    this.#flexibility = flexibility;
    this.#width = width;
  }

  /** R amounts that a node of this row, and enough others of its pool, have free. */
  of(row: number): Float64Array {
    const { net, rowTemplate } = this.#launchables;
    const own = rowOf(net, this.#width, row);
    const template = rowTemplate[row]?.index ?? -1;
    if (!this.#flexibility.setsMinValues(template)) return own;
    const found = this.#found.get(row) ?? this.#shared(row, template, own.slice());
    this.#found.set(row, found);
    return found;
  }

  /** The room of the row narrowed to that of the nearest rows which bring values that are missing. */
  #shared(row: number, template: number, room: Float64Array): Float64Array {
    const { net, templateRows, rowColumns } = this.#launchables;
    const own = rowOf(net, this.#width, row);
    const counts = this.#flexibility.countsBeside(row);
    const seen = new SeenLabels(this.#flexibility.counted(template));
    seen.add(rowColumns[row]);
    for (const loss of LOSSES) {
      for (const other of templateRows[template] ?? []) {
        if (seen.areEnough) return room;
        const beside = rowOf(net, this.#width, other);
        if (!seen.misses(rowColumns[other]) || !holds(beside, own, 1 - loss) || !counts(other)) continue;
        seen.add(rowColumns[other]);
        beside.forEach((amount, resource) => (room[resource] = Math.min(room[resource] ?? 0, amount)));
      }
    }
    return seen.areEnough ? room : room.fill(-1);
  }
}

/** Whether one room is at least this part of another, of every resource. */
function holds(room: Float64Array, of: Float64Array, part: number): boolean {
  return of.every((amount, resource) => (room[resource] ?? 0) >= amount * part);
}

interface LimitAccounts extends Pick<BinTypes, 'account' | 'charge'> {
  readonly accounts: Accounts;
}

/** One account per pool that has limits. A bin type is charged to its own only, so that many pools take no more memory. */
export function limitAccounts({ problem, usage }: Packing, { row, count }: BinTypeTable): LimitAccounts {
  const { launchables, snapshot } = problem;
  const accountOf = new Int32Array(snapshot.pools.length).fill(-1);
  const limitsOf: (readonly string[])[] = [];
  const [first, left]: [number[], number[]] = [[], []];
  for (let pool = 0; pool < snapshot.pools.length; pool++) {
    const limits = usage.limited(pool);
    if (limits.length === 0) continue;
    accountOf[pool] = limitsOf.length;
    limitsOf.push(limits);
    first.push(left.length);
    for (const resource of limits) left.push(Math.max(0, usage.left(pool, resource)));
  }
  const width = Math.max(0, ...limitsOf.map(({ length }) => length));
  const charge = new Float64Array(count * width);
  const account = new Int32Array(count).fill(-1);
  row.forEach((each, binType) => {
    const own = accountOf[launchables.rowPool[each] ?? -1] ?? -1;
    account[binType] = own;
    const limits = limitsOf[own];
    if (limits === undefined) return;
    const capacity = rowCapacity(launchables, each);
    for (const [index, resource] of limits.entries())
      charge[binType * width + index] = usage.charge(resource, capacity);
  });
  const accounts = {
    limits: left.length,
    width,
    first: Int32Array.from(first),
    left: Float64Array.from(left),
  };
  return { account, charge, accounts };
}
