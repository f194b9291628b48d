/** Which classes keep each other off one node, as bits: anti-affinity over hosts is asked of many pairs, over and over. */
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';

const BITS = 32;

export function isSet(bits: Uint32Array, position: number): boolean {
  return (((bits[position >>> 5] ?? 0) >>> (position & 31)) & 1) === 1;
}

/**
 * Positions of an order whose pods cannot share a node with pods of another position, whatever the node is: the required
 * anti-affinity of either, and what the ask of the other would rather avoid.
 */
export class Repulsion {
  readonly #order: readonly PodClass[];
  /** Group → positions of pods that it counts and that heed it; and of pods that shun its members. */
  readonly #heeding = new Map<number, Uint32Array>();
  readonly #shunning = new Map<number, Uint32Array>();
  /** Position → those that cannot join it; undefined where there are none, made when asked for. */
  readonly #apart: (Uint32Array | null | undefined)[] = [];
  readonly words: number;
  /** Whether any two classes keep apart. */
  readonly isAny: boolean;

  /** `askOf`: what a class asks for on the node; undefined for nothing. */
  constructor(order: readonly PodClass[], askOf: (pods: PodClass) => Ask | undefined) {
    this.#order = order;
    this.words = Math.ceil(order.length / BITS);
    for (const [position, pods] of order.entries()) {
      for (const { group } of pods.repelledBy) this.#mark(this.#heeding, group.index, position);
      for (const { group } of askOf(pods)?.antiAffinity ?? [])
        this.#mark(this.#shunning, group.index, position);
    }
    this.isAny = this.#heeding.size + this.#shunning.size > 0;
  }

  #mark(bits: Map<number, Uint32Array>, group: number, position: number): void {
    const known = bits.get(group) ?? new Uint32Array(this.words);
    bits.set(group, known);
    known[position >>> 5] = (known[position >>> 5] ?? 0) | (1 << (position & 31));
  }

  /** Positions that cannot share a node with pods of this one, as bits; undefined where all can. */
  apartFrom(position: number): Uint32Array | undefined {
    const known = this.#apart[position];
    if (known !== undefined) return known ?? undefined;
    const made = this.#find(position);
    this.#apart[position] = made ?? null;
    return made;
  }

  /** Whether two pods of one position cannot share a node. */
  isApartFromItself(position: number): boolean {
    const apart = this.isAny ? this.apartFrom(position) : undefined;
    return apart !== undefined && isSet(apart, position);
  }

  #find(position: number): Uint32Array | undefined {
    const pods = this.#order[position];
    let found: Uint32Array | undefined;
    const join = (bits: Uint32Array | undefined): void => {
      if (bits === undefined) return;
      found ??= new Uint32Array(this.words);
      for (let word = 0; word < bits.length; word++) found[word] = (found[word] ?? 0) | (bits[word] ?? 0);
    };
    for (const group of pods?.repels ?? []) join(this.#heeding.get(group));
    for (const group of pods?.memberOf ?? []) join(this.#shunning.get(group));
    return found;
  }
}
