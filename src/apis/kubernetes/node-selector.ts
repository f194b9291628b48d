/** Node selector terms: of pods, PersistentVolumes and, in their own spelling, of StorageClasses. */
import type { NodeAffinity, NodeSelectorTerm, PreferredNodeTerm } from '../../domain/affinity.js';
import { NO_NODE_AFFINITY } from '../../domain/affinity.js';
import { canonicalLabel } from '../../domain/labels.js';
import { requirement, type Requirement } from '../../domain/requirement.js';
import { NO_REQUIREMENTS, requirementsOf, type Requirements } from '../../domain/requirements.js';
import { describeValue } from '../documents/part.js';
import {
  elements,
  hasObject,
  member,
  optionalInteger,
  refuse,
  refuseMissing,
  requiredChoice,
  requiredText,
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
  return { required: readNodeSelectorTerms(required), preferred: elements(preferred).flatMap(readPreferred) };
}

/**
 * nodeSelectorTerms, of which one must match; undefined when there is no selector. A term without expressions
 * matches no node (nodeaffinity of component-helpers) and is left out.
 */
export function readNodeSelectorTerms(field: Field): readonly NodeSelectorTerm[] | undefined {
  if (!hasObject(field)) return undefined;
  const terms = member(field, 'nodeSelectorTerms');
  const items = elements(terms);
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
  const labels = conjunction(elements(member(field, 'matchExpressions')).map(readLabelExpression));
  const fields = conjunction(elements(member(field, 'matchFields')).map(readFieldExpression));
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
  if (problem === undefined) return requirement(canonicalLabel(key), operator, values);
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
