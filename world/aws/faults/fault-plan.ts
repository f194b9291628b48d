/** Which calls go wrong, and how: by count, or by chance with a seed. */
import type { CapacityPool, PoolPattern } from '../model/capacity-stock.js';
import type { Random } from '../../../src/ports/random.js';
import { matchesWildcard } from '../model/wildcard.js';

/**
 * `lost-request`: it is not done, and no answer comes. `lost-answer`: it is done, and no answer comes. `reset`, `reset-after`: the
 * same with a connection that breaks at once. `offering`: an entry of CreateFleet's Errors[] for these pools.
 */
export type Fault =
  | { readonly kind: 'throttle' | 'lost-request' | 'lost-answer' | 'reset' | 'reset-after' }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly message?: string | undefined;
      /** Of HTTP; 500 when not given. */
      readonly status?: number | undefined;
    }
  | { readonly kind: 'latency'; readonly millis: number; readonly upToMillis?: number | undefined }
  | OfferingFault;

export interface OfferingFault {
  readonly kind: 'offering';
  readonly pool: PoolPattern;
  readonly code: string;
  readonly message?: string | undefined;
}

export interface FaultRule {
  /** `ec2:CreateFleet`, `sqs:*`, `*`. */
  readonly action: string;
  /** Which of the matching calls since the rule was added, from 1; all when not given. */
  readonly nth?: number | readonly number[] | undefined;
  /** Chance for each of these calls; 1 when not given. */
  readonly probability?: number | undefined;
  /** At most so often. */
  readonly times?: number | undefined;
  readonly fault: Fault;
}

interface ActiveRule {
  readonly rule: FaultRule;
  calls: number;
  met: number;
}

export class FaultPlan {
  readonly #random: Random;
  #rules: ActiveRule[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Answers what takes the rule away again. */
  add(rule: FaultRule): () => void {
    const active = { rule, calls: 0, met: 0 };
    this.#rules.push(active);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== active);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** What this call meets, in the order in which the rules were added. */
  due(action: string): readonly Fault[] {
    return this.#rules.filter((active) => this.#isDue(active, action)).map(({ rule }) => rule.fault);
  }

  #isDue(active: ActiveRule, action: string): boolean {
    const { nth, probability = 1, times = Infinity } = active.rule;
    if (!matchesWildcard(active.rule.action, action)) return false;
    active.calls++;
    const isNamed = nth === undefined || (Array.isArray(nth) ? nth : [nth]).includes(active.calls);
    if (!isNamed || active.met >= times) return false;
    // Chance is asked only where it decides, so that a plan without it does not change the run.
    if (probability < 1 && this.#random.next() >= probability) return false;
    active.met++;
    return true;
  }
}

/** The first of these faults that is about the pool. */
export function offeringFaultOf(faults: readonly Fault[], pool: CapacityPool): OfferingFault | undefined {
  return faults.find(
    (fault): fault is OfferingFault =>
      fault.kind === 'offering' &&
      (fault.pool.instanceType ?? pool.instanceType) === pool.instanceType &&
      (fault.pool.zone ?? pool.zone) === pool.zone &&
      (fault.pool.capacityType ?? pool.capacityType) === pool.capacityType,
  );
}
