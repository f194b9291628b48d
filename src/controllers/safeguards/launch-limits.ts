/** Which of the claims that are ready may be launched now, by rate, by cost and by the breaker of their NodePool. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { Clock } from '../../ports/clock.js';
import { TokenBucket } from '../../runtime/concurrency/token-bucket.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { RegistrationBreaker } from './registration-breaker.js';
import type { SafetyLimits } from './safety-limits.js';

/** Why claims are not launched now. */
export interface Held {
  /** The option that says so. */
  readonly limit: 'max-nodes-per-minute' | 'max-hourly-cost' | 'max-registration-failures';
  /** Reason of Decisions. */
  readonly reason: 'LaunchRateLimited' | 'HourlyCostLimited' | 'RegistrationStopped';
  readonly message: string;
}

export interface Admission {
  /** How many of the claims, from the first on. */
  readonly count: number;
  /** Of the others; undefined when there are none. */
  readonly held: Held | undefined;
}

export interface LaunchLimitsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly limits: SafetyLimits;
  readonly breaker: RegistrationBreaker;
}

export class LaunchLimits {
  readonly #options: LaunchLimitsOptions;
  readonly #rate: TokenBucket;
  /** Claim's uid → USD/h, of claims that were admitted and whose status has no price yet. */
  readonly #admitted = new Map<string, number>();

  constructor(options: LaunchLimitsOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#rate = new TokenBucket({
      capacity: limits.nodesPerMinute,
      refillPerSecond: limits.nodesPerMinute / 60,
      clock,
    });
  }

  /** Counts the claims that it admits; `hourlyPrice` is that of the offering asked for first. */
  admit(claims: readonly [NodeClaim, ...NodeClaim[]], hourlyPrice: number): Admission {
    const { breaker, limits } = this.#options;
    const wanted = claims.length;
    const known = breaker.admits(claims);
    if (known === 0) return { count: 0, held: this.#stopped(claims[0]) };
    const spent = this.#spent();
    const affordable = hourlyPrice > 0 ? Math.floor((limits.hourlyCost - spent) / hourlyPrice) : known;
    const payable = Math.max(0, Math.min(known, affordable));
    const count = this.#rate.takeUpTo(payable);
    const admitted = claims.slice(0, count);
    for (const { uid } of admitted) this.#admitted.set(uid, hourlyPrice);
    if (count > 0) breaker.launching(admitted);
    if (count === wanted) return { count, held: undefined };
    if (count < payable) return { count, held: this.#tooFast() };
    return { count, held: payable < known ? this.#tooExpensive(spent) : this.#stopped(claims[0]) };
  }

  /** The claims that were admitted last were not asked for after all. */
  giveBack(claims: readonly NodeClaim[]): void {
    this.#rate.giveBack(claims.length);
    for (const { uid } of claims) this.#admitted.delete(uid);
    this.#options.breaker.givenBack(claims);
  }

  /** USD/h of everything that runs or is being launched. */
  #spent(): number {
    const { cluster } = this.#options;
    let sum = 0;
    const left = new Set<string>();
    for (const { uid, status } of cluster.nodeClaims.values()) {
      const awaited = this.#admitted.get(uid);
      if (status.hourlyPrice === undefined && awaited !== undefined) left.add(uid);
      sum += status.hourlyPrice ?? awaited ?? 0;
    }
    for (const uid of this.#admitted.keys()) if (!left.has(uid)) this.#admitted.delete(uid);
    return sum;
  }

  #tooFast(): Held {
    const { nodesPerMinute } = this.#options.limits;
    return {
      limit: 'max-nodes-per-minute',
      reason: 'LaunchRateLimited',
      message: `limit of ${String(nodesPerMinute)} launches per minute reached (--max-nodes-per-minute); the launch is delayed`,
    };
  }

  #tooExpensive(spent: number): Held {
    const { hourlyCost } = this.#options.limits;
    return {
      limit: 'max-hourly-cost',
      reason: 'HourlyCostLimited',
      message: `all instances cost ${spent.toFixed(2)} USD/h; this one would exceed the limit of ${String(hourlyCost)} USD/h (--max-hourly-cost)`,
    };
  }

  #stopped({ spec }: NodeClaim): Held {
    return {
      limit: 'max-registration-failures',
      reason: 'RegistrationStopped',
      message:
        this.#options.breaker.problem(spec.nodePool) ??
        `NodePool ${spec.nodePool} waits for the result of a trial launch`,
    };
  }
}
