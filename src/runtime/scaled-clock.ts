/** A clock that runs a given number of times as fast as another one, for worlds in which an hour should take minutes. */
import type { Clock } from '../ports/clock.js';

export interface ScaledClockOptions {
  /** The one that is sped up: the machine's. */
  readonly clock: Clock;
  /** How many of its milliseconds pass in one; greater than 0. */
  readonly speed: number;
  /**
   * Milliseconds since 1970 at which both clocks show the same time. Processes that share speed and epoch show the same time
   * without asking each other.
   */
  readonly epochMillis: number;
}

export class ScaledClock implements Clock {
  readonly #clock: Clock;
  readonly #speed: number;
  readonly #epochMillis: number;

  /** @throws RangeError when the speed is not a number greater than 0. */
  constructor({ clock, speed, epochMillis }: ScaledClockOptions) {
    if (!(speed > 0 && Number.isFinite(speed)))
      throw new RangeError(`speed ${String(speed)}: expected a number greater than 0`);
    this.#clock = clock;
    this.#speed = speed;
    this.#epochMillis = epochMillis;
  }

  /** Whole milliseconds, since times are written so. */
  now(): number {
    return Math.floor(this.#epochMillis + (this.#clock.now() - this.#epochMillis) * this.#speed);
  }

  monotonic(): number {
    return this.#clock.monotonic() * this.#speed;
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(millis / this.#speed, signal);
  }

  timer(millis: number, callback: () => void): () => void {
    return this.#clock.timer(millis / this.#speed, callback);
  }
}
