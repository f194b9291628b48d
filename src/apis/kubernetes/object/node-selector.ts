/** Node selector terms: of pods, PersistentVolumes and, in their own spelling, of StorageClasses. */
import type { NodeAffinity, NodeSelectorTerm, PreferredNodeTerm } from '../../../domain/pods/affinity.js';
import { NO_NODE_AFFINITY } from '../../../domain/pods/affinity.js';
import { canonicalLabel, isLabelValue } from '../../../domain/values/labels.js';
import { requirement, type Requirement } from '../../../domain/values/requirement.js';
import { NO_REQUIREMENTS, requirementsOf, type Requirements } from '../../../domain/values/requirements.js';
import { describeValue } from '../../documents/part.js';
import {
  elements,
  firstElements,
  hasObject,
  member,
  optionalInteger,
  refuse,
  refuseMissing,
  requiredChoice,
  requiredText,
  warn,
  warnUnread,
  type Field,
} from './field.js';
import { readLabelKey, readValues } from './labels.js';

const LABEL_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const;
const FIELD_OPERATORS = ['In', 'NotIn'] as const;
/** The only field that nodes can be selected by. */
const NODE_NAME = 'metadata.name';

/** spec.affinity.nodeAffinity of a pod. */
export function readNodeAffinity(field: Field): NodeAffinity {
  if (!hasObject(field)) return NO_NODE_AFFINITY;
  const required = member(field, 'requiredDuringSchedulingIgnoredDuringExecution');
  const preferred = member(field, 'preferredDuringSchedulingIgnoredDuringExecution');
  return {
    required: readNodeSelectorTerms(required),
    preferred: heaviest(preferred, MOST_PREFERENCES).flatMap(readPreferred),
  };
}

/** Preferences of one kind that are read. Planning gives up the lightest first, and honours far fewer than these. */
export const MOST_PREFERENCES = 256;
/** Alternatives of a selector that are read, and expressions of one alternative. */
const MOST_TERMS = 1000;

/** The items with the greatest weights, in their order. */
export function heaviest(field: Field, most: number): readonly Field[] {
  const items = elements(field);
  if (items.length <= most) return items;
  warnUnread(field, most);
  const weights = items.map((item) => Number(member(item, 'weight').value) || 0);
  const byWeight = [...items.keys()].sort((left, right) => (weights[right] ?? 0) - (weights[left] ?? 0));
  const kept = new Set(byWeight.slice(0, most));
  return items.filter((_, index) => kept.has(index));
}

/**
 * nodeSelectorTerms, of which one must match; undefined when there is no selector. A term without expressions
 * matches no node (nodeaffinity of component-helpers) and is left out.
 */
export function readNodeSelectorTerms(field: Field): readonly NodeSelectorTerm[] | undefined {
  if (!hasObject(field)) return undefined;
  const terms = member(field, 'nodeSelectorTerms');
  const items = firstElements(terms, MOST_TERMS);
  if (items.length === 0) refuseMissing(terms);
  return items.map(readTerm).filter((term) => term !== undefined);
}

function readPreferred(field: Field): PreferredNodeTerm[] {
  const weight = readWeight(member(field, 'weight'));
  const term = readTerm(member(field, 'preference'));
  return weight === undefined || term === undefined ? [] : [{ weight, term }];
}

/** The weight of a preference; reported when it is missing. */
export function readWeight(field: Field): number | undefined {
  if (field.value === undefined) refuseMissing(field);
  return optionalInteger(field, 1, 100);
}

/** undefined for a term that matches no node: an empty one, or one with an expression that cannot be read. */
function readTerm(field: Field): NodeSelectorTerm | undefined {
  if (!hasObject(field)) return undefined;
  const labels = conjunction(
    firstElements(member(field, 'matchExpressions'), MOST_TERMS).map(readLabelExpression),
  );
  const fields = conjunction(
    firstElements(member(field, 'matchFields'), MOST_TERMS).map(readFieldExpression),
  );
  if (labels === undefined || fields === undefined || labels.size + fields.size === 0) return undefined;
  return { labels, fields };
}

function conjunction(items: readonly (Requirement | undefined)[]): Requirements | undefined {
  if (items.length === 0) return NO_REQUIREMENTS;
  const readable = items.filter((item) => item !== undefined);
  return readable.length < items.length ? undefined : requirementsOf(readable);
}

function readLabelExpression(field: Field): Requirement | undefined {
  const key = readLabelKey(member(field, 'key'));
  const operator = requiredChoice(member(field, 'operator'), LABEL_OPERATORS);
  const valuesField = member(field, 'values');
  const values = readValues(valuesField);
  if (key === undefined || operator === undefined) return undefined;
  const problem = problemOf(operator, values);
  if (problem === undefined) return requirementOver(canonicalLabel(key), operator, { valuesField, values });
  refuse(
    valuesField,
    `must have ${problem} with operator ${operator}, not [${values.slice(0, 5).join(', ')}]`,
  );
  return undefined;
}

function problemOf(
  operator: (typeof LABEL_OPERATORS)[number],
  values: readonly string[],
): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? undefined : 'at least one value';
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? undefined : 'no values';
    case 'Gt':
    case 'Lt':
      return values.length === 1 && isInteger(values[0]) ? undefined : 'exactly one integer';
  }
}

/**
 * Over those of the values that a label can have, so that no other ever becomes a label of a new node. The API server
 * checks values of required terms only, and in recent versions only (AllowInvalidLabelValueInRequiredNodeAffinity).
 * undefined when no node can match.
 */
function requirementOver(
  key: string,
  operator: (typeof LABEL_OPERATORS)[number],
  { valuesField, values }: { readonly valuesField: Field; readonly values: readonly string[] },
): Requirement | undefined {
  if (operator !== 'In' && operator !== 'NotIn') return requirement(key, operator, values);
  const kept = values.filter(isLabelValue);
  if (kept.length < values.length) {
    const wrong = values.find((value) => !isLabelValue(value));
    const text = `has ${describeValue(wrong)}, which no label can have as its value`;
    if (operator === 'In' && kept.length === 0) {
      refuse(valuesField, text);
      return undefined;
    }
    warn(valuesField, 'impossible-value', text);
  }
  return requirement(key, operator, kept);
}

/** What domain's `requirement` takes as a bound. */
function isInteger(text: string | undefined): boolean {
  return text !== undefined && /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text));
}

function readFieldExpression(field: Field): Requirement | undefined {
  const keyField = member(field, 'key');
  const key = requiredText(keyField);
  const operator = requiredChoice(member(field, 'operator'), FIELD_OPERATORS);
  const valuesField = member(field, 'values');
  const values = readValues(valuesField);
  if (key !== '' && key !== NODE_NAME)
    refuse(keyField, `must be ${NODE_NAME}, not ${describeValue(key)}`, {
      allowed: [NODE_NAME],
    });
  if (values.length !== 1) refuse(valuesField, 'must have exactly one node name');
  if (key !== NODE_NAME || operator === undefined || values.length !== 1) return undefined;
  return requirement(key, operator, values);
}

/** allowedTopologies of a StorageClass: terms of which one must match. */
export function readTopologySelector(field: Field): readonly NodeSelectorTerm[] | undefined {
  const terms = elements(field);
  if (terms.length === 0) return undefined;
  return terms.flatMap((term) => {
    const labels = conjunction(elements(member(term, 'matchLabelExpressions')).map(readTopologyExpression));
    return labels === undefined ? [] : [{ labels, fields: NO_REQUIREMENTS }];
  });
}

function readTopologyExpression(field: Field): Requirement | undefined {
  const key = readLabelKey(member(field, 'key'));
  const valuesField = member(field, 'values');
  const values = readValues(valuesField);
  if (values.length === 0) refuseMissing(valuesField);
  return key === undefined ? undefined : requirement(canonicalLabel(key), 'In', values);
}
