/** Label selectors, as text in queries (apimachinery's pkg/labels) and as objects (metav1.LabelSelector). */
import { badRequest } from '../objects/api-error.js';
import { isObject, listAt, textAt, textsAt } from '../objects/json.js';

export type Labels = Readonly<Record<string, string>>;
export type LabelPredicate = (labels: Labels) => boolean;

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

interface Term {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

const SET_TERM = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const VALUE_TERM = /^([^\s=!<>]+)\s*(==|=|!=|>|<)\s*([^\s=!<>]*)$/;
const KEY_TERM = /^(!?)\s*([^\s=!<>(),]+)$/;

/** `app=web,tier in (a, b),!canary`. @throws ApiError 400 */
export function parseLabelSelector(text: string): LabelPredicate {
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  return (labels) => terms.every((term) => holds(term, labels));
}

/** A metav1.LabelSelector: an empty one selects all, one that is missing nothing. */
export function labelSelectorOf(selector: unknown): LabelPredicate {
  if (!isObject(selector)) return () => false;
  const exact = Object.entries(textsAt(selector, 'matchLabels'));
  const terms = listAt(selector, 'matchExpressions').map(termOf);
  return (labels) =>
    exact.every(([key, value]) => labels[key] === value) && terms.every((term) => holds(term, labels));
}

/** A metav1.LabelSelector as text, for Scale's status. */
export function formatLabelSelector(selector: unknown): string {
  const exact = Object.entries(textsAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${value}`);
  const terms = listAt(selector, 'matchExpressions').map((expression) => formatTerm(termOf(expression)));
  return [...exact, ...terms].sort().join(',');
}

function formatTerm({ key, operator, values }: Term): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
}

function termOf(expression: unknown): Term {
  const values = listAt(expression, 'values').map(String);
  return { key: textAt(expression, 'key'), operator: textAt(expression, 'operator') as Operator, values };
}

/** Commas inside parentheses separate values, not terms. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let depth = 0;
  let term = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      terms.push(term);
      term = '';
    } else term += character;
  }
  return [...terms, term].map((each) => each.trim()).filter((each) => each !== '');
}

const OPERATORS = { '=': 'In', '==': 'In', '!=': 'NotIn', '>': 'Gt', '<': 'Lt' } as const;

function parseTerm(term: string, text: string): Term {
  const set = SET_TERM.exec(term);
  if (set !== null) {
    const [, key = '', word, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return { key, operator: word === 'in' ? 'In' : 'NotIn', values };
  }
  const valued = VALUE_TERM.exec(term);
  if (valued !== null) {
    const [, key = '', sign = '=', value = ''] = valued;
    return { key, operator: OPERATORS[sign as keyof typeof OPERATORS], values: [value] };
  }
  const [, negation, key] = KEY_TERM.exec(term) ?? [];
  if (key === undefined) throw badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);
  return { key, operator: negation === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}

function holds({ key, operator, values }: Term, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
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
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
  }
}
