/** A list told by the list before it: which stretches of that one it repeats, and what stands between them. */

/**
 * Pairs of numbers. `from ≥ 0, n`: the n elements of the list before from that index on. `−n, id`: n objects that are
 * known by the numbers id, id + 1, and so on.
 */
export type ListEdit = Int32Array;

export class ListEditor {
  readonly #pairs: number[] = [];
  /** The stretch that goes on: of the list before when `#step` is 1, of new objects when it is −1. */
  #first = 0;
  #length = 0;
  #step = 1;

  /** The next element stands in the list before. */
  repeat(index: number): void {
    if (this.#step !== 1 || index !== this.#first + this.#length) this.#begin(index, 1);
    this.#length++;
  }

  /** The next element does not. */
  insert(id: number): void {
    if (this.#step !== -1 || id !== this.#first + this.#length) this.#begin(id, -1);
    this.#length++;
  }

  /** undefined when the list is the one before, which has so many elements. */
  done(before: number): ListEdit | undefined {
    const isOneStretch = this.#pairs.length === 0;
    if (isOneStretch && this.#step === 1 && this.#first === 0 && this.#length === before) return undefined;
    this.#begin(0, 1);
    return Int32Array.from(this.#pairs);
  }

  #begin(first: number, step: 1 | -1): void {
    if (this.#length > 0 && this.#step === 1) this.#pairs.push(this.#first, this.#length);
    if (this.#length > 0 && this.#step === -1) this.#pairs.push(-this.#length, this.#first);
    this.#first = first;
    this.#length = 0;
    this.#step = step;
  }
}

/** The list that an edit tells of; `objects` are those known by number. */
export function editedList<T>(edit: ListEdit, before: readonly T[], objects: readonly T[]): readonly T[] {
  const list: T[] = [];
  for (let pair = 0; pair < edit.length; pair += 2) {
    const [from = 0, count = 0] = [edit[pair], edit[pair + 1]];
    const [source, start, n] = from < 0 ? [objects, count, -from] : [before, from, count];
    for (const element of source.slice(start, start + n)) list.push(element);
  }
  return list;
}
