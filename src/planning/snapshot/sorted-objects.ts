/** Keeps objects in the order of their texts from one snapshot to the next: only what is new is sorted. */

/** By the order of UTF-16 units, as `sort` without a function has it. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Objects and their keys, in the order of the keys. */
interface Sorted<T> {
  readonly objects: readonly T[];
  readonly keys: readonly string[];
}

/** An object that the order does not have yet. */
interface Fresh<T> {
  readonly object: T;
  readonly key: string;
  /** Index in the list that is given. */
  readonly at: number;
}

/** How far from where it is expected an object is looked for in the list given before. */
const NEAR = 32;

/**
 * Lists mostly are the one given before with a few objects more or less, so that objects are found by where they were there.
 * There may be 150,000 of them: nothing is kept of each but its places in lists and its key.
 */
export class SortedObjects<T extends object> {
  readonly #keyOf: (object: T) => string;
  /** The list given last. */
  #given: readonly T[] = [];
  /** Index into the order, of each object of that list. */
  #ranks = new Int32Array(0);
  #last: Sorted<T> = { objects: [], keys: [] };

  constructor(keyOf: (object: T) => string) {
    this.#keyOf = keyOf;
  }

  /**
   * Objects with equal keys stay in the order in which they are given. Gives the lists of the last time where the objects are the
   * same, whatever their order. The list must not change afterwards.
   */
  sort(given: readonly T[]): Sorted<T> {
    const ranks = this.#knownRanks(given);
    const fresh: Fresh<T>[] = [];
    given.forEach((object, at) => {
      if (ranks[at] === -1) fresh.push({ object, key: this.#keyOf(object), at });
    });
    if (fresh.length > 0 || given.length !== this.#last.objects.length) {
      fresh.sort(byKey);
      const merged = this.#merge(ranks, fresh);
      if (merged === undefined) return this.#sortAll(given);
      this.#last = merged;
    }
    this.#given = given;
    this.#ranks = ranks;
    return this.#last;
  }

  /** With equal keys, the order in which they are given counts, and nothing is remembered. */
  #sortAll(given: readonly T[]): Sorted<T> {
    this.#given = [];
    this.#ranks = new Int32Array(0);
    this.#last = { objects: [], keys: [] };
    const all = given.map((object) => ({ object, key: this.#keyOf(object) }));
    all.sort(byKey);
    return { objects: all.map(({ object }) => object), keys: all.map(({ key }) => key) };
  }

  /** Index into the last order, of each object; -1 for those that it does not have, or has given to an equal one. */
  #knownRanks(objects: readonly T[]): Int32Array<ArrayBuffer> {
    const ranks = new Int32Array(objects.length).fill(-1);
    if (this.#given.length === 0) return ranks;
    const isTaken = new Uint8Array(this.#given.length);
    const take = (at: number, place: number): void => {
      isTaken[place] = 1;
      ranks[at] = this.#ranks[place] ?? -1;
    };
    const missed: number[] = [];
    let next = 0;
    objects.forEach((object, at) => {
      const place = this.#placeNear(object, next);
      if (place < 0 || isTaken[place] === 1) missed.push(at);
      else take(at, place);
      // A missing object most often stands where the one stood that it replaces.
      next = (place < 0 ? next : place) + 1;
    });
    if (missed.length === 0) return ranks;
    const left = new Map<T | undefined, number>();
    this.#given.forEach((object, place) => isTaken[place] === 0 && left.set(object, place));
    for (const at of missed) {
      const place = left.get(objects[at]);
      if (place !== undefined && isTaken[place] === 0) take(at, place);
    }
    return ranks;
  }

  /** Index in the list given last; -1 where it is not near that place. */
  #placeNear(object: T, expected: number): number {
    const given = this.#given;
    if (given[expected] === object) return expected;
    for (let away = 1; away <= NEAR; away++) {
      if (given[expected + away] === object) return expected + away;
      if (given[expected - away] === object) return expected - away;
    }
    return -1;
  }

  /**
   * The order of those with a rank and of the fresh ones, which come in order; afterwards the ranks are those in it. undefined where
   * two have one key.
   */
  #merge(ranks: Int32Array<ArrayBuffer>, fresh: readonly Fresh<T>[]): Sorted<T> | undefined {
    const last = this.#last;
    const isHere = new Uint8Array(last.objects.length);
    for (const rank of ranks) if (rank >= 0) isHere[rank] = 1;
    const moved = new Int32Array(isHere.length);
    const objects: T[] = [];
    const keys: string[] = [];
    let next = 0;
    const appendUntil = (end: number): void => {
      for (; next < end; next++) {
        const object = last.objects[next];
        if (isHere[next] === 0 || object === undefined) continue;
        moved[next] = objects.length;
        objects.push(object);
        keys.push(last.keys[next] ?? '');
      }
    };
    const places = new Int32Array(fresh.length);
    for (const [index, { object, key }] of fresh.entries()) {
      appendUntil(firstAfter(last.keys, key, next));
      if (keys.at(-1) === key) return undefined;
      places[index] = objects.length;
      objects.push(object);
      keys.push(key);
    }
    appendUntil(isHere.length);
    ranks.forEach((rank, at) => rank >= 0 && (ranks[at] = moved[rank] ?? -1));
    fresh.forEach(({ at }, index) => (ranks[at] = places[index] ?? -1));
    return { objects, keys };
  }
}

interface Keyed {
  readonly key: string;
}

function byKey(left: Keyed, right: Keyed): number {
  return compareText(left.key, right.key);
}

/** The first place from `first` on whose key is greater; near ones are found at once, far ones by halving. */
function firstAfter(sorted: readonly string[], key: string, first: number): number {
  let low = first;
  let step = 1;
  while (low + step <= sorted.length && (sorted[low + step - 1] ?? '') <= key) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, sorted.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
