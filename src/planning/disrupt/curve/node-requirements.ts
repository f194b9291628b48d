/** Which bin types and which existing nodes admit what items require, as signatures of one problem. */
import type { BinTypeSet, BinTypeTiers } from '../../pack/guided/bin-type-sets.js';
import type { ResourceAxis } from '../../pack/guided/resource-axis.js';
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import type { Packing } from '../../rules/packing.js';
import type { ItemKind } from './cluster-items.js';

interface Requirement {
  readonly constraint: NodeConstraint;
  readonly set: BinTypeSet;
  /** Pools of this weight, by rank. */
  readonly tier: number;
  /** Of the axis' extended resources. */
  readonly extended: readonly number[];
}

export interface ClusterSignatures {
  readonly binTypeSignatures: Int32Array;
  readonly nodeSignature: Int32Array;
  readonly signatures: number;
  /** signatures × requirement sets. */
  readonly admits: Uint8Array;
}

/**
 * What the node constraint admits, of the pools of highest weight that hold the item, with as many extended resources. What
 * admits the same bin types may admit other nodes, and is distinguished here.
 */
export class NodeRequirements {
  readonly #packing: Packing;
  readonly #tiers: BinTypeTiers;
  readonly #extended: readonly number[];
  readonly #requirements: Requirement[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(packing: Packing, tiers: BinTypeTiers, axis: ResourceAxis) {
    this.#packing = packing;
    this.#tiers = tiers;
    this.#extended = axis.extended;
  }

  /** One at least, though nothing may require it. */
  get count(): number {
    return Math.max(1, this.#requirements.length);
  }

  /** Number of what the items require; -1 for those that stay, for example because no bin type holds them. */
  of(kind: ItemKind): number {
    if (kind.mobility === undefined) return -1;
    const { set, ask } = kind.mobility;
    const tier = this.#tiers.highestFor(set, kind);
    if (tier < 0) return -1;
    const extended = this.#extended.map((index) => kind.requests[index] ?? 0);
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
    const binTypeSignatures = Int32Array.from({ length: this.#tiers.binTypes }, (_, binType) =>
      numberOf((requirement) => this.#admits(requirement, binType)),
    );
    const nodeSignature = Int32Array.from(snapshot.nodes, (_, node) =>
      numberOf(({ constraint }) => admission.node(constraint, node)),
    );
    const admits = new Uint8Array(rows.length * this.count);
    rows.forEach((row, signature) => {
      admits.set(row, signature * this.count);
    });
    return { binTypeSignatures, nodeSignature, signatures: rows.length, admits };
  }

  #admits({ set, tier, extended }: Requirement, binType: number): boolean {
    if (set.binTypes[binType] !== 1 || this.#tiers.tierOf(binType) !== tier) return false;
    const first = binType * this.#packing.problem.snapshot.resources.length;
    return this.#extended.every(
      (index, each) => (this.#tiers.room[first + index] ?? 0) >= (extended[each] ?? 0),
    );
  }
}
