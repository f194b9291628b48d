/** The time of a world that several processes live in: one clock that moves on in small steps, when all have followed. */
import type { Clock } from '../../src/ports/clock.js';
import { earliest, Holds, type Horizon } from '../../src/runtime/time/holds.js';
import { SteppedClock } from '../../src/runtime/time/stepped-clock.js';
import { Pace, type PaceReport } from './pace.js';

export interface WorldTimeOptions {
  /** The host's clock. */
  readonly wall: Clock;
  /** Milliseconds since 1970 at which the world begins; in the past, since it never gets ahead of the host's time of day. */
  readonly start: number;
  /** How many times as fast as the host's time at most. */
  readonly speed: number;
}

/** A process that lives in the world beside the one that has its clock. */
export interface Follower {
  /** What it must not be left behind by: where it is, until it has followed. */
  readonly horizon: Horizon | undefined;
  /** Asks it to move to this moment; again and again, also where time stands. */
  follow(monotonic: number): void;
}

const TICK_MILLIS = 5;
const SHORTEST_TICK_MILLIS = 1;
/** Faster than any host can follow: the pace is that of the slowest who lives in the world. */
const FORWARD_SPEED = 1000;

export class WorldTime {
  /** Everything in the world's process goes by it. */
  readonly clock: SteppedClock;
  /** Of the world's process. */
  readonly holds: Holds;
  readonly #options: WorldTimeOptions;
  readonly #pace: Pace;
  readonly #followers = new Set<Follower>();
  readonly #arrivals = new Set<() => void>();
  #tickMillis = TICK_MILLIS;

  constructor(options: WorldTimeOptions) {
    this.#options = options;
    this.#pace = new Pace({ speed: options.speed });
    this.clock = new SteppedClock({ start: options.start, isWhole: true });
    this.holds = new Holds(this.clock);
  }

  /** Milliseconds since 1970 at which the world began. */
  get start(): number {
    return this.#options.start;
  }

  /** What became of the host's time since the beginning. */
  report(): PaceReport {
    return this.#pace.report();
  }

  /** Lets time pass until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { wall } = this.#options;
    while (!signal.aborted) {
      const step = this.#pace.step({
        wall: wall.monotonic(),
        now: this.clock.monotonic(),
        horizon: this.#horizon(),
        room: this.#behind(),
      });
      const moment = this.clock.monotonic() + step;
      for (const follower of this.#followers) follower.follow(moment);
      if (step > 0) await this.clock.passTo(moment);
      await wall.sleep(this.#tickMillis, signal).catch(() => undefined);
    }
  }

  /** From now on time waits for this one too; answers what ends that. */
  join(follower: Follower): () => void {
    this.#followers.add(follower);
    for (const arrived of this.#arrivals) arrived();
    return () => {
      this.#followers.delete(follower);
    };
  }

  /** Time stands until the next follower has joined, or the signal says that none will. */
  async awaitFollower(what: string, signal: AbortSignal): Promise<void> {
    let arrived: () => void = () => undefined;
    const joined = new Promise<void>((resolve) => {
      arrived = resolve;
      if (signal.aborted) resolve();
    });
    this.#arrivals.add(arrived);
    signal.addEventListener('abort', arrived, { once: true });
    await this.holds.during({ what, allowanceMillis: 0 }, joined);
    this.#arrivals.delete(arrived);
    signal.removeEventListener('abort', arrived);
  }

  /** As fast as all can follow until the world has caught up with the host's time of day; with it from then on. */
  async catchUp(signal: AbortSignal): Promise<void> {
    this.#pace.speed = FORWARD_SPEED;
    this.#tickMillis = SHORTEST_TICK_MILLIS;
    while (!signal.aborted && this.#behind() > TICK_MILLIS)
      await this.#options.wall.sleep(TICK_MILLIS, signal).catch(() => undefined);
    this.#pace.speed = this.#options.speed;
    this.#tickMillis = TICK_MILLIS;
  }

  #horizon(): Horizon | undefined {
    return earliest([this.holds.horizon, ...[...this.#followers].map(({ horizon }) => horizon)]);
  }

  /** How far the world may go until it is as late there as it is here, in milliseconds. */
  #behind(): number {
    const { wall, start } = this.#options;
    return wall.now() - (start + this.clock.monotonic());
  }
}
