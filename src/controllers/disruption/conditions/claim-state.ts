/** What the conditions of a claim have to be, as far as they are about its being taken away or about what its node has. */
import type { RepairPolicy } from '../../../domain/policies/repair-policy.js';
import { isTrue, type Condition } from '../../../domain/values/condition.js';
import type { ResourceList } from '../../../domain/values/resources.js';
import type { ClaimFacts } from '../../../planning/disrupt/method.js';
import { quietSeconds } from '../../../planning/disrupt/methods/consolidation-terms.js';
import { METHODS } from '../../../planning/disrupt/methods.js';
import { withConditions, withMethodConditions } from '../../node-claim/claim-conditions.js';
import { consistencyOf } from '../../node-claim/consistency.js';
import { ailmentOf, repairPoliciesFor } from './health.js';

/** What is observed; what ails the node follows from it by the repair policies, which are those of the cloud here. */
export interface ObservedFacts extends Omit<ClaimFacts, 'ailment'> {
  readonly repairPolicies: readonly RepairPolicy[];
  /** Capacity of the claim's instance type; undefined where the type is not known. */
  readonly expected: ResourceList | undefined;
}

export interface WantedState {
  readonly conditions: readonly Condition[];
  readonly lastPodEventTime: number | undefined;
  /** When time alone changes it; Infinity for never. */
  readonly nextAt: number;
}

/**
 * The durable time of the last pod event may be so much too early, as a share of consolidateAfter: after a restart a node may
 * be consolidated that much before its time.
 */
const EVENT_SLACK = 1 / 4;
/** And at least so much, in milliseconds: pods of a node come together. */
const LEAST_EVENT_SLACK_MILLIS = 10_000;
/** The conditions that this process keeps: those that a method knows the beginning of. */
const KEPT = METHODS.flatMap(({ condition }) =>
  condition?.from === undefined ? [] : [{ type: condition.type, from: condition.from }],
);
const KEPT_TYPES: ReadonlySet<string> = new Set(KEPT.map(({ type }) => type));

/** Conditions that do not hold are not there, as Karpenter has it. */
export function wantedState(observed: ObservedFacts): WantedState {
  const { claim, node, pool, now } = observed;
  const policies = repairPoliciesFor(pool, observed.repairPolicies);
  const facts: ClaimFacts = { ...observed, ailment: node && ailmentOf({ node, claim }, policies, now) };
  const due = KEPT.map(({ type, from }) => ({ type, ...from(facts) }));
  const holding = due.filter(({ at }) => at <= now);
  return {
    conditions: withConsistency(observed, withMethodConditions(claim, KEPT_TYPES, holding, now)),
    lastPodEventTime: durableEvent(facts),
    nextAt: Math.min(...due.map(({ at }) => at).filter((at) => at > now)),
  };
}

/** The node may lose what it had, as when a device plugin ends; initialization has looked first. */
function withConsistency(
  { claim, node, expected, now }: ObservedFacts,
  conditions: readonly Condition[],
): readonly Condition[] {
  const isComplete = node !== undefined && expected !== undefined && isTrue(conditions, 'Initialized');
  if (!isComplete) return conditions;
  const settled = { ...claim, status: { ...claim.status, conditions } };
  return withConditions(settled, [consistencyOf(claim, node, expected)], now);
}

/**
 * Written only where the pool's consolidateAfter reads it, and when it is off by more than matters there, so that a busy node
 * is not a busy claim.
 */
function durableEvent({ claim, pool, lastPodEvent }: ClaimFacts): number | undefined {
  const known = claim.status.lastPodEventTime;
  const quiet = pool && quietSeconds(pool);
  if (lastPodEvent === undefined || quiet === undefined) return known;
  const slack = Math.max(LEAST_EVENT_SLACK_MILLIS, quiet * 1000 * EVENT_SLACK);
  return lastPodEvent - (known ?? -Infinity) >= slack ? lastPodEvent : known;
}
