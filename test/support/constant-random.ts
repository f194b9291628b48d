/** Chance without any. */
import type { Random } from '../../src/ports/random.js';

/** Always the same number; hex digits count up. */
export function constantRandom(value = 0): Random {
  let count = 0;
  return { next: () => value, hex: (length) => (count++).toString(16).padStart(length, '0').slice(-length) };
}
