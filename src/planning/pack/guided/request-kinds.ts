/** Equal requests as one small number: pods of thousands of classes often ask for a few hundred different amounts. */
import type { PodClass } from '../../model/classes/pod-class.js';

/** Slots of the hash table per kind that it is made for. */
const SLOTS_PER_KIND = 2;

export class RequestKinds {
  readonly #vectors: Float64Array[] = [];
  readonly #ofClass: Int32Array;
  /** Open addressing: slot → kind, or -1. */
  #slots: Int32Array;

  constructor(classes: readonly PodClass[]) {
    this.#slots = emptySlots(classes.length);
    this.#ofClass = new Int32Array(classes.length);
    for (const { index, requests } of classes) this.#ofClass[index] = this.of(requests);
  }

  get count(): number {
    return this.#vectors.length;
  }

  /** The kind of a class's requests. */
  ofClass(index: number): number {
    return this.#ofClass[index] ?? -1;
  }

  /** The kind of R amounts, a new one where nobody asked for just these. */
  of(requests: Float64Array): number {
    if (this.#vectors.length * SLOTS_PER_KIND > this.#slots.length) this.#grow();
    const slot = this.#slotOf(requests);
    const known = this.#slots[slot] ?? -1;
    if (known >= 0) return known;
    const kind = this.#vectors.length;
    this.#slots[slot] = kind;
    this.#vectors.push(requests);
    return kind;
  }

  /** The slot of the amounts, or the empty one that is theirs. */
  #slotOf(requests: Float64Array): number {
    const last = this.#slots.length - 1;
    let slot = hashOf(requests) & last;
    for (;;) {
      const kind = this.#slots[slot] ?? -1;
      if (kind < 0 || areEqual(this.#vectors[kind], requests)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #grow(): void {
    this.#slots = emptySlots(this.#vectors.length * SLOTS_PER_KIND);
    this.#vectors.forEach((vector, kind) => {
      this.#slots[this.#slotOf(vector)] = kind;
    });
  }
}

/** A power of two, at least twice the kinds expected. */
function emptySlots(kinds: number): Int32Array {
  let length = 16;
  while (length < kinds * SLOTS_PER_KIND) length *= 2;
  return new Int32Array(length).fill(-1);
}

function hashOf(amounts: Float64Array): number {
  let hash = 0;
  for (const amount of amounts) {
    // Memory in bytes is often a multiple of 2³²: both halves count.
    hash = Math.imul(hash ^ (amount | 0) ^ (amount / 2 ** 32), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function areEqual(left: Float64Array | undefined, right: Float64Array): boolean {
  if (left?.length !== right.length) return false;
  for (let index = 0; index < right.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
