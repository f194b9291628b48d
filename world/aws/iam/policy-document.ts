/**
 * IAM policy documents, read and held against a request as AWS does it: an explicit denial first, then what is allowed
 * (IAM user guide, policy evaluation logic and JSON policy elements).
 */
import { matchesWildcard } from '../model/wildcard.js';
import { conditionHolds, type ConditionBlock } from './policy-condition.js';

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
