/** Whether the holder of a Lease is alive, by its last renewal. */
import type { Lease } from '../../domain/records/lease.js';
import type { Clock } from '../../ports/clock.js';
import type { Cluster } from './cluster.js';

export interface LeaseFreshnessOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly lease: string;
  readonly maxAgeMillis: number;
}

/**
 * A Lease is fresh for `maxAgeMillis` after its last renewal. A renewal that is seen to happen counts from the moment
 * at which it is seen, so that only the first look depends on the holder's clock being right.
 */
export class LeaseFreshness {
  readonly #clock: Clock;
  readonly #maxAgeMillis: number;
  #renewedAt: number;

  constructor({ cluster, clock, lease, maxAgeMillis }: LeaseFreshnessOptions) {
    this.#clock = clock;
    this.#maxAgeMillis = maxAgeMillis;
    this.#renewedAt = this.#inThePast(cluster.leases.get(lease));
    cluster.leases.subscribe(({ key, before, after }) => {
      if (key !== lease) return;
      const isRenewal = before !== undefined && after !== undefined && after.renewedAt > before.renewedAt;
      if (isRenewal) this.#renewedAt = this.#clock.now();
      else if (before?.renewedAt !== after?.renewedAt) this.#renewedAt = this.#inThePast(after);
    });
  }

  /** false too while there is no such Lease. */
  isFresh(): boolean {
    return this.#clock.now() - this.#renewedAt <= this.#maxAgeMillis;
  }

  #inThePast(lease: Lease | undefined): number {
    return Math.min(lease?.renewedAt ?? -Infinity, this.#clock.now());
  }
}
