/** Launchable columns as the optimizer's machines: what can be bought, with a price per zone. */
import { ZONE } from '../../../domain/labels.js';
import type { CapacityType } from '../../../domain/instance-type.js';
import { NEW_HOST } from '../domains.js';
import type { Problem } from '../problem.js';
import { LEAST_PRICE } from '../resource-prices.js';

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
  /** Whether every machine is offered at one price in all zones in which anything is offered. */
  readonly zonesEqual: boolean;
}

/** One machine per row and capacity type; of several offerings in a zone the cheapest. Offerings without a zone are left out. */
export function machineTable({ launchables, domains }: Problem): MachineTable {
  const zones = domains.count(ZONE);
  const row: number[] = [];
  const column: number[] = [];
  launchables.rowColumns.forEach((columns, index) => {
    const machines = new Map<CapacityType, number>();
    for (const each of columns) {
      const zone = domains.at(ZONE, { target: NEW_HOST, column: each });
      const capacityType = launchables.offerings[each]?.capacityType;
      if (zone < 0 || capacityType === undefined) continue;
      let machine = machines.get(capacityType);
      if (machine === undefined) {
        machine = row.length;
        machines.set(capacityType, machine);
        row.push(index);
        for (let other = 0; other < zones; other++) column.push(-1);
      }
      const known = column[machine * zones + zone] ?? -1;
      if (known < 0 || (launchables.price[each] ?? 0) < (launchables.price[known] ?? 0))
        column[machine * zones + zone] = each;
    }
  });
  const price = Float64Array.from(column, (each) =>
    each < 0 ? Infinity : Math.max(LEAST_PRICE, launchables.price[each] ?? Infinity),
  );
  const table = {
    count: row.length,
    zones,
    row: Int32Array.from(row),
    column: Int32Array.from(column),
    price,
  };
  return { ...table, zonesEqual: areZonesEqual(table) };
}

/** Zones in which nothing is offered do not count. */
function areZonesEqual({ count, zones, price }: Omit<MachineTable, 'zonesEqual'>): boolean {
  const used = new Set<number>();
  for (let index = 0; index < price.length; index++) if (price[index] !== Infinity) used.add(index % zones);
  const [first = 0, ...others] = used;
  for (let machine = 0; machine < count; machine++) {
    for (const zone of others)
      if (price[machine * zones + zone] !== price[machine * zones + first]) return false;
  }
  return true;
}
