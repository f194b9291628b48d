/** The optimizer's resource axis: CPU, memory, pods, and the extended resources that pods ask for. */
import type { PodClass } from '../../model/classes/pod-class.js';
import { FIRST_OTHER_AXIS } from '../../optimize/problem/bin-problem.js';

/** Where on the axis of a snapshot begins what is not divisible at will: GPUs and the like. */
const FIRST_EXTENDED = 4;

export interface ResourceAxis {
  /** Axis index → index on the axis of the snapshot. */
  readonly of: readonly number[];
  /** Indices on the axis of the snapshot of extended resources that pods ask for. */
  readonly extended: readonly number[];
}

/** @param requests R amounts each, on the axis of the snapshot; @param width that R. */
export function resourceAxis(requests: readonly Float64Array[], width: number): ResourceAxis {
  const used = Array.from({ length: width }, (_, index) => index).filter(
    (index) => index < FIRST_OTHER_AXIS || requests.some((amounts) => (amounts[index] ?? 0) > 0),
  );
  return { of: used, extended: used.filter((index) => index >= FIRST_EXTENDED) };
}

/** The amounts from `from` on that are on the axis, written to `into` from `offset` on. */
export function project(
  { of }: ResourceAxis,
  { amounts, from }: { readonly amounts: Float64Array; readonly from: number },
  into: Float64Array,
  offset: number,
): void {
  for (let position = 0; position < of.length; position++)
    into[offset + position] = amounts[from + (of[position] ?? 0)] ?? 0;
}

/** A matrix with rows of `width` amounts on the axis of the snapshot, with its rows on this one. */
export function projectMatrix(axis: ResourceAxis, matrix: Float64Array, width: number): Float64Array {
  const rows = matrix.length / width;
  const into = new Float64Array(rows * axis.of.length);
  for (let row = 0; row < rows; row++)
    project(axis, { amounts: matrix, from: row * width }, into, row * axis.of.length);
  return into;
}

/** Rows of amounts on the axis of the snapshot, one after the other on this one. */
export function projectRows(axis: ResourceAxis, rows: readonly Float64Array[]): Float64Array {
  const into = new Float64Array(rows.length * axis.of.length);
  rows.forEach((amounts, row) => {
    project(axis, { amounts, from: 0 }, into, row * axis.of.length);
  });
  return into;
}

/** Slots of the hash table per kind that it is made for. */
const SLOTS_PER_KIND = 2;

/** Equal requests as one small number: pods of thousands of classes often ask for a few hundred different amounts. */
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

  /** The kind of R amounts, a new one where no class asked for just these. */
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
