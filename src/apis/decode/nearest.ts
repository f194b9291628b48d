/** The candidate that was probably meant: edit distance with transpositions, as typing errors are made. */

/** Steps of insertion, deletion, replacement and swapping neighbours that turn one word into the other. */
export function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      current.push(stepTo(row, column, { left, right, rows, current }));
    }
    rows.push(current);
  }
  return rows[left.length]?.[right.length] ?? 0;
}

interface Table {
  readonly left: string;
  readonly right: string;
  readonly rows: readonly (readonly number[])[];
  readonly current: readonly number[];
}

function stepTo(row: number, column: number, { left, right, rows, current }: Table): number {
  const cell = (up: number, back: number): number => rows[row - up]?.[column - back] ?? Infinity;
  const same = left[row - 1] === right[column - 1];
  const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
  const best = Math.min(cell(1, 0) + 1, (current[column - 1] ?? 0) + 1, cell(1, 1) + (same ? 0 : 1));
  return swapped ? Math.min(best, cell(2, 2) + 1) : best;
}

const LONGEST = 100;

/**
 * The nearest candidate, when it is near enough to be a slip: the same letters in another case, the beginning of the
 * candidate, or at most a third of the word changed. The first of equals, so the answer depends on nothing but the arguments.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const folded = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    const distance = distanceTo(candidate.toLowerCase(), folded, least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Leaving off the end counts as one slip. What cannot be nearer than `least` is not measured. */
function distanceTo(candidate: string, word: string, least: number): number {
  if (word.length >= 3 && candidate.startsWith(word)) return 1;
  return Math.abs(candidate.length - word.length) < least ? editDistance(word, candidate) : Infinity;
}
