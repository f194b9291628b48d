/** NodePools whose replacements of drifted nodes fail: the next waits, longer each time (Karpenter: drift back-off, a design). */
import type { Clock } from '../../../ports/clock.js';
import type { Random } from '../../../ports/random.js';
import { backoffMillis } from '../../../runtime/concurrency/backoff.js';

const BACKOFF = { baseMillis: 60_000, maxMillis: 600_000 };

interface Failing {
  readonly failures: number;
  /** How often it had to wait. */
  readonly times: number;
  /** Monotonic. */
  readonly until: number;
}

/** A restart forgets it. */
export class DriftBackOff {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #pools = new Map<string, Failing>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A replacement did not become a ready node. Of several that were launched together, the first has the pool wait. */
  failed(nodePool: string): void {
    const now = this.#clock.monotonic();
    const known = this.#pools.get(nodePool) ?? { failures: 0, times: 0, until: now };
    const failures = known.failures + 1;
    if (known.until > now) {
      this.#pools.set(nodePool, { ...known, failures });
      return;
    }
    const times = known.times + 1;
    const wait = backoffMillis({ attempt: times, ...BACKOFF, random: this.#random });
    this.#pools.set(nodePool, { failures, times, until: now + wait });
  }

  /** One did, or what is rolled out is another. */
  forget(nodePool: string): void {
    this.#pools.delete(nodePool);
  }

  /** In a row. */
  failures(nodePool: string): number {
    return this.#pools.get(nodePool)?.failures ?? 0;
  }

  /** Until when the pool waits, in milliseconds since 1970; undefined when it does not. */
  until(nodePool: string): number | undefined {
    const left = (this.#pools.get(nodePool)?.until ?? -Infinity) - this.#clock.monotonic();
    return left > 0 ? this.#clock.now() + left : undefined;
  }
}
