/** The resources that count in a cluster: CPU, memory, pods, and what else somebody asks for. */
import { FIRST_OTHER_AXIS } from '../optimizer/bin-problem.js';
import type { ItemKind } from './cluster-items.js';

export class ClusterAxis {
  /** Axis → index on the axis of the snapshot. */
  readonly #of: readonly number[];

  /** @param width resources of the snapshot. */
  constructor(kinds: readonly ItemKind[], width: number) {
    this.#of = Array.from({ length: width }, (_, index) => index).filter(
      (index) => index < FIRST_OTHER_AXIS || kinds.some(({ requests }) => (requests[index] ?? 0) > 0),
    );
  }

  get length(): number {
    return this.#of.length;
  }

  /** Row after row of `from` amounts on the axis of the snapshot, on this one. */
  rows(rows: readonly Float64Array[]): Float64Array {
    const result = new Float64Array(rows.length * this.length);
    rows.forEach((amounts, row) => {
      this.#of.forEach((index, axis) => {
        result[row * this.length + axis] = amounts[index] ?? 0;
      });
    });
    return result;
  }
}
