/** EC2's request limits: token buckets per account and region, as the EC2 API throttling page lists them. */
import type { Clock } from '../../../../src/ports/clock.js';
import { TokenBucket } from '../../../../src/runtime/concurrency/token-bucket.js';
import { throttled } from '../../faults/meet-faults.js';
import type { QueryNode } from '../../protocol/query.js';

interface Limit {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

const READING: Limit = { capacity: 100, refillPerSecond: 20 };
const READING_ALL: Limit = { capacity: 50, refillPerSecond: 10 };
const WRITING: Limit = { capacity: 50, refillPerSecond: 5 };

/** Actions with a size of their own. */
const OWN: Readonly<Record<string, Limit>> = {
  RunInstances: { capacity: 5, refillPerSecond: 2 },
  TerminateInstances: { capacity: 100, refillPerSecond: 5 },
  CreateTags: { capacity: 100, refillPerSecond: 10 },
  DeleteTags: { capacity: 100, refillPerSecond: 10 },
  CreateLaunchTemplateVersion: { capacity: 100, refillPerSecond: 5 },
};

/** Costs more tokens without filter and page size. */
const DEAR_UNFILTERED = new Set(['DescribeInstances', 'DescribeInstanceStatus', 'DescribeSecurityGroups']);

/** Counted per instance. */
const PER_INSTANCE = {
  launch: { capacity: 1000, refillPerSecond: 2 },
  terminate: { capacity: 1000, refillPerSecond: 20 },
} satisfies Readonly<Record<string, Limit>>;

export class Throttle {
  readonly #clock: Clock;
  readonly #isOn: boolean;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ clock, isOn }: { readonly clock: Clock; readonly isOn: boolean }) {
    this.#clock = clock;
    this.#isOn = isOn;
  }

  /** @throws ServiceError RequestLimitExceeded (503), when the action's bucket is empty. */
  request(action: string, query: QueryNode): void {
    const isUnfiltered = DEAR_UNFILTERED.has(action) && isUnfilteredQuery(query);
    const usual = /^(Describe|Get)/.test(action) ? READING : WRITING;
    const limit = OWN[action] ?? (isUnfiltered ? READING_ALL : usual);
    if (!this.#take(isUnfiltered ? `${action} of all` : action, limit, 1)) throw throttled();
  }

  /** Whether so many instances may be launched or terminated now; if so they are counted. */
  instances(what: keyof typeof PER_INSTANCE, count: number): boolean {
    return this.#take(`instances: ${what}`, PER_INSTANCE[what], count);
  }

  #take(name: string, limit: Limit, tokens: number): boolean {
    if (!this.#isOn) return true;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined)
      this.#buckets.set(name, (bucket = new TokenBucket({ ...limit, clock: this.#clock })));
    return bucket.tryTake(tokens);
  }
}

function isUnfilteredQuery(query: QueryNode): boolean {
  return ['Filter', 'MaxResults', 'InstanceId', 'GroupId', 'GroupName'].every(
    (name) => query.node(name).isEmpty,
  );
}
