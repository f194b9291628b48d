/** Which of the claims that are ready may be launched now, by rate, by cost and by the breaker of their NodePool. */
import { isLaunchOpen, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { PRICE_ERROR } from '../../domain/values/price.js';
import type { Clock } from '../../ports/clock.js';
import { TokenBucket } from '../../runtime/concurrency/token-bucket.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { Change } from '../../state/cluster/store.js';
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
  /** Claims that may be launched now. */
  readonly admitted: readonly NodeClaim[];
  /** Those of them that were not admitted before: what is to be given back when they are not asked for. */
  readonly fresh: readonly NodeClaim[];
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
  /**
   * Claim's uid → USD/h, of claims that were admitted and whose status has no price yet. Each has its token: a claim that asks again,
   * because it is not known whether its request was written, needs no other.
   */
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

  /** Takes note of what becomes of claims, until the answer is called. */
  follow(): () => void {
    return this.#options.cluster.nodeClaims.subscribe((change) => {
      this.#onClaim(change);
    });
  }

  /** Counts the claims that it admits, each once; `hourlyPrice` is that of the offering asked for first. */
  admit(claims: readonly [NodeClaim, ...NodeClaim[]], hourlyPrice: number): Admission {
    const { breaker, limits } = this.#options;
    const tried = breaker.admits(claims);
    if (tried.length === 0) return { admitted: [], fresh: [], held: this.#stopped(claims[0]) };
    const spent = this.#spentBeside(claims);
    const left = limits.hourlyCost - spent + PRICE_ERROR;
    const affordable = hourlyPrice > 0 ? Math.floor(left / hourlyPrice) : tried.length;
    // First those that were admitted before: they take no tokens.
    const before = tried.filter(({ uid }) => this.#admitted.has(uid));
    const others = tried.filter(({ uid }) => !this.#admitted.has(uid));
    const payable = [...before, ...others].slice(0, Math.max(0, affordable));
    const fresh = others.slice(0, this.#rate.takeUpTo(Math.max(0, payable.length - before.length)));
    const admitted = [...before.slice(0, payable.length), ...fresh];
    for (const { uid } of admitted) this.#admitted.set(uid, hourlyPrice);
    breaker.launching(admitted);
    if (admitted.length === claims.length) return { admitted, fresh, held: undefined };
    if (admitted.length < payable.length) return { admitted, fresh, held: this.#tooFast() };
    const isTooExpensive = payable.length < tried.length;
    return { admitted, fresh, held: isTooExpensive ? this.#tooExpensive(spent) : this.#stopped(claims[0]) };
  }

  /** Nothing came of the admission of these claims. What was given back already is not given back twice. */
  giveBack(claims: readonly Pick<NodeClaim, 'uid'>[]): void {
    const counted = claims.filter(({ uid }) => this.#admitted.delete(uid));
    this.#rate.giveBack(counted.length);
  }

  #onClaim({ before, after }: Change<NodeClaim>): void {
    if (before === undefined) return;
    const now = after?.uid === before.uid ? after : undefined;
    if (gotNothing(before, now)) this.giveBack([before]);
    else if (now === undefined || now.status.hourlyPrice !== undefined) this.#admitted.delete(before.uid);
  }

  /** USD/h of everything that runs or is being launched, but for these claims, which ask again. */
  #spentBeside(claims: readonly NodeClaim[]): number {
    const asking = new Set(claims.map(({ uid }) => uid));
    let sum = 0;
    for (const claim of this.#options.cluster.nodeClaims.values())
      if (!asking.has(claim.uid))
        sum += claim.status.hourlyPrice ?? this.#admitted.get(claim.uid) ?? requestedPrice(claim);
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

/** Of a launch that the process before this one asked for. */
function requestedPrice(claim: NodeClaim): number {
  const asked = isLaunchOpen(claim) ? claim.status.launch?.request.overrides[0] : undefined;
  return asked?.price ?? 0;
}

/** Whether it is known since this change that nothing was launched for the claim; it may ask again, unless it is gone. */
function gotNothing(before: NodeClaim, after: NodeClaim | undefined): boolean {
  const { launch, providerID } = (after ?? before).status;
  if (providerID !== undefined) return false;
  if (after === undefined) return !isLaunchOpen(before);
  return launch?.answeredAt !== undefined && launch.answeredAt !== before.status.launch?.answeredAt;
}
