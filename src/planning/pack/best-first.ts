/** Items in order, of which only the first few are asked for: a binary heap, that sorts no more than it must. */

export class BestFirst<T> {
  readonly #heap: T[];
  readonly #isBefore: (left: T, right: T) => boolean;

  /** `isBefore` must be an order in which no two items are equal. The list is used up. */
  constructor(items: T[], isBefore: (left: T, right: T) => boolean) {
    this.#heap = items;
    this.#isBefore = isBefore;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Takes the first of those that are left; undefined when there are none. */
  next(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const item = heap[from];
    if (item === undefined) return;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && this.#isBefore(other, child)) {
        child = other;
        below++;
      }
      if (!this.#isBefore(child, item)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = item;
  }
}
