/** Requirements of NodeClaims ⇄ entries `{key, operator, values, minValues}`, as Karpenter's NodeClaim has them. */
import type { JsonObject } from '../../domain/policy.js';
import {
  requirement,
  REQUIREMENT_OPERATORS,
  type Requirement,
  type RequirementOperator,
} from '../../domain/requirement.js';
import { requirementsOf } from '../../domain/requirements.js';
import {
  elements,
  member,
  optionalInteger,
  refuse,
  requiredChoice,
  requiredText,
  type Field,
} from '../kubernetes/field.js';
import { readValues } from '../kubernetes/labels.js';

interface Entry {
  readonly operator: RequirementOperator;
  readonly values?: readonly string[];
}

/**
 * One entry, or several with one key where a set needs them: excluded values beside bounds, or beside Exists where a
 * missing label is excluded as well. Values keep their order, which is a ranking for instance types.
 */
export function encodeRequirement(required: Requirement): readonly JsonObject[] {
  return entriesOf(required).map((entry, index) => ({
    key: required.key,
    ...entry,
    // The larger one counts, so saying it once is enough.
    ...(index === 0 && required.minValues > 0 && { minValues: required.minValues }),
  }));
}

function entriesOf({ complement, values, atLeast, atMost, absent }: Requirement): readonly Entry[] {
  if (!complement) {
    if (absent && values.size === 0) return [{ operator: 'DoesNotExist' }];
    return [{ operator: 'In', values: [...values] }];
  }
  const entries: Entry[] = [];
  if (values.size > 0 || absent) entries.push({ operator: 'NotIn', values: [...values] });
  if (atLeast !== -Infinity) entries.push(lowerBound(atLeast));
  if (atMost !== Infinity) entries.push(upperBound(atMost));
  const isBounded = atLeast !== -Infinity || atMost !== Infinity;
  if (!absent && !isBounded) entries.unshift({ operator: 'Exists' });
  return entries;
}

/** `Gt` where the bound itself is beyond the integers that can be read back. */
function lowerBound(atLeast: number): Entry {
  if (Number.isSafeInteger(atLeast)) return { operator: 'Gte', values: [String(atLeast)] };
  return { operator: 'Gt', values: [String(atLeast - 1)] };
}

function upperBound(atMost: number): Entry {
  if (Number.isSafeInteger(atMost)) return { operator: 'Lte', values: [String(atMost)] };
  return { operator: 'Lt', values: [String(atMost + 1)] };
}

const MOST_MIN_VALUES = 2 ** 31 - 1;

/** Reads entries; those on one key become one requirement, in the order in which keys appear. */
export function readRequirements(field: Field): readonly Requirement[] {
  return [...requirementsOf(elements(field).flatMap(readEntry)).values()];
}

function readEntry(field: Field): readonly Requirement[] {
  const key = requiredText(member(field, 'key'));
  const operator = requiredChoice(member(field, 'operator'), REQUIREMENT_OPERATORS);
  const values = readValues(member(field, 'values'));
  const minValues = optionalInteger(member(field, 'minValues'), 0, MOST_MIN_VALUES) ?? 0;
  if (key === '' || operator === undefined) return [];
  try {
    return [requirement(key, operator, values, minValues)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    refuse(member(field, 'values'), error.message);
    return [];
  }
}
