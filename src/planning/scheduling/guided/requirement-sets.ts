/**
 * What items require of a machine: that a constraint admits it, that it is of the pools of highest weight that can hold
 * them, that it has as many extended resources. Machines that every requirement judges alike share a signature.
 */
import type { Packing } from '../packing.js';
import { howManyFitNew, rowOf } from '../room.js';
import type { ItemDraft } from './item-draft.js';
import type { MachineSet } from './machine-sets.js';
import type { MachineTable } from './machine-table.js';
import type { ResourceAxis } from './resource-axis.js';

interface RequirementSet {
  readonly set: MachineSet;
  readonly tier: number;
  /** Amounts of `ResourceAxis.extended`. */
  readonly extended: readonly number[];
}

export interface Signatures {
  /** Machine → signature. */
  readonly ofMachine: Int32Array;
  readonly count: number;
  /** signatures × requirement sets. */
  readonly admits: Uint8Array;
}

export class RequirementSets {
  readonly #packing: Packing;
  readonly #table: MachineTable;
  readonly #axis: ResourceAxis;
  readonly #sets: RequirementSet[] = [];
  readonly #numbers = new Map<string, number>();
  /** Machine → the tier of its pool, 0 for the highest weight; -1 where nothing may be bought. */
  readonly #tier: Int32Array;
  readonly #tiers: number;
  /** Set → tier → machines. */
  readonly #ofTier = new Map<MachineSet, readonly (readonly number[])[]>();

  constructor(packing: Packing, table: MachineTable, axis: ResourceAxis) {
    this.#packing = packing;
    this.#table = table;
    this.#axis = axis;
    const { launchables } = packing.problem;
    const weights = [...new Set(launchables.templates.map(({ offer }) => offer.pool.weight))].sort(
      (left, right) => right - left,
    );
    this.#tiers = weights.length;
    const tierOf = new Map(weights.map((weight, tier) => [weight, tier]));
    this.#tier = table.row.map((row) => {
      const template = launchables.rowTemplate[row];
      return template === undefined || !this.#mayBeBought(row)
        ? -1
        : (tierOf.get(template.offer.pool.weight) ?? -1);
    });
  }

  get count(): number {
    return this.#sets.length;
  }

  /** Number of the set of a draft; -1 when no machine can hold one of its items. */
  of(draft: ItemDraft): number {
    const tier = this.#highestTier(draft);
    if (tier < 0) return -1;
    const extended = this.#axis.extended.map((index) => draft.requests[index] ?? 0);
    const key = [draft.set.index, tier, ...extended].join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.length;
    this.#numbers.set(key, number);
    this.#sets.push({ set: draft.set, tier, extended });
    return number;
  }

  /** Machines that an item of the draft goes to: those that hold it, of the highest weight that has any. */
  machinesFor(draft: ItemDraft): readonly number[] {
    const ofTier = this.#machinesOf(draft.set);
    return (ofTier[this.#highestTier(draft)] ?? []).filter((machine) => this.#holds(machine, draft));
  }

  /** How many items of the draft an empty machine takes. */
  itemsOn(machine: number, { requests }: ItemDraft): number {
    return howManyFitNew(requests, this.#net(machine), Infinity);
  }

  /** Machines apart by what they admit; to be asked when all sets are known. */
  signatures(): Signatures {
    const { count } = this.#table;
    const ofMachine = new Int32Array(count);
    let signatures = count > 0 ? 1 : 0;
    const representative = new Map<number, number>([[0, 0]]);
    for (const requirement of this.#sets) {
      const split = new Map<number, number>();
      representative.clear();
      for (let machine = 0; machine < count; machine++) {
        const key = (ofMachine[machine] ?? 0) * 2 + (this.#admits(requirement, machine) ? 1 : 0);
        const signature = split.get(key) ?? split.size;
        split.set(key, signature);
        ofMachine[machine] = signature;
        if (!representative.has(signature)) representative.set(signature, machine);
      }
      signatures = split.size;
    }
    const admits = new Uint8Array(signatures * this.#sets.length);
    for (const [signature, machine] of representative) {
      this.#sets.forEach((requirement, index) => {
        admits[signature * this.#sets.length + index] = this.#admits(requirement, machine) ? 1 : 0;
      });
    }
    return { ofMachine, count: signatures, admits };
  }

  /** Pools with minValues are left to packing pod by pod, which asks what a claim may still become. */
  #mayBeBought(row: number): boolean {
    const { problem, flexibility } = this.#packing;
    const { launchables, snapshot } = problem;
    const template = launchables.rowTemplate[row];
    if (template === undefined || flexibility.setsMinValues(template.index)) return false;
    const net = rowOf(launchables.net, snapshot.resources.length, row);
    return net.every((amount) => amount >= 0) && this.#packing.limitReached(row) === undefined;
  }

  #highestTier(draft: ItemDraft): number {
    return this.#machinesOf(draft.set).findIndex((machines) =>
      machines.some((machine) => this.#holds(machine, draft)),
    );
  }

  #holds(machine: number, draft: ItemDraft): boolean {
    return (
      howManyFitNew(draft.requests, this.#net(machine), 1) === 1 && this.#isOffered(machine, draft.zoneMask)
    );
  }

  #net(machine: number): Float64Array {
    const { launchables, snapshot } = this.#packing.problem;
    return rowOf(launchables.net, snapshot.resources.length, this.#table.row[machine] ?? 0);
  }

  #machinesOf(set: MachineSet): readonly (readonly number[])[] {
    const known = this.#ofTier.get(set);
    if (known !== undefined) return known;
    const made = Array.from({ length: this.#tiers }, (): number[] => []);
    for (let machine = 0; machine < this.#table.count; machine++) {
      if (set.machines[machine] === 1) made[this.#tier[machine] ?? -1]?.push(machine);
    }
    this.#ofTier.set(set, made);
    return made;
  }

  #isOffered(machine: number, zoneMask: number): boolean {
    const { zones, column } = this.#table;
    for (let zone = 0; zone < zones; zone++)
      if ((zoneMask & (1 << zone)) !== 0 && (column[machine * zones + zone] ?? -1) >= 0) return true;
    return false;
  }

  #admits({ set, tier, extended }: RequirementSet, machine: number): boolean {
    if (set.machines[machine] !== 1 || this.#tier[machine] !== tier) return false;
    const { launchables, snapshot } = this.#packing.problem;
    const offset = (this.#table.row[machine] ?? 0) * snapshot.resources.length;
    return extended.every(
      (amount, index) => (launchables.net[offset + (this.#axis.extended[index] ?? 0)] ?? 0) >= amount,
    );
  }
}
