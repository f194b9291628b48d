/** Chance that comes out the same every time. */
import type { Random } from '../src/ports/random.js';

/** Numbers that depend on the seed alone (mulberry32's recurrence). */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const digit = (): string => Math.floor(next() * 16).toString(16);
  return { next, hex: (length) => Array.from({ length }, digit).join('') };
}
