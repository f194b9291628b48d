/** The value of a CEL expression for given variables: what webhooks' matchConditions and the rules of custom resources need. */
import { isObject } from '../objects/json.js';
import { asList, asNumber, callFunction, operate } from './cel-functions.js';
import { parseCel } from './cel-parser.js';
import { CelError, type Expression } from './cel-syntax.js';

export type Variables = Readonly<Record<string, unknown>>;

type Call = Extract<Expression, { readonly is: 'call' }>;
type Binary = Extract<Expression, { readonly is: 'binary' }>;

/** Read once: the same rules are asked for every object. */
const parsed = new Map<string, Expression>();
const MOST_PARSED = 1000;

/** @throws CelError, when the text is no expression, or has no value for these variables */
export function evaluateCel(source: string, variables: Variables): unknown {
  let expression = parsed.get(source);
  if (expression === undefined) {
    expression = parseCel(source);
    if (parsed.size >= MOST_PARSED) parsed.clear();
    parsed.set(source, expression);
  }
  return evaluate(expression, variables);
}

function evaluate(expression: Expression, variables: Variables): unknown {
  switch (expression.is) {
    case 'literal':
      return expression.value;
    case 'name':
      return lookUp(variables, expression.name, 'undeclared reference to');
    case 'field':
      return lookUp(evaluate(expression.of, variables), expression.name, 'no such key:');
    case 'index':
      return elementOf(evaluate(expression.of, variables), evaluate(expression.key, variables));
    case 'call':
      return call(expression, variables);
    case 'list':
      return expression.items.map((item) => evaluate(item, variables));
    case 'map':
      return Object.fromEntries(
        expression.entries.map(([key, value]) => [
          String(evaluate(key, variables)),
          evaluate(value, variables),
        ]),
      );
    case 'unary':
      return unary(expression.operator, evaluate(expression.of, variables));
    case 'binary':
      return binary(expression, variables);
    case 'choice':
      return asTruth(evaluate(expression.condition, variables))
        ? evaluate(expression.then, variables)
        : evaluate(expression.otherwise, variables);
  }
}

function lookUp(within: unknown, name: string, complaint: string): unknown {
  if (isObject(within) && Object.hasOwn(within, name)) return within[name];
  throw new CelError(`${complaint} ${name}`);
}

function elementOf(of: unknown, key: unknown): unknown {
  if (!Array.isArray(of)) return lookUp(of, String(key), 'no such key:');
  const index = asNumber(key);
  if (index < 0 || index >= of.length) throw new CelError(`index out of bounds: ${String(index)}`);
  return of[index] as unknown;
}

function unary(operator: string, value: unknown): unknown {
  return operator === '!' ? !asTruth(value) : -asNumber(value);
}

function asTruth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new CelError('no such overload: a bool is needed');
  return value;
}

/** `false && error` is false, `true || error` is true, from either side. */
function binary({ operator, left, right }: Binary, variables: Variables): unknown {
  if (operator !== '&&' && operator !== '||')
    return operate(operator, evaluate(left, variables), evaluate(right, variables));
  const decisive = operator === '||';
  let failure: CelError | undefined;
  for (const side of [left, right]) {
    try {
      if (asTruth(evaluate(side, variables)) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

function call({ of, name, parameters }: Call, variables: Variables): unknown {
  const [first, second] = parameters;
  if (of === undefined && name === 'has' && first?.is === 'field') return hasField(first, variables);
  const macro = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
  if (of !== undefined && macro !== undefined && first?.is === 'name' && second !== undefined) {
    const holds = (value: unknown): unknown => evaluate(second, { ...variables, [first.name]: value });
    return macro(asList(evaluate(of, variables)), holds);
  }
  const values = parameters.map((each) => evaluate(each, variables));
  return callFunction(name, of === undefined ? values : [evaluate(of, variables), ...values]);
}

/** A field that is null counts as missing, as in objects of the API. */
function hasField(
  { of, name }: Extract<Expression, { readonly is: 'field' }>,
  variables: Variables,
): boolean {
  const within = evaluate(of, variables);
  if (!isObject(within)) throw new CelError(`no such overload: has(${name})`);
  return Object.hasOwn(within, name) && within[name] !== null && within[name] !== undefined;
}

type Macro = (list: readonly unknown[], of: (value: unknown) => unknown) => unknown;

const MACROS: Readonly<Record<string, Macro>> = {
  exists: (list, of) => list.some((item) => asTruth(of(item))),
  all: (list, of) => list.every((item) => asTruth(of(item))),
  exists_one: (list, of) => list.filter((item) => asTruth(of(item))).length === 1,
  filter: (list, of) => list.filter((item) => asTruth(of(item))),
  map: (list, of) => list.map((item) => of(item)),
};
