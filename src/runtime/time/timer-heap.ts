/** Timers in the order in which they are due; those due together in the order in which they were set. */

export interface Timer {
  /** On the monotonic clock, in milliseconds. */
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** A binary heap. Cancelled timers stay until they come up, or until they are the larger part of it. */
export class TimerHeap {
  #timers: Timer[] = [];
  #cancelled = 0;

  /** How many are to come. */
  get size(): number {
    return this.#timers.length - this.#cancelled;
  }

  push(timer: Timer): void {
    this.#timers.push(timer);
    this.#rise(this.#timers.length - 1);
  }

  cancel(timer: Timer): void {
    if (timer.cancelled) return;
    timer.cancelled = true;
    this.#cancelled++;
    if (this.#cancelled * 2 > this.#timers.length && this.#timers.length > 64) this.#compact();
  }

  /** The next one, which stays; undefined when there is none. */
  peek(): Timer | undefined {
    while (this.#timers[0]?.cancelled === true) {
      this.#removeFirst();
      this.#cancelled--;
    }
    return this.#timers[0];
  }

  /** Takes the next one out; to cancel it afterwards changes nothing. */
  pop(): Timer | undefined {
    const first = this.peek();
    if (first === undefined) return undefined;
    this.#removeFirst();
    first.cancelled = true;
    return first;
  }

  #removeFirst(): void {
    const last = this.#timers.pop();
    if (last === undefined || this.#timers.length === 0) return;
    this.#timers[0] = last;
    this.#sink(0);
  }

  /** A sorted array is a heap. */
  #compact(): void {
    this.#timers = this.#timers.filter(({ cancelled }) => !cancelled).sort(compare);
    this.#cancelled = 0;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isSooner(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let first = index;
      if (left < this.#timers.length && this.#isSooner(left, first)) first = left;
      if (right < this.#timers.length && this.#isSooner(right, first)) first = right;
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isSooner(left: number, right: number): boolean {
    const a = this.#timers[left];
    const b = this.#timers[right];
    return a !== undefined && b !== undefined && compare(a, b) < 0;
  }

  #swap(left: number, right: number): void {
    const a = this.#timers[left];
    const b = this.#timers[right];
    if (a === undefined || b === undefined) return;
    this.#timers[left] = b;
    this.#timers[right] = a;
  }
}

function compare(left: Timer, right: Timer): number {
  return left.due - right.due || left.order - right.order;
}
