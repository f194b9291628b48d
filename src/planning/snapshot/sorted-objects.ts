/** Objects in the order of their names, the same list from one snapshot to the next while they are the same objects. */
import { ContentOrder, type Ordered } from './content-order.js';

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
