/** The order in which nodes should empty out, as numbers that change as little as may be: each change is a write to every pod of a node. */

/** The first node to empty out may have this rank; the last has -1. */
export const FIRST_RANK = -50;

/** The rank that a text says; undefined where it says none. */
export function readRank(text: string | undefined): number | undefined {
  const rank = Number(text ?? '');
  return Number.isInteger(rank) && rank >= FIRST_RANK && rank < 0 ? rank : undefined;
}

/**
 * A rank of its own for each of the names, `FIRST_RANK` to -1: that which it has already, and for the others the lowest that are
 * free, in their order. Names beyond the number of ranks get none.
 */
export function assignRanks(
  names: readonly string[],
  known: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const rank = known.get(name);
    if (rank === undefined || taken.has(rank)) continue;
    ranks.set(name, rank);
    taken.add(rank);
  }
  let next = FIRST_RANK;
  for (const name of names) {
    if (ranks.has(name)) continue;
    while (taken.has(next)) next++;
    if (next >= 0) break;
    ranks.set(name, next);
    taken.add(next);
  }
  return ranks;
}
