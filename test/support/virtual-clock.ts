/** Virtual time: it stands still until the test advances it, and then passes as fast as the work in it can be done. */
import { SteppedClock } from '../../src/runtime/time/stepped-clock.js';

/** 1 January 2026, 00:00 UTC. */
const START = Date.UTC(2026, 0, 1);
/** A promise that resolves in another's immediate, and so on: a few turns reach the end of what is not tracked. */
const TURNS = 3;
export interface RunLimit {
  /** How much virtual time may pass. */
  readonly limitMillis: number;
}

export class VirtualClock extends SteppedClock {
  #inFlight = 0;
  /** How far the time of day was put forward, in milliseconds. */
  #wallStep = 0;

  /** `start`: milliseconds since 1970. */
  constructor({ start = START }: { readonly start?: number | undefined } = {}) {
    super({ start });
  }

  override now(): number {
    return super.now() + this.#wallStep;
  }

  /** Puts the time of day forward or, with a negative number, back; durations do not change. */
  stepWall(millis: number): void {
    this.#wallStep += millis;
  }

  /** Time passes while nothing happens, as for a process that is stopped; what became due happens with the next `advance`. */
  freeze(millis: number): void {
    this.moveTo(this.monotonic() + millis);
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

  /** Lets everything happen that needs no time. A tracked call that waits for virtual time waits forever. */
  async settle(): Promise<void> {
    let quietTurns = 0;
    while (quietTurns < TURNS) {
      await nextTurn();
      quietTurns = this.#inFlight === 0 ? quietTurns + 1 : 0;
    }
  }

  /** Time passes: what is due happens at its moment, in order, each followed by all that comes of it without waiting. */
  async advance(millis: number): Promise<void> {
    const end = this.monotonic() + millis;
    await this.settle();
    while (this.runNext(end)) await this.settle();
    this.moveTo(end);
  }

  /** Runs until the condition holds, asking after every timer; answers whether it did within the limit. */
  async runUntil(condition: () => boolean | Promise<boolean>, { limitMillis }: RunLimit): Promise<boolean> {
    const end = this.monotonic() + limitMillis;
    await this.settle();
    for (;;) {
      if (await condition()) return true;
      if (!this.runNext(end)) break;
      await this.settle();
    }
    this.moveTo(end);
    return false;
  }

  /** Runs until nothing is due within the next `quietMillis`; answers whether that came to be within the limit. */
  async runUntilQuiet({
    quietMillis,
    limitMillis,
  }: RunLimit & { readonly quietMillis: number }): Promise<boolean> {
    const isQuiet = (): boolean =>
      this.nextDue === undefined || this.nextDue - this.monotonic() > quietMillis;
    return this.runUntil(isQuiet, { limitMillis });
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
