/** Whether selectors match labels (apimachinery's labels.Selector; NodeSelector of the core API). */
import type { LabelSelector, NodeSelectorTerm, SelectorExpression, StringMap } from './objects.js';

const NO_LABELS: StringMap = {};

/** An absent selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: StringMap = NO_LABELS): boolean {
  if (selector === undefined) return false;
  const { matchLabels = NO_LABELS, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => holds(expression, labels[expression.key]))
  );
}

/** Terms are alternatives; one without expressions matches nothing. */
export function matchesNode(terms: readonly NodeSelectorTerm[], labels: StringMap, name: string): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((expression) => holds(expression, labels[expression.key])) &&
      matchFields.every((field) => field.key === 'metadata.name' && holds(field, name))
    );
  });
}

function holds({ operator, values = [] }: SelectorExpression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

function compares(operator: 'Gt' | 'Lt', value: string | undefined, bound: string | undefined): boolean {
  if (!isInteger(value) || !isInteger(bound)) return false;
  const difference = BigInt(value) - BigInt(bound);
  return operator === 'Gt' ? difference > 0n : difference < 0n;
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}
