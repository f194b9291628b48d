/** A bar that shows how full something is. */
import type { Glyphs } from './glyphs.js';

const CELLS = 10;

/**
 * Ten cells and the percentage: `######....  61%`. Only what is full shows ten full cells, only what is empty none;
 * what has no size shows no bar.
 */
export function fillBar(used: number, size: number, glyphs: Glyphs): string {
  if (size <= 0) return '-';
  const share = Math.min(1, Math.max(0, used / size));
  const full = clamp(Math.round(share * CELLS), share > 0 ? 1 : 0, share < 1 ? CELLS - 1 : CELLS);
  const percent = Math.floor(share * 100);
  return `${glyphs.full.repeat(full)}${glyphs.empty.repeat(CELLS - full)} ${String(percent).padStart(3)}%`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
