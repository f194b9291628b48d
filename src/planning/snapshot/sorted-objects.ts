/** Objects in the order of their names, the same list from one snapshot to the next while they are the same objects. */
import { ContentOrder, type Ordered } from './content-order.js';

interface Named<T> extends Ordered {
  readonly object: T;
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
  #lastRecords: readonly Named<T>[] = [];
  #last: Sorted<T> = { objects: [], keys: [] };

  constructor(keyOf: (object: T) => string) {
    this.#keyOf = keyOf;
  }

  /** Objects with equal keys stay in the order in which they are given. */
  sort(objects: readonly T[]): Sorted<T> {
    const sorted = this.#order.sort(objects.map((object) => this.#recordOf(object)));
    if (sorted !== this.#lastRecords) {
      this.#lastRecords = sorted;
      this.#last = { objects: sorted.map(({ object }) => object), keys: sorted.map(({ key }) => key) };
    }
    return this.#last;
  }

  #recordOf(object: T): Named<T> {
    const known = this.#records.get(object);
    if (known !== undefined) return known;
    const made = { object, key: this.#keyOf(object), rank: 0, round: 0 };
    this.#records.set(object, made);
    return made;
  }
}
