/** The Condition element of a policy statement (IAM user guide, condition operators and set operators). */
import { matchesWildcard } from '../model/wildcard.js';

/** All of them must hold. */
export type ConditionBlock = readonly {
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
export function conditionHolds(block: ConditionBlock, context: Context): boolean {
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
