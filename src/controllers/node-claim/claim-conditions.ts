/** The conditions of a claim, and Ready, which follows from the first three. */
import { isTrue, withCondition, type Condition } from '../../domain/values/condition.js';
import type { ClaimCondition, ClaimConditionType } from '../../domain/nodes/claim-conditions.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';

/** One condition as it is from now on; its type is the reason where none is given, as Karpenter writes it. */
export type ConditionChange = WithoutOwnReason<ClaimCondition> & { readonly message?: string | undefined };

type WithoutOwnReason<Each> = Each extends { readonly type: infer Type; readonly reason: infer Reason }
  ? Reason extends Type
    ? Omit<Each, 'reason'> & { readonly reason?: Reason | undefined }
    : Each
  : never;

/** The condition of a disruption method, which holds. */
export interface MethodConditionChange {
  readonly type: string;
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
  return changed(
    claim.status.conditions,
    changes.map((change) => conditionOf(change, now)),
    now,
  );
}

/** The claim's conditions with those of disruption methods that hold, and without the others of these types. */
export function withMethodConditions(
  { status }: NodeClaim,
  types: ReadonlySet<string>,
  holding: readonly MethodConditionChange[],
  now: number,
): readonly Condition[] {
  const kept = status.conditions.filter(
    ({ type }) => !types.has(type) || holding.some((change) => change.type === type),
  );
  return changed(
    kept,
    holding.map((change) => conditionOf({ ...change, status: 'True' }, now)),
    now,
  );
}

function changed(
  conditions: readonly Condition[],
  changes: readonly Condition[],
  now: number,
): readonly Condition[] {
  let next = conditions;
  for (const change of changes) next = withCondition(next, change);
  return withCondition(next, conditionOf(readiness(next), now));
}

/** Whether a condition of the claim is there with status True. */
export function is(claim: NodeClaim, type: ClaimConditionType): boolean {
  return isTrue(claim.status.conditions, type);
}

/** When the condition last changed, in milliseconds since 1970; undefined when it is not there. */
export function since(claim: NodeClaim, type: ClaimConditionType): number | undefined {
  return claim.status.conditions.find((condition) => condition.type === type)?.lastTransitionTime;
}

function readiness(conditions: readonly Condition[]): ConditionChange {
  const missing = NEEDED_TO_BE_READY.find((type) => !isTrue(conditions, type));
  if (missing === undefined) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: `Not${missing}`, message: `waiting for ${missing}` };
}

function conditionOf(
  { type, status, reason = type, message = '' }: MethodConditionChange & Pick<Condition, 'status'>,
  now: number,
): Condition {
  return { type, status, reason, message, lastTransitionTime: now };
}
