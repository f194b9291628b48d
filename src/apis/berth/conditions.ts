/** status.conditions of Berth's own kinds ⇄ domain. */
import type { Condition } from '../../domain/condition.js';
import type { JsonObject } from '../../domain/policy.js';
import {
  elements,
  member,
  optionalText,
  requiredChoice,
  requiredText,
  type Field,
} from '../kubernetes/field.js';
import { formatTime, readTime } from '../kubernetes/time.js';
import { encodeMessage } from './berth-object.js';

const STATUSES = ['True', 'False', 'Unknown'] as const;

export function encodeConditions(conditions: readonly Condition[]): readonly JsonObject[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message: encodeMessage(message),
    lastTransitionTime: formatTime(lastTransitionTime),
  }));
}

/** The conditions that have a type; a status that cannot be read is Unknown. */
export function readConditions(field: Field): readonly Condition[] {
  return elements(field).flatMap((item) => {
    const type = requiredText(member(item, 'type'));
    if (type === '') return [];
    return {
      type,
      status: requiredChoice(member(item, 'status'), STATUSES) ?? 'Unknown',
      reason: optionalText(member(item, 'reason')) ?? '',
      message: optionalText(member(item, 'message')) ?? '',
      lastTransitionTime: readTime(member(item, 'lastTransitionTime')) ?? 0,
    };
  });
}
