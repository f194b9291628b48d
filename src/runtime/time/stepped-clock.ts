/** A clock that stands still until it is moved: timers that are due run at their moment, in order. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';

export interface SteppedClockOptions {
  /** Milliseconds since 1970 at which `monotonic` is 0. */
  readonly start: number;
  /** Where it stands now; 0. */
  readonly monotonic?: number | undefined;
  /**
   * Whether timers are due at whole milliseconds only. What is left until a moment, reckoned in fractions, can be too little to
   * move the clock at all; a timer that is set for it again and again would then never let time go on.
   */
  readonly isWhole?: boolean | undefined;
}

export class SteppedClock implements Clock {
  readonly #start: number;
  readonly #isWhole: boolean;
  #monotonic: number;
  #order = 0;
  readonly #timers = new TimerHeap();

  constructor({ start, monotonic = 0, isWhole = false }: SteppedClockOptions) {
    this.#start = start;
    this.#isWhole = isWhole;
    this.#monotonic = monotonic;
  }

  /** Whole milliseconds, since times are written so. */
  now(): number {
    return Math.floor(this.#start + this.#monotonic);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        stop();
        reject(new PortError('Cancelled', { operation: 'sleep', message: 'the signal was aborted' }));
      };
      const stop = this.timer(millis, () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  timer(millis: number, callback: () => void): () => void {
    const timer = { due: this.#dueIn(millis), order: this.#order++, callback, cancelled: false };
    this.#timers.push(timer);
    return () => {
      this.#timers.cancel(timer);
    };
  }

  /** Later than now for whatever is more than 0, however little: what waits out the rest of a time comes to its end. */
  #dueIn(millis: number): number {
    if (millis <= 0) return this.#monotonic;
    const leastStep = this.#monotonic * Number.EPSILON;
    return this.#monotonic + Math.max(this.#isWhole ? Math.ceil(millis) : millis, leastStep);
  }

  /** How many timers and sleepers there are. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer is due, on the monotonic clock; undefined when there is none. */
  get nextDue(): number | undefined {
    return this.#timers.peek()?.due;
  }

  /** Moves to the next timer that is due by then, and runs it; answers whether there was one. */
  runNext(end: number): boolean {
    const next = this.#timers.peek();
    if (next === undefined || next.due > end) return false;
    this.#timers.pop();
    this.moveTo(next.due);
    next.callback();
    return true;
  }

  /** Moves to this moment of the monotonic clock without running anything; never back. */
  moveTo(monotonic: number): void {
    this.#monotonic = Math.max(this.#monotonic, monotonic);
  }

  /** As `moveTo`, with what is due on the way, each timer followed by a turn of the event loop for all that comes of it. */
  async passTo(monotonic: number): Promise<void> {
    while (this.runNext(monotonic)) await nextTurn();
    this.moveTo(monotonic);
    // Two turns: requests that arrived meanwhile are read in the first, and their answers written.
    await nextTurn();
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// Timers in the order in which they are due; those due together in the order in which they were set.

interface Timer {
  /** On the monotonic clock, in milliseconds. */
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** A binary heap. Cancelled timers stay until they come up, or until they are the larger part of it. */
class TimerHeap {
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
