/** The optimizer's resource axis: CPU, memory, pods, and what else somebody asks for. */
import { FIRST_OTHER_AXIS } from '../../optimize/problem/bin-problem.js';

/** Where on the axis of a snapshot begins what is not divisible at will: GPUs and the like. */
const FIRST_EXTENDED = 4;

export interface ResourceAxis {
  /** Axis index → index on the axis of the snapshot. */
  readonly of: readonly number[];
  /** Indices on the axis of the snapshot of extended resources that somebody asks for. */
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
