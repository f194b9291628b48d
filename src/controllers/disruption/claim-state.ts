/** What the conditions of a claim have to be, as far as they are about its being taken away. */
import type { Condition } from '../../domain/condition.js';
import type { ClaimCondition, NodeClaim } from '../../domain/node-claim.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { ObservedNode } from '../../domain/observed-node.js';
import { since, withConditions, withoutConditions, type ConditionChange } from '../node-claim/index.js';
import type { Drift } from './drift.js';
import { ailmentOf } from './health.js';

export interface ClaimFacts {
  readonly claim: NodeClaim;
  readonly node: ObservedNode | undefined;
  /** undefined while no such pool is accepted: nobody knows what the claim should be. */
  readonly pool: NodePool | undefined;
  readonly drift: Drift | undefined;
  /** When a pod last came or went, as far as this process has seen. Times in milliseconds since 1970. */
  readonly lastPodEvent: number | undefined;
  readonly now: number;
}

export interface WantedState {
  readonly conditions: readonly Condition[];
  readonly lastPodEventTime: number | undefined;
  /** When time alone changes it; Infinity for never. */
  readonly nextAt: number;
}

/** The durable time of the last pod event may be so much too early. */
const EVENT_SLACK_MILLIS = 10_000;
const OWN: ReadonlySet<ClaimCondition> = new Set(['Consolidatable', 'Drifted', 'Expired', 'Unhealthy']);

/** Conditions that do not hold are not there, as Karpenter has it. */
export function wantedState(facts: ClaimFacts): WantedState {
  const { claim, now } = facts;
  const due = [consolidatable(facts), drifted(facts), expired(facts), unhealthy(facts)];
  const changes = due.flatMap(({ change }) => change ?? []);
  const kept = withoutConditions(
    claim,
    new Set([...OWN].filter((type) => !changes.some((change) => change.type === type))),
  );
  return {
    conditions: withConditions({ ...claim, status: { ...claim.status, conditions: kept } }, changes, now),
    lastPodEventTime: durableEvent(facts),
    nextAt: Math.min(...due.map(({ at }) => at).filter((at) => at > now)),
  };
}

/** Since when no pod has come or gone; undefined before the node is initialised. */
export function quietSince(claim: NodeClaim, lastPodEvent: number | undefined): number | undefined {
  const initialized = claim.status.conditions.find(({ type }) => type === 'Initialized');
  if (initialized?.status !== 'True') return undefined;
  const known = claim.status.lastPodEventTime ?? -Infinity;
  return Math.max(initialized.lastTransitionTime, known, lastPodEvent ?? -Infinity);
}

/** When the claim's time is over; undefined for never. */
export function expiresAt({ createdAt, spec }: NodeClaim): number | undefined {
  return spec.expireAfterSeconds === undefined ? undefined : createdAt + spec.expireAfterSeconds * 1000;
}

/** A condition that begins at a time, and is there when the time has come. */
interface Due {
  readonly at: number;
  readonly change: ConditionChange | undefined;
}

const NEVER: Due = { at: Infinity, change: undefined };

function from(at: number, now: number, change: ConditionChange): Due {
  return { at, change: at <= now ? change : undefined };
}

function consolidatable({ claim, pool, lastPodEvent, now }: ClaimFacts): Due {
  const after = pool?.disruption.consolidateAfterSeconds;
  const quiet = quietSince(claim, lastPodEvent);
  if (after === undefined || quiet === undefined) return NEVER;
  return from(quiet + after * 1000, now, { type: 'Consolidatable', status: 'True' });
}

function drifted({ drift, now }: ClaimFacts): Due {
  if (drift === undefined) return NEVER;
  const { reason, message } = drift;
  return from(now, now, { type: 'Drifted', status: 'True', reason, message });
}

function expired({ claim, now }: ClaimFacts): Due {
  const at = expiresAt(claim);
  if (at === undefined || claim.status.providerID === undefined) return NEVER;
  return from(at, now, { type: 'Expired', status: 'True' });
}

function unhealthy({ claim, node, now }: ClaimFacts): Due {
  const ailment =
    node === undefined || since(claim, 'Initialized') === undefined ? undefined : ailmentOf(node);
  if (ailment === undefined) return NEVER;
  const { type, status } = ailment.condition;
  const message = `node condition ${type} is ${status} for longer than its toleration duration`;
  return from(ailment.until, now, { type: 'Unhealthy', status: 'True', reason: type, message });
}

/** Written only when it is off by more than matters, so that a busy node is not a busy claim. */
function durableEvent({ claim, lastPodEvent }: ClaimFacts): number | undefined {
  const known = claim.status.lastPodEventTime;
  if (lastPodEvent === undefined) return known;
  return lastPodEvent - (known ?? -Infinity) >= EVENT_SLACK_MILLIS ? lastPodEvent : known;
}
