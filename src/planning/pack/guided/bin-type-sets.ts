/** Which bin types and zones a node constraint admits, apart from each other, as the optimizer asks. */
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import { howManyFitRow, isRowNegative } from '../../model/launch/room.js';
import type { Problem } from '../../model/problem.js';
import { CPU_AXIS } from '../../optimize/problem/bin-problem.js';
import type { BinTypeTable } from './bin-type-table.js';
import type { Packing } from '../../rules/packing.js';

/** A constraint that splits: it admits exactly the bin types marked, in the zones of the mask. */
export interface BinTypeSet {
  /** Number of the set, in the order in which they were asked for. */
  readonly index: number;
  /** Bin type → 1 where it is admitted in some zone. */
  readonly binTypes: Uint8Array;
  /** Bit z is set where some bin type is admitted in zone z. */
  readonly zoneMask: number;
}

/** Answers once per set of admitted columns. */
export class BinTypeSets {
  readonly #problem: Problem;
  readonly #table: BinTypeTable;
  readonly #known = new Map<Uint8Array, BinTypeSet | undefined>();
  readonly #parts = new Map<string, BinTypeSet>();
  #count = 0;

  constructor(problem: Problem, table: BinTypeTable) {
    this.#problem = problem;
    this.#table = table;
  }

  /** undefined for a constraint that admits some bin types in some zones and others in others, and for one that admits nothing. */
  of(constraint: NodeConstraint): BinTypeSet | undefined {
    const admitted = this.#problem.admission.columns(constraint);
    if (this.#known.has(admitted)) return this.#known.get(admitted);
    const made = this.#split(admitted);
    this.#known.set(admitted, made);
    return made;
  }

  /** The part of a set that another one has, or has not, in common with it. */
  part(set: BinTypeSet, other: BinTypeSet, side: 'inside' | 'outside'): BinTypeSet {
    const key = `${String(set.index)} ${side} ${String(other.index)}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const wanted = side === 'inside' ? 1 : 0;
    const binTypes = new Uint8Array(set.binTypes.length);
    for (let binType = 0; binType < binTypes.length; binType++)
      binTypes[binType] = set.binTypes[binType] === 1 && other.binTypes[binType] === wanted ? 1 : 0;
    const made = { index: this.#count++, binTypes, zoneMask: set.zoneMask };
    this.#parts.set(key, made);
    return made;
  }

  #split(admitted: Uint8Array): BinTypeSet | undefined {
    const { count, zones, column } = this.#table;
    const binTypes = new Uint8Array(count);
    let zoneMask = 0;
    for (let binType = 0, index = 0; binType < count; binType++) {
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each < 0 || admitted[each] !== 1) continue;
        binTypes[binType] = 1;
        zoneMask |= 1 << zone;
      }
    }
    if (zoneMask === 0 || !this.#isExact(admitted, binTypes, zoneMask)) return undefined;
    return { index: this.#count++, binTypes, zoneMask };
  }

  /** Whether every bin type marked is admitted wherever it is offered in the zones of the mask, and nothing else is. */
  #isExact(admitted: Uint8Array, binTypes: Uint8Array, zoneMask: number): boolean {
    const { count, zones, column } = this.#table;
    for (let binType = 0, index = 0; binType < count; binType++) {
      const zonesOfBinType = binTypes[binType] === 1 ? zoneMask : 0;
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each >= 0 && ((zonesOfBinType >> zone) & 1) !== admitted[each]) return false;
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

/** Bin types by the weight of their pool, with what may be bought now and what an empty bin holds. */
export class BinTypeTiers {
  readonly #packing: Packing;
  readonly #table: BinTypeTable;
  /** bin types × R: what an empty one may be filled with. */
  readonly room: Float64Array;
  /** How many bin types there are. */
  readonly binTypes: number;
  /** Number of different weights. */
  readonly count: number;
  /** Bin type → the tier of its pool, 0 for the highest weight; -1 where nothing may be bought. */
  readonly #tier: Int32Array;
  /** Number of a set → tier → bin types. */
  readonly #lists: (readonly Int32Array[])[] = [];
  /** Zone mask → bin type → USD/h in the cheapest of the zones. */
  readonly #cheapest = new Map<number, Float64Array>();

  constructor(packing: Packing, table: BinTypeTable, room: Float64Array) {
    this.#packing = packing;
    this.#table = table;
    this.room = room;
    this.binTypes = table.count;
    const { launchables } = packing.problem;
    const weights = [...new Set(launchables.templates.map(({ offer }) => offer.pool.weight))].sort(
      (left, right) => right - left,
    );
    this.count = weights.length;
    const ofTemplate = launchables.templates.map(({ offer }) => weights.indexOf(offer.pool.weight));
    this.#tier = new Int32Array(table.count).fill(-1);
    for (let binType = 0; binType < table.count; binType++) {
      const row = table.row[binType] ?? 0;
      const template = launchables.rowTemplate[row]?.index ?? -1;
      if (this.#mayBeBought(binType, row)) this.#tier[binType] = ofTemplate[template] ?? -1;
    }
  }

  /** The tier of a bin type, 0 for the pools of highest weight; -1 where nothing may be bought. */
  tierOf(binType: number): number {
    return this.#tier[binType] ?? -1;
  }

  /** Bin types of a set that are of a tier. */
  binTypesOf(set: BinTypeSet, tier: number): Int32Array {
    const known = this.#lists[set.index] ?? this.#listsOf(set);
    this.#lists[set.index] = known;
    return known[tier] ?? NO_BIN_TYPES;
  }

  /** The tier of highest weight that has a bin type which holds one such item; -1 when none has. */
  highestFor(set: BinTypeSet, { requests, zoneMask }: Sized): number {
    const price = this.cheapestIn(zoneMask);
    for (let tier = 0; tier < this.count; tier++) {
      for (const binType of this.binTypesOf(set, tier))
        if ((price[binType] ?? Infinity) < Infinity && howManyFitRow(requests, this.room, binType, 1) === 1)
          return tier;
    }
    return -1;
  }

  /** USD/h per item on the bin type that such items fill most cheaply; Infinity when none of these holds one. */
  leastPriceOf({ requests, zoneMask }: Sized, binTypes: Int32Array): number {
    const price = this.cheapestIn(zoneMask);
    const cpu = requests[CPU_AXIS] ?? 0;
    let least = Infinity;
    for (const binType of binTypes) {
      const whole = price[binType] ?? Infinity;
      // Not even if it were filled by CPU alone, to the last bit.
      const most = this.room[binType * requests.length + CPU_AXIS] ?? 0;
      if (whole === Infinity || whole * cpu > least * most) continue;
      const items = howManyFitRow(requests, this.room, binType, Infinity);
      if (items > 0) least = Math.min(least, whole / items);
    }
    return least;
  }

  /** Bin type → USD/h in the cheapest of the zones, Infinity where it is offered in none of them. */
  cheapestIn(zoneMask: number): Float64Array {
    const known = this.#cheapest.get(zoneMask);
    if (known !== undefined) return known;
    const { count, zones, price } = this.#table;
    const made = new Float64Array(count).fill(Infinity);
    for (let zone = 0; zone < zones; zone++) {
      if ((zoneMask & (1 << zone)) === 0) continue;
      for (let binType = 0; binType < count; binType++)
        made[binType] = Math.min(made[binType] ?? Infinity, price[binType * zones + zone] ?? Infinity);
    }
    this.#cheapest.set(zoneMask, made);
    return made;
  }

  #mayBeBought(binType: number, row: number): boolean {
    if (isRowNegative(this.room, this.#packing.problem.snapshot.resources.length, binType)) return false;
    return this.#packing.isWithinLimits(row);
  }

  #listsOf(set: BinTypeSet): readonly Int32Array[] {
    const made = Array.from({ length: this.count }, (): number[] => []);
    for (let binType = 0; binType < this.#table.count; binType++) {
      const tier = set.binTypes[binType] === 1 ? this.tierOf(binType) : -1;
      if (tier >= 0) made[tier]?.push(binType);
    }
    return made.map((binTypes) => Int32Array.from(binTypes));
  }
}

const NO_BIN_TYPES = new Int32Array();

export interface Reach extends Sized {
  /** Number of the reach, in the order in which they were asked for. */
  readonly index: number;
  readonly set: BinTypeSet;
  /** Number of its requests, see RequestKinds. */
  readonly kind: number;
  /** Tier of the bin types that the items go to: of those that hold one, the highest; -1 when none does. */
  readonly tier: number;
}

/** Where items may go, answered once for all items of one size with the same bin types and zones. */
export class Reaches {
  readonly #tiers: BinTypeTiers;
  /** Number of a set → number of kind and zones → reach. */
  readonly #known: Map<number, Reach>[] = [];
  readonly #masks: number;
  #count = 0;

  /** `zones`: how many there are. */
  constructor(tiers: BinTypeTiers, zones: number) {
    this.#tiers = tiers;
    this.#masks = 2 ** zones;
  }

  /** `kind` must be the number of these requests. */
  of(set: BinTypeSet, zoneMask: number, kind: number, requests: Float64Array): Reach {
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
