/** Numbers of the kubelet as CEL expressions over what is known of an instance type. Work is bounded by the length of the text. */
import { Environment } from '@marcbachmann/cel-js';
import { MOST_CHARACTERS } from '../../../apis/fields/amount.js';
import { CelExpressions, celLimits, celProblem } from '../../../apis/fields/cel-expressions.js';

/** What an expression knows of an instance type, as Karpenter names it. */
export interface InstanceVariables {
  readonly instance_type: string;
  readonly vcpus: number;
  readonly memory_mib: number;
  /** Network interfaces of the default network card. */
  readonly default_enis: number;
  readonly ips_per_eni: number;
  readonly max_pods: number;
}

/** A whole number; or a phrase with the reason why there is none, which reads on from the expression. */
export type Evaluated = { readonly value: number } | { readonly problem: string };

/** A function of the variables; or a phrase with what is wrong with the text. */
export type Compiled =
  { readonly evaluate: (variables: InstanceVariables) => Evaluated } | { readonly problem: string };

const MOST_NODES = 250;
const MOST_ARGUMENTS = 2;

/**
 * Comprehensions, regular expressions and maps are not among them: what they take is not bounded by their length.
 */
const FUNCTIONS = ['min', 'max', 'int', 'double', 'size', 'startsWith', 'endsWith', 'contains'];
const OPERATORS: ReadonlySet<string> = new Set([
  ...['value', 'id', 'call', 'rcall', 'list', 'in', '?:', '||', '&&', '!_', '-_'],
  ...['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'],
]);

const environment = createEnvironment();
const expressions = new CelExpressions<Exclude<Compiled, { problem: string }>>({
  parse: (text) => environment.parse(text),
  tooLong: (text) =>
    text.length > MOST_CHARACTERS
      ? `is ${String(text.length)} characters long; at most ${String(MOST_CHARACTERS)} are allowed`
      : undefined,
  operators: OPERATORS,
  refusedCall: (name) =>
    FUNCTIONS.includes(name) ? undefined : `must not call ${name}; functions are ${FUNCTIONS.join(', ')}`,
  use: (program, type) =>
    type === 'int' || type === 'double'
      ? { evaluate: (variables) => evaluate(program, variables) }
      : { problem: `must be an int or a double, not ${type}` },
});

/** Compiles a text once; what it answers for the same text is remembered. */
export function compileExpression(text: string): Compiled {
  return expressions.compile(text);
}

/** Karpenter's min and max take two numbers of either type; other functions are CEL's own. */
function createEnvironment(): Environment {
  const own = new Environment({ limits: celLimits(MOST_NODES, MOST_ARGUMENTS) });
  own.registerVariable('instance_type', 'string');
  for (const name of ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'])
    own.registerVariable(name, 'int');
  const isLess = (left: bigint | number, right: bigint | number): boolean => left < right;
  const isMore = (left: bigint | number, right: bigint | number): boolean => left > right;
  for (const [name, isWanted] of [
    ['min', isLess],
    ['max', isMore],
  ] as const)
    for (const [left, right, result] of [
      ['int', 'int', 'int'],
      ['int', 'double', 'double'],
      ['double', 'int', 'double'],
      ['double', 'double', 'double'],
    ] as const)
      own.registerFunction(
        `${name}(${left}, ${right}): ${result}`,
        (a: bigint | number, b: bigint | number) => {
          const chosen = isWanted(a, b) ? a : b;
          return result === 'double' ? Number(chosen) : chosen;
        },
      );
  return own;
}

/** Doubles are truncated. */
function evaluate(program: (variables: object) => unknown, variables: InstanceVariables): Evaluated {
  const integers = Object.entries(variables).map(([name, value]: [string, string | number]) => [
    name,
    typeof value === 'number' ? BigInt(value) : value,
  ]);
  try {
    const result = Number(program(Object.fromEntries(integers) as object));
    if (!Number.isFinite(result)) return { problem: `is ${String(result)}` };
    const value = Math.trunc(result);
    if (value < 0) return { problem: `is ${String(value)}, and must not be negative` };
    return Number.isSafeInteger(value) ? { value } : { problem: `is ${String(value)}, which is too large` };
  } catch (error) {
    return { problem: `cannot be evaluated: ${celProblem(error)}` };
  }
}
