/** Whether a node matches the terms of a NodeSelector (core/v1). */
import { holds, type Labels, type SelectorExpression } from './label-selector.js';

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly SelectorExpression[] | undefined;
  readonly matchFields?: readonly SelectorExpression[] | undefined;
}

/** Terms are alternatives; one without expressions matches nothing. The only field is metadata.name. */
export function matchesNode(terms: readonly NodeSelectorTerm[], labels: Labels, name: string): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((expression) => holds(expression, labels)) &&
      matchFields.every((field) => holds(field, { 'metadata.name': name }) && field.key === 'metadata.name')
    );
  });
}
