/**
 * The known nodes as rows of columns, found by the bytes of their names: kube-scheduler has thousands of nodes scored for each
 * pod, and making a string of each name and following it to an object takes several times as long as scoring it.
 */
import type { NodeColumns, PlacementNode } from '../../planning/placement/placement-view.js';

/** FNV-1a (RFC 9923). */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const FIRST_ROWS = 1024;
const FIRST_NAME_BYTES = 64 * FIRST_ROWS;
/** No row was ever here, or one was. */
const NEVER = -1;
const GONE = -2;

export class NodeRows implements NodeColumns {
  leaving = new Uint8Array(FIRST_ROWS);
  restricted = new Uint8Array(FIRST_ROWS);
  emptying = new Uint8Array(FIRST_ROWS);
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
  /** The names of all rows, and where that of each begins and ends: two names may have the same hash. */
  #names = new Uint8Array(FIRST_NAME_BYTES);
  #namesEnd = 0;
  #starts = new Int32Array(FIRST_ROWS);
  #ends = new Int32Array(FIRST_ROWS);

  /** The row of a node that has come. */
  add(node: PlacementNode): number {
    const row = this.#free.pop() ?? this.#nodes.length;
    if (row >= this.leaving.length) this.#grow();
    const name = new TextEncoder().encode(node.name);
    this.#keepName(row, name);
    this.#nodes[row] = node;
    this.#rows.set(node.name, row);
    this.#fullness[row] = NaN;
    this.#hashes[row] = hashOf(name, 0, name.length);
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
    const hash = hashOf(bytes, start, end);
    const mask = this.#places.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const row = this.#places[at] ?? NEVER;
      if (row === NEVER) return -1;
      if (row !== GONE && this.#hashes[row] === hash && this.#isNamed(row, bytes, start, end)) return row;
    }
  }

  #isNamed(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = (this.#starts[row] ?? 0) - start;
    if (from + end !== this.#ends[row]) return false;
    for (let at = start; at < end; at++) if (bytes[at] !== this.#names[from + at]) return false;
    return true;
  }

  #keepName(row: number, name: Uint8Array): void {
    if (this.#namesEnd + name.length > this.#names.length) this.#packNames(name.length);
    this.#starts[row] = this.#namesEnd;
    this.#names.set(name, this.#namesEnd);
    this.#namesEnd += name.length;
    this.#ends[row] = this.#namesEnd;
  }

  /** Leaves the names of rows that are gone behind, and makes room for as much again as there is, and for `further` bytes. */
  #packNames(further: number): void {
    const known = [...this.#rows.values()].map((row) => ({
      row,
      name: this.#names.subarray(this.#starts[row], this.#ends[row]),
    }));
    const length = known.reduce((sum, { name }) => sum + name.length, further);
    this.#names = new Uint8Array(Math.max(FIRST_NAME_BYTES, 2 * length));
    this.#namesEnd = 0;
    for (const { row, name } of known) this.#keepName(row, name);
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
    this.emptying = longer(this.emptying, length);
    [this.hourlyPrice, this.endsAt] = [longer(this.hourlyPrice, length), longer(this.endsAt, length)];
    this.#fullness = longer(this.#fullness, length);
    this.#hashes = longer(this.#hashes, length);
    [this.#starts, this.#ends] = [longer(this.#starts, length), longer(this.#ends, length)];
    this.#spread();
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = BASIS | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME);
  return hash;
}

/** A copy with room for so many. */
function longer<T extends Uint8Array | Int32Array | Float64Array>(column: T, length: number): T {
  const copy = new (column.constructor as new (length: number) => T)(length);
  copy.set(column);
  return copy;
}
