/**
 * IAM policy documents, read and held against a request as AWS does it: an explicit denial first, then what is allowed
 * (IAM user guide, policy evaluation logic and JSON policy elements).
 */
import { matchesWildcard } from '../model/wildcard.js';

/** What a request does to one resource. */
export interface AccessQuestion {
  /** `ec2:RunInstances`. */
  readonly action: string;
  /** An ARN; `*` for actions that have no resource. */
  readonly resource: string;
  /** Condition key, in lower case → its values. A key that is missing is not in the request. */
  readonly context: ReadonlyMap<string, readonly string[]>;
}

interface Statement {
  readonly sid: string;
  readonly isAllow: boolean;
  readonly actions: readonly string[];
  /** Whether `actions` are those that the statement is not about. */
  readonly isNotAction: boolean;
  readonly resources: readonly string[];
  readonly conditions: ConditionBlock;
}

export class PolicyDocument {
  readonly #statements: readonly Statement[];

  private constructor(statements: readonly Statement[]) {
    this.#statements = statements;
  }

  /** @throws TypeError naming what is no policy of version 2012-10-17, or what is not simulated. */
  static parse(document: unknown): PolicyDocument {
    const { Version, Statement: list } = objectOf(document, 'the policy');
    if (Version !== '2012-10-17') throw new TypeError(`Version ${String(Version)}: must be 2012-10-17`);
    const statements = Array.isArray(list) ? (list as readonly unknown[]) : [list];
    return new PolicyDocument(statements.map(readStatement));
  }

  allows(question: AccessQuestion): boolean {
    return this.#statements.some((statement) => statement.isAllow && isAbout(statement, question));
  }

  denies(question: AccessQuestion): boolean {
    return this.#statements.some((statement) => !statement.isAllow && isAbout(statement, question));
  }
}

const KNOWN = new Set(['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'Condition']);

function readStatement(value: unknown, index: number): Statement {
  const fields = objectOf(value, `Statement ${String(index)}`);
  const sid = typeof fields['Sid'] === 'string' ? fields['Sid'] : String(index);
  const unknown = Object.keys(fields).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw new TypeError(`Statement ${sid}: ${unknown} is not simulated`);
  const { Effect, Action, NotAction, Resource, Condition = {} } = fields;
  if (Effect !== 'Allow' && Effect !== 'Deny')
    throw new TypeError(`Statement ${sid}: Effect must be Allow or Deny, not ${String(Effect)}`);
  const conditions = Object.entries(objectOf(Condition, `Statement ${sid}: Condition`)).map(
    ([operator, keys]) => ({
      operator,
      keys: Object.entries(objectOf(keys, `Statement ${sid}: ${operator}`)).map(([key, values]) => ({
        key: key.toLowerCase(),
        values: textsOf(values, `Statement ${sid}: ${key}`),
      })),
    }),
  );
  return {
    sid,
    isAllow: Effect === 'Allow',
    actions: textsOf(NotAction ?? Action, `Statement ${sid}: Action`),
    isNotAction: NotAction !== undefined,
    resources: textsOf(Resource, `Statement ${sid}: Resource`),
    conditions,
  };
}

function isAbout(statement: Statement, { action, resource, context }: AccessQuestion): boolean {
  // Names of actions are compared without regard to case; ARNs are not.
  const isNamed = statement.actions.some((pattern) =>
    matchesWildcard(pattern.toLowerCase(), action.toLowerCase()),
  );
  return (
    isNamed !== statement.isNotAction &&
    statement.resources.some((pattern) => matchesWildcard(pattern, resource)) &&
    conditionHolds(statement.conditions, context)
  );
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new TypeError(`${what} must be an object`);
}

function textsOf(value: unknown, what: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return list.map((item) => {
    if (typeof item === 'string') return item;
    if (typeof item === 'boolean' || typeof item === 'number') return String(item);
    throw new TypeError(`${what} must be a text or a list of texts`);
  });
}

/** All of them must hold. */
type ConditionBlock = readonly {
  /** `StringEquals`, `ForAllValues:StringLike`, `StringEqualsIfExists`, `Null`. */
  readonly operator: string;
  readonly keys: readonly { readonly key: string; readonly values: readonly string[] }[];
}[];

type Context = ReadonlyMap<string, readonly string[]>;

interface Comparison {
  /** Whether the value of the request and one of the policy's agree. */
  readonly agrees: (actual: string, wanted: string) => boolean;
  /** Whether none of the policy's values may agree. */
  readonly isNegated: boolean;
}

const equals = (actual: string, wanted: string): boolean => actual === wanted;
const like = (actual: string, wanted: string): boolean => matchesWildcard(wanted, actual);
const sameBool = (actual: string, wanted: string): boolean => actual.toLowerCase() === wanted.toLowerCase();

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['StringEquals', { agrees: equals, isNegated: false }],
  ['StringNotEquals', { agrees: equals, isNegated: true }],
  ['StringLike', { agrees: like, isNegated: false }],
  ['StringNotLike', { agrees: like, isNegated: true }],
  ['ArnLike', { agrees: like, isNegated: false }],
  ['Bool', { agrees: sameBool, isNegated: false }],
]);

/** @throws TypeError naming an operator that is not simulated. */
function conditionHolds(block: ConditionBlock, context: Context): boolean {
  return block.every(({ operator, keys }) =>
    keys.every(({ key, values }) => holds(operator, context.get(key), values)),
  );
}

function holds(operator: string, actual: readonly string[] | undefined, wanted: readonly string[]): boolean {
  if (operator === 'Null') return wanted.includes(actual === undefined ? 'true' : 'false');
  const [, set, name = '', ifExists] =
    /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const comparison = COMPARISONS.get(name);
  if (comparison === undefined) throw new TypeError(`the condition operator ${operator} is not simulated`);
  const { agrees, isNegated } = comparison;
  const matches = (value: string): boolean => wanted.some((item) => agrees(value, item)) !== isNegated;
  // An empty or missing set satisfies ForAllValues, and never ForAnyValue.
  if (set === 'ForAllValues') return (actual ?? []).every(matches);
  if (actual === undefined) return set === undefined && (ifExists !== undefined || isNegated);
  return actual.some(matches);
}
