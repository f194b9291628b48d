/** The optimizer's resource axis: CPU, memory, pods, and what else somebody asks for. */
import { FIRST_OTHER_AXIS } from '../../optimizer/bin-problem.js';
import type { ItemDraft } from './item-draft.js';

/** Index of ephemeral storage on the axis of a snapshot; what follows is not divisible at will: GPUs and the like. */
const FIRST_EXTENDED = 4;

export interface ResourceAxis {
  /** Axis index → index on the axis of the snapshot. */
  readonly of: readonly number[];
  /** Indices on the axis of the snapshot of extended resources that somebody asks for. */
  readonly extended: readonly number[];
}

export function resourceAxis(drafts: readonly ItemDraft[], width: number): ResourceAxis {
  const used = Array.from({ length: width }, (_, index) => index).filter(
    (index) => index < FIRST_OTHER_AXIS || drafts.some(({ reach }) => (reach.requests[index] ?? 0) > 0),
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
