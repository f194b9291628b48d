/** Conditions of a status: one of each type, with the time at which its status changed. */
import type { Condition } from './objects.js';
import { timestamp } from './timestamps.js';

export interface NewCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The same array when nothing would change. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: NewCondition,
  now: number,
): readonly Condition[] {
  const before = conditions?.find(({ type }) => type === next.type);
  if (before !== undefined && conditions !== undefined && isSame(before, next)) return conditions;
  const since = before?.status === next.status ? before.lastTransitionTime : undefined;
  const condition = { ...next, lastTransitionTime: since ?? timestamp(now) };
  if (before === undefined) return [...(conditions ?? []), condition];
  return (conditions ?? []).map((each) => (each === before ? condition : each));
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}

function isSame(left: Condition, right: NewCondition): boolean {
  return left.status === right.status && left.reason === right.reason && left.message === right.message;
}
