/** How fast a world's time passes: as fast as it may, and no faster than those who live in it keep up. */
import type { Horizon } from '../../src/runtime/time/holds.js';
import { MOST_STEP_MILLIS } from '../../src/runtime/time/follow-time.js';

export interface PaceOptions {
  /** How many times as fast as the host's time at most. */
  readonly speed: number;
}

/** What a step depends on. Milliseconds of monotonic clocks but for `ceiling`. */
export interface Moment {
  /** The host's time. */
  readonly wall: number;
  /** The world's. */
  readonly now: number;
  /** What the world must not pass now. */
  readonly horizon: Horizon | undefined;
  /** How far the world may go at all until it would be ahead of the host's time of day. */
  readonly room: number;
}

/** What became of the host's time, in milliseconds of it. */
export interface PaceReport {
  readonly wallMillis: number;
  readonly virtualMillis: number;
  /** By what was waited for. */
  readonly waitedMillis: ReadonlyMap<string, number>;
}

/**
 * What has not answered after so long (of the host's time) does not stop the world any more: time continues, no faster than
 * the host's, and the limits of those who wait are met.
 */
export const PATIENCE_MILLIS = 60_000;

/** The cause where the world itself was slow: its own event loop, or the host. */
const ITSELF = 'the world itself';

/** Each step is at most one of MOST_STEP_MILLIS: what a late world has missed is not made up for. */
export class Pace {
  #speed: number;
  #lastWall: number | undefined;
  #standingSince: number | undefined;
  #wallMillis = 0;
  #virtualMillis = 0;
  readonly #waited = new Map<string, number>();

  constructor({ speed }: PaceOptions) {
    this.#speed = speed;
  }

  set speed(speed: number) {
    this.#speed = speed;
  }

  /** By how many milliseconds, whole ones, the world's time may move on now; 0 while it stands. */
  step(moment: Moment): number {
    const elapsed = Math.max(0, moment.wall - (this.#lastWall ?? moment.wall));
    this.#lastWall = moment.wall;
    const room = Math.max(0, moment.room);
    const wanted = Math.min(elapsed * this.#speed, room);
    const left = Math.max(0, (moment.horizon?.at ?? Infinity) - moment.now);
    const most = Math.min(MOST_STEP_MILLIS, this.#isPatient(moment, left) ? left : elapsed);
    const step = Math.floor(Math.min(wanted, most));
    this.#record(elapsed, wanted, step, step === left ? moment.horizon?.what : undefined);
    return step;
  }

  report(): PaceReport {
    return {
      wallMillis: this.#wallMillis,
      virtualMillis: this.#virtualMillis,
      waitedMillis: new Map(this.#waited),
    };
  }

  /** False where time has stood still for too long. */
  #isPatient({ wall }: Moment, left: number): boolean {
    if (left > 0) this.#standingSince = undefined;
    else this.#standingSince ??= wall;
    return this.#standingSince === undefined || wall - this.#standingSince < PATIENCE_MILLIS;
  }

  #record(elapsed: number, wanted: number, step: number, what = ITSELF): void {
    this.#wallMillis += elapsed;
    this.#virtualMillis += step;
    const lost = (wanted - step) / this.#speed;
    if (lost > 0) this.#waited.set(what, (this.#waited.get(what) ?? 0) + lost);
  }
}
