/** LabelSelector of apimachinery: matchLabels and matchExpressions, all of which must hold. */
import { EVERYTHING, type LabelSelector } from '../../../domain/values/label-selector.js';
import { requirement, type Requirement } from '../../../domain/values/requirement.js';
import { requirementsOf } from '../../../domain/values/requirements.js';
import { elements, hasObject, member, refuse, requiredChoice, type Field } from './field.js';
import { readLabelKey, readLabels, readValues } from './labels.js';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** The selector; undefined, which matches nothing, when it is missing. An empty one matches everything. */
export function readLabelSelector(field: Field): LabelSelector | undefined {
  if (!hasObject(field)) return undefined;
  const labels = readLabels(member(field, 'matchLabels'));
  const items: Requirement[] = [...labels].map(([key, value]) => requirement(key, 'In', [value]));
  for (const expression of elements(member(field, 'matchExpressions'))) {
    const item = readExpression(expression);
    if (item !== undefined) items.push(item);
  }
  return items.length === 0 ? EVERYTHING : { requirements: requirementsOf(items) };
}

function readExpression(field: Field): Requirement | undefined {
  const key = readLabelKey(member(field, 'key'));
  const operator = requiredChoice(member(field, 'operator'), OPERATORS);
  const valuesField = member(field, 'values');
  const values = readValues(valuesField);
  if (key === undefined || operator === undefined) return undefined;
  const listed = operator === 'In' || operator === 'NotIn';
  if (listed !== values.length > 0) {
    refuse(valuesField, `must have ${listed ? 'at least one value' : 'no values'} with operator ${operator}`);
    return undefined;
  }
  return requirement(key, operator, values);
}
