/** Virtual time: it stands still until it is told to pass, and then passes as fast as the work in it can be done. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';
import { TimerHeap } from './timer-heap.js';

/** 1 January 2026, 00:00 UTC. */
const START = Date.UTC(2026, 0, 1);
/** A promise that resolves in another's immediate, and so on: a few turns reach the end of what is not tracked. */
const TURNS = 3;
export interface RunLimit {
  /** How much virtual time may pass. */
  readonly limitMillis: number;
}

export class VirtualClock implements Clock {
  readonly #start: number;
  #monotonic = 0;
  #order = 0;
  #inFlight = 0;
  readonly #timers = new TimerHeap();

  /** `start`: milliseconds since 1970. */
  constructor({ start = START }: { readonly start?: number | undefined } = {}) {
    this.#start = start;
  }

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
    const due = this.#monotonic + Math.max(millis, 0);
    const timer = { due, order: this.#order++, callback, cancelled: false };
    this.#timers.push(timer);
    return () => {
      this.#timers.cancel(timer);
    };
  }

  /** How many timers and sleepers there are. */
  get pending(): number {
    return this.#timers.size;
  }

  /** A call that is answered outside of virtual time, by a socket or a thread: no time passes until it is. */
  async track<T>(call: Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await call;
    } finally {
      this.#inFlight--;
    }
  }

  /** Lets everything happen that needs no time. A tracked call that waits for virtual time waits for ever. */
  async settle(): Promise<void> {
    let quietTurns = 0;
    while (quietTurns < TURNS) {
      await nextTurn();
      quietTurns = this.#inFlight === 0 ? quietTurns + 1 : 0;
    }
  }

  /** Time passes: what is due happens at its moment, in order, each followed by all that comes of it without waiting. */
  async advance(millis: number): Promise<void> {
    const end = this.#monotonic + millis;
    await this.settle();
    while (await this.#runNext(end));
    this.#monotonic = Math.max(this.#monotonic, end);
  }

  /** Runs until the condition holds, asking after every timer; answers whether it did within the limit. */
  async runUntil(condition: () => boolean | Promise<boolean>, { limitMillis }: RunLimit): Promise<boolean> {
    const end = this.#monotonic + limitMillis;
    await this.settle();
    for (;;) {
      if (await condition()) return true;
      if (!(await this.#runNext(end))) break;
    }
    this.#monotonic = Math.max(this.#monotonic, end);
    return false;
  }

  /** Runs until nothing is due within the next `quietMillis`; answers whether that came to be within the limit. */
  async runUntilQuiet({
    quietMillis,
    limitMillis,
  }: RunLimit & { readonly quietMillis: number }): Promise<boolean> {
    const isQuiet = (): boolean => {
      const next = this.#timers.peek();
      return next === undefined || next.due - this.#monotonic > quietMillis;
    };
    return this.runUntil(isQuiet, { limitMillis });
  }

  async #runNext(end: number): Promise<boolean> {
    const next = this.#timers.peek();
    if (next === undefined || next.due > end) return false;
    this.#timers.pop();
    this.#monotonic = Math.max(this.#monotonic, next.due);
    next.callback();
    await this.settle();
    return true;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
