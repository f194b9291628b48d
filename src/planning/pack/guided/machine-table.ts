/** Launchable columns as the optimizer's machines: what can be bought, with a price per zone. */
import { ZONE } from '../../../domain/labels.js';
import type { CapacityType } from '../../../domain/instance-type.js';
import { areZonesEqual } from '../../optimize/problem/zones-equal.js';
import { NEW_HOST } from '../../model/constraints/domains.js';
import type { Problem } from '../../model/problem.js';
import { LEAST_PRICE } from '../../model/launch/resource-prices.js';

export interface MachineTable {
  readonly count: number;
  /** Number of zones, Z: the domains of the zone label. */
  readonly zones: number;
  /** Machine → launchable row. */
  readonly row: Int32Array;
  /** machines × Z: the column to open, or -1 where it is not offered. */
  readonly column: Int32Array;
  /** machines × Z: USD/h, Infinity where it is not offered. */
  readonly price: Float64Array;
  /** Launchable column → its zone, or below 0. */
  readonly zoneOfColumn: Int32Array;
  /** Whether every machine is offered at one price in all zones in which anything is offered. */
  readonly zonesEqual: boolean;
}

/** One machine per row and capacity type; of several offerings in a zone the cheapest. Offerings without a zone are left out. */
export function machineTable(problem: Problem): MachineTable {
  const { launchables, domains } = problem;
  const zones = domains.count(ZONE);
  const row: number[] = [];
  const column: number[] = [];
  const zoneOfColumn = zonesOfColumns(problem);
  launchables.rowColumns.forEach((columns, index) => {
    const machines = new Map<CapacityType, number>();
    for (const each of columns) {
      const zone = zoneOfColumn[each] ?? -1;
      const capacityType = launchables.offerings[each]?.capacityType;
      if (zone < 0 || capacityType === undefined) continue;
      let machine = machines.get(capacityType);
      if (machine === undefined) {
        machine = row.length;
        machines.set(capacityType, machine);
        row.push(index);
        for (let other = 0; other < zones; other++) column.push(-1);
      }
      const at = machine * zones + zone;
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
