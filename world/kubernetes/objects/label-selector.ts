/** Label selectors, as text in queries (apimachinery's pkg/labels) and as objects (metav1.LabelSelector). */
import { badRequest } from './api-error.js';
import { isObject, listAt, textAt, textsAt } from './json.js';

export type Labels = Readonly<Record<string, string>>;
export type LabelPredicate = (labels: Labels) => boolean;

/** A requirement on one label: In, NotIn, Exists, DoesNotExist, Gt or Lt. */
export interface SelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** metav1.LabelSelector: empty selects everything, absent nothing. */
export interface LabelSelector {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly SelectorExpression[] | undefined;
}

type Term = Required<SelectorExpression> & { readonly values: readonly string[] };

const NO_LABELS: Labels = {};

const SET_TERM = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const VALUE_TERM = /^([^\s=!<>]+)\s*(==|=|!=|>|<)\s*([^\s=!<>]*)$/;
const KEY_TERM = /^(!?)\s*([^\s=!<>(),]+)$/;

/** `app=web,tier in (a, b),!canary`. @throws ApiError 400 */
export function parseLabelSelector(text: string): LabelPredicate {
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  return (labels) => terms.every((term) => holds(term, labels));
}

/** A LabelSelector of an object that was not checked yet. */
export function labelSelectorOf(selector: unknown): LabelPredicate {
  if (!isObject(selector)) return () => false;
  const checked = {
    matchLabels: textsAt(selector, 'matchLabels'),
    matchExpressions: listAt(selector, 'matchExpressions').map(termOf),
  };
  return (labels) => selects(checked, labels);
}

export function selects(selector: LabelSelector | undefined, labels: Labels = NO_LABELS): boolean {
  if (selector === undefined) return false;
  const { matchLabels = NO_LABELS, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => holds(expression, labels))
  );
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
  return { key: textAt(expression, 'key'), operator: textAt(expression, 'operator'), values };
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

/** Whether labels meet one requirement; an unknown operator is never met. */
export function holds({ key, operator, values = [] }: SelectorExpression, labels: Labels): boolean {
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
    case 'Lt':
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

/** Both sides are integers, of any size. */
function compares(operator: 'Gt' | 'Lt', value: string | undefined, bound: string | undefined): boolean {
  if (!isInteger(value) || !isInteger(bound)) return false;
  const difference = BigInt(value) - BigInt(bound);
  return operator === 'Gt' ? difference > 0n : difference < 0n;
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}
