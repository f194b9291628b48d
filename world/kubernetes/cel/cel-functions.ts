/** Functions and operators of CEL that Kubernetes' expressions use (cel-spec, and k8s.io/apiserver/pkg/cel/library). */
import { equalJson, isObject } from '../objects/json.js';
import { CelError } from './cel-syntax.js';

type Values = readonly unknown[];

/** The functions that can be called on a value, or with it as their first parameter. */
const FUNCTIONS: Readonly<Record<string, (value: unknown, ...more: Values) => unknown>> = {
  size: sizeOf,
  startsWith: (value, start) => asText(value).startsWith(asText(start)),
  endsWith: (value, end) => asText(value).endsWith(asText(end)),
  contains: (value, part) => asText(value).includes(asText(part)),
  matches: (value, pattern) => new RegExp(asText(pattern), 'u').test(asText(value)),
  lowerAscii: (value) => asText(value).toLowerCase(),
  upperAscii: (value) => asText(value).toUpperCase(),
  trim: (value) => asText(value).trim(),
  replace: (value, from, to) => asText(value).replaceAll(asText(from), asText(to)),
  split: (value, separator) => asText(value).split(asText(separator)),
  join: (value, separator = '') => asList(value).map(asText).join(asText(separator)),
  indexOf: (value, part) =>
    Array.isArray(value) ? value.indexOf(part) : asText(value).indexOf(asText(part)),
  sum: (value) =>
    asList(value)
      .map(asNumber)
      .reduce((sum, each) => sum + each, 0),
  min: (value) => Math.min(...asList(value).map(asNumber)),
  max: (value) => Math.max(...asList(value).map(asNumber)),
  isSorted: (value) =>
    asList(value).every((each, index, list) => index === 0 || compare(list[index - 1], each) <= 0),
  string: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  int: (value) => Math.trunc(asNumber(Number(value))),
  double: (value) => asNumber(Number(value)),
};

/** @throws CelError */
export function callFunction(name: string, parameters: Values): unknown {
  const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (called === undefined) throw new CelError(`undeclared reference to '${name}'`);
  const [value, ...more] = parameters;
  return called(value, ...more);
}

const OPERATORS: Readonly<Record<string, (left: unknown, right: unknown) => unknown>> = {
  '==': equalJson,
  '!=': (left, right) => !equalJson(left, right),
  '<': (left, right) => compare(left, right) < 0,
  '<=': (left, right) => compare(left, right) <= 0,
  '>': (left, right) => compare(left, right) > 0,
  '>=': (left, right) => compare(left, right) >= 0,
  in: (value, within) => {
    if (Array.isArray(within)) return within.some((item) => equalJson(item, value));
    if (isObject(within)) return Object.hasOwn(within, asText(value));
    throw new CelError('no such overload: in');
  },
  '+': (left, right) => {
    if (Array.isArray(left)) return [...(left as Values), ...asList(right)];
    return typeof left === 'string' ? left + asText(right) : asNumber(left) + asNumber(right);
  },
  '-': (left, right) => asNumber(left) - asNumber(right),
  '*': (left, right) => asNumber(left) * asNumber(right),
  '/': (left, right) => quotient(asNumber(left), asNumber(right)),
  '%': (left, right) => asNumber(left) % asNumber(right),
};

/** @throws CelError */
export function operate(operator: string, left: unknown, right: unknown): unknown {
  const operation = OPERATORS[operator];
  if (operation === undefined) throw new CelError(`unknown operator ${operator}`);
  return operation(left, right);
}

/** Of whole numbers, whole. */
function quotient(left: number, right: number): number {
  if (right === 0) throw new CelError('division by zero');
  return Number.isInteger(left) && Number.isInteger(right) ? Math.trunc(left / right) : left / right;
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'string') {
    const other = asText(right);
    return left < other ? -1 : left > other ? 1 : 0;
  }
  return asNumber(left) - asNumber(right);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new CelError('no such overload: size');
}

export function asList(value: unknown): Values {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.keys(value);
  throw new CelError('no such overload: a list is needed');
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new CelError('no such overload: a string is needed');
  return value;
}

export function asNumber(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new CelError('no such overload: a number is needed');
  return value;
}
