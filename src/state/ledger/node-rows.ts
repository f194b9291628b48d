/**
 * The known nodes as rows of columns, found by the bytes of their names: kube-scheduler has thousands of nodes scored for each
 * pod, and making a string of each name and following it to an object takes several times as long as scoring it.
 */
import type { NodeColumns, PlacementNode } from '../../planning/placement/placement-view.js';

/** FNV-1a (RFC 9923). */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
/** Any other odd number: two hashes tell names apart, where one alone would take two of 100,000 for the same. */
const OTHER_PRIME = 0x5bd1e995;
const FIRST_ROWS = 1024;
/** No row was ever here, or one was. */
const NEVER = -1;
const GONE = -2;

export class NodeRows implements NodeColumns {
  leaving = new Uint8Array(FIRST_ROWS);
  restricted = new Uint8Array(FIRST_ROWS);
  hourlyPrice = new Float64Array(FIRST_ROWS);
  endsAt = new Float64Array(FIRST_ROWS);
  /** NaN: to be asked of the node again. */
  #fullness = new Float64Array(FIRST_ROWS);
  readonly #nodes: (PlacementNode | undefined)[] = [];
  readonly #rows = new Map<string, number>();
  readonly #free: number[] = [];
  /** A row is at the place that its name's first hash says, or behind it. At least half of the places are never taken. */
  #places = new Int32Array(4 * FIRST_ROWS).fill(NEVER);
  #taken = 0;
  /** Of the name of each row. */
  #hashes = new Int32Array(FIRST_ROWS);
  #otherHashes = new Int32Array(FIRST_ROWS);
  /** Of the last name that was looked for. */
  #otherHash = 0;

  /** The row of a node that has come. */
  add(node: PlacementNode): number {
    const row = this.#free.pop() ?? this.#nodes.length;
    if (row >= this.leaving.length) this.#grow();
    const name = new TextEncoder().encode(node.name);
    this.#nodes[row] = node;
    this.#rows.set(node.name, row);
    this.#fullness[row] = NaN;
    this.#hashes[row] = this.#hash(name, 0, name.length);
    this.#otherHashes[row] = this.#otherHash;
    if (2 * (this.#taken + 1) > this.#places.length) this.#spread();
    else this.#place(row);
    return row;
  }

  /** The node has gone. */
  remove(row: number): void {
    const name = this.#nodes[row]?.name;
    if (name === undefined) return;
    const mask = this.#places.length - 1;
    let at = (this.#hashes[row] ?? 0) & mask;
    while (this.#places[at] !== row) at = (at + 1) & mask;
    this.#places[at] = GONE;
    this.#nodes[row] = undefined;
    this.#rows.delete(name);
    this.#free.push(row);
  }

  /** Its fullness may have changed. */
  touch(row: number): void {
    this.#fullness[row] = NaN;
  }

  fullnessAt(row: number): number {
    const known = this.#fullness[row] ?? NaN;
    if (!Number.isNaN(known)) return known;
    return (this.#fullness[row] = this.#nodes[row]?.fullness ?? 0);
  }

  rowOf(name: string): number {
    return this.#rows.get(name) ?? -1;
  }

  rowAt(bytes: Uint8Array, start: number, end: number): number {
    const hash = this.#hash(bytes, start, end);
    const mask = this.#places.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const row = this.#places[at] ?? NEVER;
      if (row === NEVER) return -1;
      if (row !== GONE && this.#hashes[row] === hash && this.#otherHashes[row] === this.#otherHash)
        return row;
    }
  }

  #hash(bytes: Uint8Array, start: number, end: number): number {
    let hash = BASIS | 0;
    let other = BASIS | 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      hash = Math.imul(hash ^ byte, PRIME);
      other = Math.imul(other ^ byte, OTHER_PRIME);
    }
    this.#otherHash = other;
    return hash;
  }

  #place(row: number): void {
    const mask = this.#places.length - 1;
    let at = (this.#hashes[row] ?? 0) & mask;
    while (this.#places[at] !== NEVER) at = (at + 1) & mask;
    this.#places[at] = row;
    this.#taken++;
  }

  /** Places every row again, without what those that are gone have left. */
  #spread(): void {
    this.#places = new Int32Array(4 * this.leaving.length).fill(NEVER);
    this.#taken = 0;
    for (const row of this.#rows.values()) this.#place(row);
  }

  #grow(): void {
    const length = 2 * this.leaving.length;
    [this.leaving, this.restricted] = [longer(this.leaving, length), longer(this.restricted, length)];
    [this.hourlyPrice, this.endsAt] = [longer(this.hourlyPrice, length), longer(this.endsAt, length)];
    this.#fullness = longer(this.#fullness, length);
    [this.#hashes, this.#otherHashes] = [longer(this.#hashes, length), longer(this.#otherHashes, length)];
    this.#spread();
  }
}

/** A copy with room for so many. */
function longer<T extends Uint8Array | Int32Array | Float64Array>(column: T, length: number): T {
  const copy = new (column.constructor as new (length: number) => T)(length);
  copy.set(column);
  return copy;
}
