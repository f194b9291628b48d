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
    if (merged === undefined) {
      this.#last = [];
      return [...records].sort(byKey);
    }
    let rank = 0;
    for (const record of merged) {
      record.rank = rank++;
      record.round = this.#round;
    }
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

/**
 * One list of two that are in order, the first of which has every key once. undefined where neighbours in the result have
 * one key: then the order in which they are given counts, and nothing is remembered.
 */
function merge<T extends Ordered>(kept: readonly T[], fresh: readonly T[]): readonly T[] | undefined {
  const result: T[] = [];
  let next = 0;
  let last: string | undefined;
  for (const record of fresh) {
    const { key } = record;
    const end = placeOf(kept, key, next);
    if (key === last || kept[end - 1]?.key === key) return undefined;
    next = append(result, kept, next, end);
    result.push(record);
    last = key;
  }
  append(result, kept, next, kept.length);
  return result;
}

/** Appends the records from `first` up to `end`, which is returned. */
function append<T>(to: T[], records: readonly T[], first: number, end: number): number {
  for (let at = first; at < end; at++) {
    const record = records[at];
    if (record !== undefined) to.push(record);
  }
  return end;
}

/** The first place from `first` on whose key is greater; near ones are found at once, far ones by halving. */
function placeOf(sorted: readonly Ordered[], key: string, first: number): number {
  let low = first;
  let step = 1;
  while (low + step <= sorted.length && (sorted[low + step - 1]?.key ?? '') <= key) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, sorted.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.key ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Named<T> extends Ordered {
  readonly object: T;
  /** Where it was in the list given last. */
  at: number;
}

/** Objects and their keys, in the order of the keys. */
interface Sorted<T> {
  readonly objects: readonly T[];
  readonly keys: readonly string[];
}

/** Objects in the order of their names, the same list from one snapshot to the next while they are the same objects. */
export class SortedObjects<T extends object> {
  readonly #keyOf: (object: T) => string;
  readonly #records = new WeakMap<T, Named<T>>();
  readonly #order = new ContentOrder<Named<T>>();
  #given: readonly Named<T>[] = [];
  #lastRecords: readonly Named<T>[] = [];
  #last: Sorted<T> = { objects: [], keys: [] };

  constructor(keyOf: (object: T) => string) {
    this.#keyOf = keyOf;
  }

  /** Objects with equal keys stay in the order in which they are given. */
  sort(objects: readonly T[]): Sorted<T> {
    const sorted = this.#order.sort(this.#recordsOf(objects));
    if (sorted !== this.#lastRecords) {
      this.#lastRecords = sorted;
      this.#last = { objects: sorted.map(({ object }) => object), keys: sorted.map(({ key }) => key) };
    }
    return this.#last;
  }

  /** Lists mostly are the last one with a few objects more or less: their neighbours are tried before they are looked up. */
  #recordsOf(objects: readonly T[]): readonly Named<T>[] {
    const records: Named<T>[] = [];
    let next = 0;
    for (const object of objects) {
      const guess = this.#given[next];
      const record = guess?.object === object ? guess : this.#recordOf(object);
      if (record.at >= 0) next = record.at + 1;
      records.push(record);
    }
    for (let at = 0; at < records.length; at++) {
      const record = records[at];
      if (record !== undefined && record.at !== at) record.at = at;
    }
    this.#given = records;
    return records;
  }

  #recordOf(object: T): Named<T> {
    const known = this.#records.get(object);
    if (known !== undefined) return known;
    const made = { object, key: this.#keyOf(object), rank: 0, round: 0, at: -1 };
    this.#records.set(object, made);
    return made;
  }
}
