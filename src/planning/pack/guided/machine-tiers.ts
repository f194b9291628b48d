/** Machines by the weight of their pool, with what may be bought now and what an empty machine holds. */
import { CPU_AXIS } from '../../optimize/problem/bin-problem.js';
import type { Packing } from '../../rules/packing.js';
import { howManyFitRow, isRowNegative } from '../../model/launch/room.js';
import type { MachineSet } from './machine-sets.js';
import type { MachineTable } from './machine-table.js';

/** Items of one size, with the zones that they may go to. */
export interface Sized {
  /** R amounts of one item, on the axis of the snapshot. */
  readonly requests: Float64Array;
  readonly zoneMask: number;
}

export class MachineTiers {
  readonly #packing: Packing;
  readonly #table: MachineTable;
  /** machines × R: what an empty one may be filled with. */
  readonly room: Float64Array;
  /** How many machines there are. */
  readonly machines: number;
  /** Number of different weights. */
  readonly count: number;
  /** Machine → the tier of its pool, 0 for the highest weight; -1 where nothing may be bought. */
  readonly #tier: Int32Array;
  /** Number of a set → tier → machines. */
  readonly #lists: (readonly Int32Array[])[] = [];
  /** Zone mask → machine → USD/h in the cheapest of the zones. */
  readonly #cheapest = new Map<number, Float64Array>();

  constructor(packing: Packing, table: MachineTable, room: Float64Array) {
    this.#packing = packing;
    this.#table = table;
    this.room = room;
    this.machines = table.count;
    const { launchables } = packing.problem;
    const weights = [...new Set(launchables.templates.map(({ offer }) => offer.pool.weight))].sort(
      (left, right) => right - left,
    );
    this.count = weights.length;
    const ofTemplate = launchables.templates.map(({ offer }) => weights.indexOf(offer.pool.weight));
    this.#tier = new Int32Array(table.count).fill(-1);
    for (let machine = 0; machine < table.count; machine++) {
      const row = table.row[machine] ?? 0;
      const template = launchables.rowTemplate[row]?.index ?? -1;
      if (this.#mayBeBought(machine, row)) this.#tier[machine] = ofTemplate[template] ?? -1;
    }
  }

  /** The tier of a machine, 0 for the pools of highest weight; -1 where nothing may be bought. */
  tierOf(machine: number): number {
    return this.#tier[machine] ?? -1;
  }

  /** Machines of a set that are of a tier. */
  machinesOf(set: MachineSet, tier: number): Int32Array {
    const known = this.#lists[set.index] ?? this.#listsOf(set);
    this.#lists[set.index] = known;
    return known[tier] ?? NO_MACHINES;
  }

  /** The tier of highest weight that has a machine which holds one such item; -1 when none has. */
  highestFor(set: MachineSet, { requests, zoneMask }: Sized): number {
    const price = this.cheapestIn(zoneMask);
    for (let tier = 0; tier < this.count; tier++) {
      for (const machine of this.machinesOf(set, tier))
        if ((price[machine] ?? Infinity) < Infinity && howManyFitRow(requests, this.room, machine, 1) === 1)
          return tier;
    }
    return -1;
  }

  /** USD/h per item on the machine that such items fill most cheaply; Infinity when none of these holds one. */
  leastPriceOf({ requests, zoneMask }: Sized, machines: Int32Array): number {
    const price = this.cheapestIn(zoneMask);
    const cpu = requests[CPU_AXIS] ?? 0;
    let least = Infinity;
    for (const machine of machines) {
      const whole = price[machine] ?? Infinity;
      // Not even if it were filled by CPU alone, to the last bit.
      const most = this.room[machine * requests.length + CPU_AXIS] ?? 0;
      if (whole === Infinity || whole * cpu > least * most) continue;
      const items = howManyFitRow(requests, this.room, machine, Infinity);
      if (items > 0) least = Math.min(least, whole / items);
    }
    return least;
  }

  /** Machine → USD/h in the cheapest of the zones, Infinity where it is offered in none of them. */
  cheapestIn(zoneMask: number): Float64Array {
    const known = this.#cheapest.get(zoneMask);
    if (known !== undefined) return known;
    const { count, zones, price } = this.#table;
    const made = new Float64Array(count).fill(Infinity);
    for (let zone = 0; zone < zones; zone++) {
      if ((zoneMask & (1 << zone)) === 0) continue;
      for (let machine = 0; machine < count; machine++)
        made[machine] = Math.min(made[machine] ?? Infinity, price[machine * zones + zone] ?? Infinity);
    }
    this.#cheapest.set(zoneMask, made);
    return made;
  }

  #mayBeBought(machine: number, row: number): boolean {
    if (isRowNegative(this.room, this.#packing.problem.snapshot.resources.length, machine)) return false;
    return this.#packing.isWithinLimits(row);
  }

  #listsOf(set: MachineSet): readonly Int32Array[] {
    const made = Array.from({ length: this.count }, (): number[] => []);
    for (let machine = 0; machine < this.#table.count; machine++) {
      const tier = set.machines[machine] === 1 ? this.tierOf(machine) : -1;
      if (tier >= 0) made[tier]?.push(machine);
    }
    return made.map((machines) => Int32Array.from(machines));
  }
}

const NO_MACHINES = new Int32Array();
