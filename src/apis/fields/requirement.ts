/** Requirements on node labels: `{key, operator, values, minValues}`. */
import * as z from 'zod';
import { canonicalLabel, isLabelValue } from '../../domain/values/labels.js';
import type { REQUIREMENT_OPERATORS } from '../../domain/values/requirement.js';
import { requirement, type Requirement } from '../../domain/values/requirement.js';
import { refuse, withRule, type Loose, type RuleContext, type RuleDetails } from '../decode/refuse.js';
import { nearest } from '../decode/nearest.js';
import { checkLabelKey, type LabelEra } from './label-rules.js';
import { CHECKED_VALUES, UNSUPPLIED } from './well-known-labels.js';

/** Operators before Karpenter 1.14. */
export const OLD_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const;

const BOUNDS: ReadonlySet<unknown> = new Set(['Gt', 'Lt', 'Gte', 'Lte']);
export const MOST_REQUIREMENTS = 100;
const MOST_MIN_VALUES = 50;

const KEY =
  'Label that the node must carry, for example kubernetes.io/arch or karpenter.k8s.aws/instance-family.';
export const VALUES =
  'Values that the operator compares with: at least one for In, exactly one whole number for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.';
const MIN_VALUES =
  'Minimum number of different values of this label that every launch must allow, from 1 to 50; keeps spot launches flexible.';

/** What one entry looks like once decoded. */
export interface RequirementDocument {
  readonly key: string;
  readonly operator: (typeof REQUIREMENT_OPERATORS)[number];
  readonly values?: readonly string[] | undefined;
  readonly minValues?: number | undefined;
}

/** The list of requirements as karpenter.sh/v1 has it. */
export function requirementList(
  era: LabelEra,
  operators: readonly RequirementDocument['operator'][],
): z.ZodType<RequirementDocument[], RequirementDocument[]> {
  const entry = z.strictObject({
    key: z
      .string()
      .superRefine((key, context) => {
        checkLabelKey(key, era, context);
      })
      .describe(KEY),
    operator: z.enum(operators).describe(operatorsText(operators)),
    values: z.array(z.string()).describe(VALUES).optional(),
    minValues: z.int().min(1).max(MOST_MIN_VALUES).describe(MIN_VALUES).optional(),
  });
  return z
    .array(withRule(entry, checkRequirement))
    .max(MOST_REQUIREMENTS)
    .describe(
      'Requirements on every node, in addition to the labels; all must be met. Pods narrow them further. At most 100.',
    );
}

/** What the operators mean, for people. */
export function operatorsText(operators: readonly string[]): string {
  const integers = operators.includes('Gte')
    ? 'Gt, Lt, Gte and Lte compare whole numbers'
    : 'Gt and Lt compare whole numbers';
  return `How the label is compared. In: one of the values. NotIn: none of them. Exists and DoesNotExist: the label alone. ${integers}.`;
}

/** The rules between operator, values and minValues. */
export function checkRequirement({ key, operator, values, minValues }: Loose, context: RuleContext): void {
  if (typeof key === 'string' && needsLabel(operator)) checkSupplied(key, context, { path: ['key'] });
  const given: readonly unknown[] = Array.isArray(values) ? values : [];
  const texts = given.filter((value) => typeof value === 'string');
  if (BOUNDS.has(operator)) {
    if (texts.length === given.length) checkBound(String(operator), texts, context);
    return;
  }
  texts.forEach((value, index) => {
    if (isLabelValue(value)) return;
    refuse(context, `is not a label value: ${JSON.stringify(value.slice(0, 80))}`, {
      path: ['values', index],
    });
  });
  if (operator !== 'In') return;
  if (given.length === 0) {
    refuse(context, 'needs at least one value with operator In', { path: ['values'], code: 'missing-value' });
    return;
  }
  if (typeof minValues === 'number' && texts.length < minValues) {
    refuse(
      context,
      `is ${String(minValues)}, but only ${String(texts.length)} values are given: with operator In there must be at least as many`,
      { path: ['minValues'] },
    );
  }
  if (typeof key === 'string') checkKnownValues(canonicalLabel(key), { texts, minValues }, context);
}

/** NotIn and DoesNotExist are met by a node without the label. */
function needsLabel(operator: unknown): boolean {
  return operator !== 'NotIn' && operator !== 'DoesNotExist';
}

/** Refuses a key that no node of Berth is planned with. */
export function checkSupplied(key: string, context: RuleContext, details: RuleDetails = {}): void {
  const advice = UNSUPPLIED.get(canonicalLabel(key));
  if (advice === undefined) return;
  refuse(context, `is a label that Berth plans no node with, so that no node can satisfy it: ${advice}`, {
    code: 'unsatisfiable',
    ...details,
  });
}

function checkBound(operator: string, values: readonly string[], context: RuleContext): void {
  const only = values.length === 1 ? (values[0] ?? '') : '';
  if (/^\+?\d+$/.test(only) && Number.isSafeInteger(Number(only))) return;
  const given = values.length === 0 ? 'none' : values.join(', ');
  refuse(context, `must be exactly one whole number of at least 0 with operator ${operator}, not ${given}`, {
    path: ['values'],
  });
}

/** With none of the known values nothing can ever match, and Karpenter marks the pool as not ready. */
function checkKnownValues(
  key: string,
  { texts, minValues }: { readonly texts: readonly string[]; readonly minValues: unknown },
  context: RuleContext,
): void {
  const allowed = CHECKED_VALUES.get(key);
  if (allowed === undefined || texts.length === 0) return;
  const known = texts.filter((value) => allowed.includes(value)).length;
  if (known === 0) {
    refuse(context, `has no valid value for ${key}: ${texts.join(', ')}`, {
      path: ['values'],
      allowed,
      guess: nearest(texts[0] ?? '', allowed),
    });
  } else if (typeof minValues === 'number' && known < minValues) {
    refuse(context, `is ${String(minValues)}, but only ${String(known)} of the values are valid for ${key}`, {
      path: ['minValues'],
      allowed,
    });
  }
}

/** The requirement as the domain has it, under the current name of its label. */
export function requirementOf({ key, operator, values, minValues }: RequirementDocument): Requirement {
  return requirement(canonicalLabel(key), operator, values ?? [], minValues ?? 0);
}
