/** A span of time of which chance picks a point. */
import type { Random } from '../../../src/ports/random.js';

/** Milliseconds, both ends included. */
export interface MillisSpan {
  readonly from: number;
  readonly to: number;
}

/** A whole number of milliseconds in the span; chance is not asked when the span is a point. */
export function pickMillis({ from, to }: MillisSpan, random: Random): number {
  return to <= from ? from : from + Math.floor(random.next() * (to - from + 1));
}
