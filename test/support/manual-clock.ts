/** A clock that stands still until a test moves it. */
import { PortError } from '../../src/ports/port-error.js';
import type { Clock } from '../../src/ports/clock.js';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** 1 January 2026, 00:00 UTC. */
const START = Date.UTC(2026, 0, 1);

export class ManualClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: number = START) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
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
    const timer = { due: this.#monotonic + Math.max(millis, 0), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** How many timers and sleepers there are. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Lets time pass: what is due happens at its moment, in order, each time followed by all that comes of it without
   * further waiting.
   */
  async advance(millis: number): Promise<void> {
    const end = this.#monotonic + millis;
    await this.settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#moveTo(timer.due);
      this.#timers.delete(timer);
      timer.callback();
      await this.settle();
    }
    this.#moveTo(end);
  }

  /** Time passes while nothing happens, as for a process that is stopped; what became due happens with the next `advance`. */
  freeze(millis: number): void {
    this.#moveTo(this.#monotonic + millis);
  }

  /** Puts the time of day forward or, with a negative number, back; durations do not change. */
  stepWall(millis: number): void {
    this.#wall += millis;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  #moveTo(monotonic: number): void {
    const millis = Math.max(monotonic - this.#monotonic, 0);
    this.#monotonic += millis;
    this.#wall += millis;
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      const isSooner =
        first === undefined ||
        timer.due < first.due ||
        (timer.due === first.due && timer.order < first.order);
      if (timer.due <= end && isSooner) first = timer;
    }
    return first;
  }
}
