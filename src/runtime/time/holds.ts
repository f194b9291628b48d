/** What virtual time waits for: answers that are computed outside of it, by a thread, a socket or another process. */
import type { Clock } from '../../ports/clock.js';

export interface Hold {
  /** What is waited for, in words that follow "waited for". */
  readonly what: string;
  /** How much time may pass until the answer, in milliseconds of the clock that is held. */
  readonly allowanceMillis: number;
}

/** The moment that time must not pass, and what it waits for there. */
export interface Horizon {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
  readonly what: string;
}

/** Does nothing but answer what the work answers, where time is not held. */
export type HoldTime = <T>(hold: Hold, work: Promise<T>) => Promise<T>;

export class Holds {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #horizons = new Set<Horizon>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Holds time until the work has ended, well or not. */
  readonly during: HoldTime = async (hold, work) => {
    const horizon = { at: this.#clock.monotonic() + hold.allowanceMillis, what: hold.what };
    this.#horizons.add(horizon);
    try {
      return await work;
    } finally {
      this.#horizons.delete(horizon);
    }
  };

  /** The earliest; undefined while nothing is waited for. */
  get horizon(): Horizon | undefined {
    return earliest(this.#horizons);
  }
}

/** The first of them in time; undefined when there is none. */
export function earliest(horizons: Iterable<Horizon | undefined>): Horizon | undefined {
  let first: Horizon | undefined;
  for (const horizon of horizons)
    if (horizon !== undefined && (first === undefined || horizon.at < first.at)) first = horizon;
  return first;
}
