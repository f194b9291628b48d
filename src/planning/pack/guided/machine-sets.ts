/** Which machines and zones a node constraint admits, apart from each other, as the optimizer asks. */
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import { howManyFitRow, isRowNegative } from '../../model/launch/room.js';
import type { Problem } from '../../model/problem.js';
import { CPU_AXIS } from '../../optimize/problem/bin-problem.js';
import type { MachineTable } from './machine-table.js';
import type { Packing } from '../../rules/packing.js';

/** A constraint that splits: it admits exactly the machines marked, in the zones of the mask. */
export interface MachineSet {
  /** Number of the set, in the order in which they were asked for. */
  readonly index: number;
  /** Machine → 1 where it is admitted in some zone. */
  readonly machines: Uint8Array;
  /** Bit z is set where some machine is admitted in zone z. */
  readonly zoneMask: number;
}

/** Answers once per set of admitted columns. */
export class MachineSets {
  readonly #problem: Problem;
  readonly #table: MachineTable;
  readonly #known = new Map<Uint8Array, MachineSet | undefined>();
  readonly #parts = new Map<string, MachineSet>();
  #count = 0;

  constructor(problem: Problem, table: MachineTable) {
    this.#problem = problem;
    this.#table = table;
  }

  /** undefined for a constraint that admits some machines in some zones and others in others, and for one that admits nothing. */
  of(constraint: NodeConstraint): MachineSet | undefined {
    const admitted = this.#problem.admission.columns(constraint);
    if (this.#known.has(admitted)) return this.#known.get(admitted);
    const made = this.#split(admitted);
    this.#known.set(admitted, made);
    return made;
  }

  /** The part of a set that another one has, or has not, in common with it. */
  part(set: MachineSet, other: MachineSet, side: 'inside' | 'outside'): MachineSet {
    const key = `${String(set.index)} ${side} ${String(other.index)}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const wanted = side === 'inside' ? 1 : 0;
    const machines = new Uint8Array(set.machines.length);
    for (let machine = 0; machine < machines.length; machine++)
      machines[machine] = set.machines[machine] === 1 && other.machines[machine] === wanted ? 1 : 0;
    const made = { index: this.#count++, machines, zoneMask: set.zoneMask };
    this.#parts.set(key, made);
    return made;
  }

  #split(admitted: Uint8Array): MachineSet | undefined {
    const { count, zones, column } = this.#table;
    const machines = new Uint8Array(count);
    let zoneMask = 0;
    for (let machine = 0, index = 0; machine < count; machine++) {
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each < 0 || admitted[each] !== 1) continue;
        machines[machine] = 1;
        zoneMask |= 1 << zone;
      }
    }
    if (zoneMask === 0 || !this.#isExact(admitted, machines, zoneMask)) return undefined;
    return { index: this.#count++, machines, zoneMask };
  }

  /** Whether every machine marked is admitted wherever it is offered in the zones of the mask, and nothing else is. */
  #isExact(admitted: Uint8Array, machines: Uint8Array, zoneMask: number): boolean {
    const { count, zones, column } = this.#table;
    for (let machine = 0, index = 0; machine < count; machine++) {
      const zonesOfMachine = machines[machine] === 1 ? zoneMask : 0;
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each >= 0 && ((zonesOfMachine >> zone) & 1) !== admitted[each]) return false;
      }
    }
    return true;
  }
}

/** Items of one size, with the zones that they may go to. */
interface Sized {
  /** R amounts of one item, on the axis of the snapshot. */
  readonly requests: Float64Array;
  readonly zoneMask: number;
}

/** Machines by the weight of their pool, with what may be bought now and what an empty machine holds. */
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

export interface Reach extends Sized {
  /** Number of the reach, in the order in which they were asked for. */
  readonly index: number;
  readonly set: MachineSet;
  /** Number of its requests, see RequestKinds. */
  readonly kind: number;
  /** Tier of the machines that the items go to: of those that hold one, the highest; -1 when none does. */
  readonly tier: number;
}

/** Where items may go, answered once for all items of one size with the same machines and zones. */
export class Reaches {
  readonly #tiers: MachineTiers;
  /** Number of a set → number of kind and zones → reach. */
  readonly #known: Map<number, Reach>[] = [];
  readonly #masks: number;
  #count = 0;

  /** `zones`: how many there are. */
  constructor(tiers: MachineTiers, zones: number) {
    this.#tiers = tiers;
    this.#masks = 2 ** zones;
  }

  /** `kind` must be the number of these requests. */
  of(set: MachineSet, zoneMask: number, kind: number, requests: Float64Array): Reach {
    const ofSet = (this.#known[set.index] ??= new Map<number, Reach>());
    const key = kind * this.#masks + zoneMask;
    const known = ofSet.get(key);
    if (known !== undefined) return known;
    const tier = this.#tiers.highestFor(set, { requests, zoneMask });
    const made: Reach = { index: this.#count++, set, zoneMask, kind, requests, tier };
    ofSet.set(key, made);
    return made;
  }
}
