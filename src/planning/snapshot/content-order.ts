/** Keeps records in the order of their texts from one snapshot to the next: only what is new is sorted. */

/** What can be ordered by its text. `rank` and `round` belong to the one ContentOrder that the record is in. */
export interface Ordered {
  readonly key: string;
  /** Position in the order that was made last; holds while `round` is that of the ContentOrder. */
  rank: number;
  /** Number of the order that the record was in last; 0: none yet. */
  round: number;
}

/** By the order of UTF-16 units, as `sort` without a function has it. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export class ContentOrder<T extends Ordered> {
  #last: readonly T[] = [];
  #round = 0;

  /**
   * The records by key; those with equal keys keep the order in which they are given. Gives the list of the last time
   * where the records are the same, whatever their order.
   */
  sort(records: readonly T[]): readonly T[] {
    const { kept, fresh } = this.#split(records);
    if (fresh.length === 0 && kept.length === this.#last.length) return this.#last;
    const merged = merge(kept, fresh.sort(byKey));
    this.#round++;
    if (hasTwins(merged)) {
      this.#last = [];
      return [...records].sort(byKey);
    }
    merged.forEach((record, rank) => {
      record.rank = rank;
      record.round = this.#round;
    });
    this.#last = merged;
    return merged;
  }

  /** Those that the last order had, in that order, and the others. */
  #split(records: readonly T[]): { readonly kept: readonly T[]; readonly fresh: T[] } {
    const isHere = new Uint8Array(this.#last.length);
    const fresh: T[] = [];
    for (const record of records) {
      if (record.round === this.#round && isHere[record.rank] === 0) isHere[record.rank] = 1;
      else fresh.push(record);
    }
    return { kept: this.#last.filter((_, rank) => isHere[rank] === 1), fresh };
  }
}

function byKey(left: Ordered, right: Ordered): number {
  return compareText(left.key, right.key);
}

function merge<T extends Ordered>(left: readonly T[], right: readonly T[]): readonly T[] {
  if (left.length === 0) return right;
  const result: T[] = [];
  let next = 0;
  for (const record of left) {
    let other = right[next];
    while (other !== undefined && other.key < record.key) {
      result.push(other);
      other = right[++next];
    }
    result.push(record);
  }
  for (; next < right.length; next++) result.push(...right.slice(next, next + 1));
  return result;
}

/** Whether two neighbours have one key; then the order in which they are given counts, and nothing is remembered. */
function hasTwins(sorted: readonly Ordered[]): boolean {
  return sorted.some(({ key }, index) => key === sorted[index + 1]?.key);
}
