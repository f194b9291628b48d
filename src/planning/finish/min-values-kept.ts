/** Shortens a claim's list to what it may hold, without losing what the pool's minValues need. */
import { SeenValues, type CountedLabel } from '../offerings/min-values-count.js';

export interface KeptInput {
  /** Cheapest first. */
  readonly choices: Int32Array;
  readonly labels: readonly CountedLabel[];
  /** The columns that a choice lists. */
  readonly columnsOf: (choice: number) => readonly number[];
  readonly most: number;
}

/** The cheapest choices, but first those that minValues need; in the order given. */
export function keepMinValues({ choices, labels, columnsOf, most }: KeptInput): Int32Array {
  const kept = new Set(choices.slice(0, 1));
  for (const label of labels) {
    const seen = new SeenValues(label);
    for (const choice of kept) seen.add(columnsOf(choice));
    for (const choice of choices) {
      if (seen.isEnough) break;
      const columns = columnsOf(choice);
      if (!seen.hasNew(columns)) continue;
      kept.add(choice);
      seen.add(columns);
    }
  }
  for (const choice of choices) if (kept.size < most) kept.add(choice);
  return choices.filter((choice) => kept.has(choice));
}
