/** The time during which a replica may lead: ends by itself unless it is extended. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';
import { linkedSignal, type LinkedSignal } from '../time/linked-signal.js';

/** A point in time, by both clocks: one stands still while a virtual machine does, the other can be set back. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

export interface LeaderTermOptions {
  readonly clock: Clock;
  /** The term ends with it. */
  readonly parent: AbortSignal;
  /** A moment before the lease was written. */
  readonly since: Moment;
  /** How long the term lasts from there. */
  readonly millis: number;
}

export class LeaderTerm {
  readonly #clock: Clock;
  readonly #millis: number;
  readonly #own: LinkedSignal;
  #since: Moment;
  #stopTimer: (() => void) | undefined;

  constructor({ clock, parent, since, millis }: LeaderTermOptions) {
    this.#clock = clock;
    this.#millis = millis;
    this.#since = since;
    this.#own = linkedSignal(parent);
    this.#watch();
  }

  /** Aborted when the term ends, with the reason. */
  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Whether it still lasts, at this very moment; ends it if its time is over. */
  holds(): boolean {
    if (this.signal.aborted) return false;
    if (this.#left() > 0) return true;
    this.end('the lease could not be renewed in time');
    return false;
  }

  /** Lasts from this moment; unless it is over, for then it stays so. */
  extend(since: Moment): void {
    if (this.holds()) this.#since = since;
  }

  end(reason: string): void {
    this.#stopTimer?.();
    this.#own.abort(new PortError('Cancelled', { operation: 'lead', message: reason }));
    this.#own.unlink();
  }

  #left(): number {
    const { monotonic, wall } = this.#since;
    const elapsed = Math.max(this.#clock.monotonic() - monotonic, this.#clock.now() - wall);
    return this.#millis - elapsed;
  }

  #watch(): void {
    if (!this.holds()) return;
    this.#stopTimer = this.#clock.timer(this.#left(), () => {
      this.#watch();
    });
  }
}
