/** The limits that AWS puts on calls, kept on this side, so that Berth waits its turn rather than being turned away. */
import type { Clock } from '../../../../ports/clock.js';
import { TokenBucket } from '../../../../runtime/concurrency/token-bucket.js';

/**
 * Calls at once and then per second. EC2's are those of its page on request throttling, per account and region; the other
 * services publish less, so theirs are modest.
 */
const LIMITS = {
  /** Describe… and Get… with filters or pages. */
  'ec2-describe': [100, 20],
  /** Every changing call that has no limit of its own, CreateFleet among them. */
  'ec2-mutate': [50, 5],
  'ec2-run': [5, 2],
  'ec2-terminate': [100, 5],
  'ec2-tag': [100, 10],
  'arc-zonal-shift': [10, 5],
  eks: [10, 5],
  events: [10, 5],
  iam: [20, 5],
  pricing: [10, 10],
  sqs: [100, 100],
  ssm: [40, 40],
  sts: [10, 5],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type BucketName = keyof typeof LIMITS;

/** The rest is left to others who use the account, and to its clock, which Berth does not know. */
const OUR_SHARE = 0.9;

/** Instances at once and then per second, beside the limit on calls (EC2's resource buckets). */
const INSTANCE_LIMITS: Readonly<Partial<Record<BucketName, readonly [number, number]>>> = {
  'ec2-run': [1000, 2],
  'ec2-terminate': [1000, 20],
};

/** One bucket for each kind of call. */
export class Buckets {
  readonly #clock: Clock;
  readonly #calls = new Map<BucketName, TokenBucket>();
  readonly #instances = new Map<BucketName, TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a call for so many instances (0 where the call is not about instances) may be made.
   * @throws PortError Cancelled, when the signal is aborted before; Invalid, for more instances than EC2 takes at once.
   */
  async enter(name: BucketName, instances: number, signal: AbortSignal): Promise<void> {
    const limit = INSTANCE_LIMITS[name];
    if (limit !== undefined && instances > 0)
      await this.#bucket(this.#instances, name, limit).take(instances, signal);
    await this.#callsOf(name).take(1, signal);
  }

  /** AWS turned a call away: others use the same limit, and its bucket is empty, whatever this one says. */
  empty(name: BucketName): void {
    const bucket = this.#callsOf(name);
    while (bucket.tryTake());
  }

  #callsOf(name: BucketName): TokenBucket {
    const [atOnce, perSecond] = LIMITS[name];
    return this.#bucket(this.#calls, name, [Math.floor(atOnce * OUR_SHARE), perSecond * OUR_SHARE]);
  }

  #bucket(
    buckets: Map<BucketName, TokenBucket>,
    name: BucketName,
    [capacity, refillPerSecond]: readonly [number, number],
  ): TokenBucket {
    const known = buckets.get(name);
    if (known !== undefined) return known;
    const bucket = new TokenBucket({ capacity, refillPerSecond, clock: this.#clock });
    buckets.set(name, bucket);
    return bucket;
  }
}
