/** The conditions of a claim, and Ready, which follows from the first three. */
import { isTrue, withCondition, type Condition } from '../../domain/values/condition.js';
import type { ClaimCondition, NodeClaim } from '../../domain/nodes/node-claim.js';

/** One condition as it is from now on; when True, its type is the reason, as Karpenter writes it. */
export interface ConditionChange {
  /** One of CLAIM_CONDITIONS, or that of a disruption method. */
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

const NEEDED_TO_BE_READY = ['Launched', 'Registered', 'Initialized'] as const;

/** The claim's conditions with these changes, Ready brought up to date. `now` in milliseconds since 1970. */
export function withConditions(
  claim: NodeClaim,
  changes: readonly ConditionChange[],
  now: number,
): readonly Condition[] {
  let changed = claim.status.conditions;
  for (const change of changes) changed = withCondition(changed, conditionOf(change, now));
  return withCondition(changed, conditionOf(readiness(changed), now));
}

/** The claim's conditions without those of these types. */
export function withoutConditions({ status }: NodeClaim, types: ReadonlySet<string>): readonly Condition[] {
  return status.conditions.filter(({ type }) => !types.has(type));
}

/** Whether a condition of the claim is there with status True. */
export function is(claim: NodeClaim, type: ClaimCondition): boolean {
  return isTrue(claim.status.conditions, type);
}

/** When the condition last changed, in milliseconds since 1970; undefined when it is not there. */
export function since(claim: NodeClaim, type: ClaimCondition): number | undefined {
  return claim.status.conditions.find((condition) => condition.type === type)?.lastTransitionTime;
}

function readiness(conditions: readonly Condition[]): ConditionChange {
  const missing = NEEDED_TO_BE_READY.find((type) => !isTrue(conditions, type));
  if (missing === undefined) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: `Not${missing}`, message: `waiting for ${missing}` };
}

function conditionOf({ type, status, reason = type, message = '' }: ConditionChange, now: number): Condition {
  return { type, status, reason, message, lastTransitionTime: now };
}
