/** Which machines and which nodes that exist admit what items require, as signatures of one problem. */
import type { MachineSet } from '../scheduling/guided/machine-sets.js';
import type { MachineTable } from '../scheduling/guided/machine-table.js';
import type { NodeConstraint } from '../scheduling/node-constraint.js';
import type { Packing } from '../scheduling/packing.js';
import { howManyFitNew, rowOf } from '../scheduling/room.js';
import type { ItemKind } from './cluster-items.js';

/** Of the snapshot's resources, those from here on are not divisible at will: GPUs and the like. */
const FIRST_EXTENDED = 4;

interface Requirement {
  readonly constraint: NodeConstraint;
  readonly set: MachineSet;
  /** Pools of this weight, by rank. */
  readonly tier: number;
  readonly extended: Float64Array;
}

export interface ClusterSignatures {
  readonly machineSignatures: Int32Array;
  readonly nodeSignature: Int32Array;
  readonly signatures: number;
  /** signatures × requirement sets. */
  readonly admits: Uint8Array;
}

/**
 * What the node constraint admits, of the pools of highest weight that hold the item, with as many extended resources. What
 * admits the same machines may admit other nodes, and is told apart here.
 */
export class NodeRequirements {
  readonly #packing: Packing;
  readonly #table: MachineTable;
  readonly #requirements: Requirement[] = [];
  readonly #numbers = new Map<string, number>();
  /** Machine → the rank of its pool's weight, 0 for the highest; -1 where nothing may be bought. */
  readonly #tier: Int32Array;

  constructor(packing: Packing, table: MachineTable) {
    this.#packing = packing;
    this.#table = table;
    const { templates, rowTemplate } = packing.problem.launchables;
    const weights = [...new Set(templates.map(({ offer }) => offer.pool.weight))].sort(
      (one, other) => other - one,
    );
    this.#tier = table.row.map((row) => {
      const weight = rowTemplate[row]?.offer.pool.weight;
      return weight !== undefined && this.#mayBeBought(row) ? weights.indexOf(weight) : -1;
    });
  }

  /** One at least, though nothing may require it. */
  get count(): number {
    return Math.max(1, this.#requirements.length);
  }

  /** Number of what the items require; -1 for those that stay, be it because no machine that can be bought holds them. */
  of(kind: ItemKind): number {
    if (kind.mobility === undefined) return -1;
    const { set, ask } = kind.mobility;
    const tier = this.#highestTier(kind, set);
    if (tier === Infinity) return -1;
    const extended = kind.requests.slice(FIRST_EXTENDED);
    const key = [ask.constraint.key, tier, ...extended].join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#requirements.length;
    this.#numbers.set(key, number);
    this.#requirements.push({ constraint: ask.constraint, set, tier, extended });
    return number;
  }

  /** To be asked when all requirements are known. */
  signatures(): ClusterSignatures {
    const { admission, snapshot } = this.#packing.problem;
    const rows: Uint8Array[] = [];
    const known = new Map<string, number>();
    const numberOf = (admits: (requirement: Requirement) => boolean): number => {
      const row = Uint8Array.from(this.#requirements, (requirement) => Number(admits(requirement)));
      const key = row.join('');
      const number = known.get(key) ?? rows.length;
      if (number === rows.length) rows.push(row);
      known.set(key, number);
      return number;
    };
    const machineSignatures = this.#table.row.map((_, machine) =>
      numberOf((requirement) => this.#admits(requirement, machine)),
    );
    const nodeSignature = Int32Array.from(snapshot.nodes, (_, node) =>
      numberOf(({ constraint }) => admission.node(constraint, node)),
    );
    const admits = new Uint8Array(rows.length * this.count);
    rows.forEach((row, signature) => {
      admits.set(row, signature * this.count);
    });
    return { machineSignatures, nodeSignature, signatures: rows.length, admits };
  }

  /** Pools with minValues want a choice that a single machine does not show. */
  #mayBeBought(row: number): boolean {
    const { problem, flexibility } = this.#packing;
    const template = problem.launchables.rowTemplate[row];
    return (
      template !== undefined &&
      !flexibility.setsMinValues(template.index) &&
      this.#packing.limitReached(row) === undefined
    );
  }

  /** Infinity where no machine holds an item of the kind. */
  #highestTier({ requests, zoneMask }: ItemKind, set: MachineSet): number {
    let best = Infinity;
    for (let machine = 0; machine < this.#table.count; machine++) {
      const tier = this.#tier[machine] ?? -1;
      if (tier < 0 || tier >= best || set.machines[machine] !== 1) continue;
      if (this.#isOffered(machine, zoneMask) && howManyFitNew(requests, this.#net(machine), 1) === 1)
        best = tier;
      if (best === 0) break;
    }
    return best;
  }

  #isOffered(machine: number, zoneMask: number): boolean {
    const { zones, column } = this.#table;
    for (let zone = 0; zone < zones; zone++)
      if ((zoneMask & (1 << zone)) !== 0 && (column[machine * zones + zone] ?? -1) >= 0) return true;
    return false;
  }

  #net(machine: number): Float64Array {
    const { launchables, snapshot } = this.#packing.problem;
    return rowOf(launchables.net, snapshot.resources.length, this.#table.row[machine] ?? 0);
  }

  #admits({ set, tier, extended }: Requirement, machine: number): boolean {
    if (set.machines[machine] !== 1 || this.#tier[machine] !== tier) return false;
    const net = this.#net(machine);
    return extended.every((amount, index) => (net[FIRST_EXTENDED + index] ?? 0) >= amount);
  }
}
