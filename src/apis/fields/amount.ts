/** Amounts of resources in documents: quantities per resource name. */
import * as z from 'zod';
import { isLabelKey } from '../../domain/values/labels.js';
import { QuantityError } from '../../domain/values/quantity.js';
import { parseAmount, type ResourceList } from '../../domain/values/resources.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';

const NOT_A_QUANTITY = 'must be a quantity such as 500m, 2 or 10Gi';

/** A quantity where Kubernetes takes text or a whole number. */
export const intOrQuantity = z.union([z.string(), z.int()], { error: NOT_A_QUANTITY });

type Amounts = Readonly<Record<string, string | number>>;

/** Resource name → quantity, text or whole number. */
export function amounts(
  description: string,
): z.ZodType<Record<string, string | number>, Record<string, string | number>> {
  return withRule(z.record(z.string(), intOrQuantity), checkAmounts).describe(description);
}

/** Resource name → quantity as text, for the kubelet's reservations. */
export function textAmounts(
  names: readonly string[],
  description: string,
): z.ZodType<Record<string, string>, Record<string, string>> {
  return withRule(z.record(z.string(), z.string()), (value, context) => {
    checkNames(value, names, context);
    checkAmounts(value, context);
  }).describe(description);
}

/** Resource name → quantity, or a CEL expression: what is no quantity and does not begin with `-` is one. */
export function amountsOrExpressions(
  names: readonly string[],
  description: string,
): z.ZodType<Record<string, string>, Record<string, string>> {
  return withRule(z.record(z.string(), z.string()), (value, context) => {
    checkNames(value, names, context);
    for (const [name, text] of Object.entries(value)) {
      if (typeof text !== 'string' || amountError(name, text) === undefined) continue;
      const wrong = expressionError(text);
      if (wrong !== undefined) refuse(context, wrong, { path: [name] });
    }
  }).describe(description);
}

/** Characters of a CEL expression. */
export const MOST_CHARACTERS = 1000;

function expressionError(text: string): string | undefined {
  if (text.trim() === '') return `${NOT_A_QUANTITY} or a CEL expression`;
  if (text.startsWith('-')) return `must not begin with -: ${text.slice(0, 40)}`;
  if (text.length <= MOST_CHARACTERS) return undefined;
  return `must be a quantity or a CEL expression of at most ${String(MOST_CHARACTERS)} characters, not ${String(text.length)}`;
}

/** Refuses keys that are not in a closed set. */
export function checkNames(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
  context: RuleContext,
): void {
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    refuse(context, `is not one of ${names.join(', ')}`, {
      path: [name],
      code: 'unknown-field',
      allowed: names,
      at: 'key',
    });
  }
}

function checkAmounts(value: Loose, context: RuleContext): void {
  for (const [name, amount] of Object.entries(value)) {
    if (!isLabelKey(name)) refuse(context, 'is not the name of a resource', { path: [name], at: 'key' });
    const wrong =
      typeof amount === 'string' || Number.isInteger(amount) ? amountError(name, String(amount)) : undefined;
    if (wrong !== undefined) refuse(context, wrong, { path: [name] });
  }
}

/** Why the text is no amount of the resource; undefined when it is one. */
export function amountError(resource: string, text: string): string | undefined {
  try {
    parseAmount(resource, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return text.trim().startsWith('-')
      ? `must not be negative, not ${text}`
      : `${NOT_A_QUANTITY}, not ${JSON.stringify(text.slice(0, 40))}`;
  }
}

/** Amounts that passed the schemas above, in the units of the domain; zeros stay, since a limit of 0 is a limit. */
export function resourceListOf(value: Amounts): ResourceList {
  return new Map(Object.entries(value).map(([name, amount]) => [name, parseAmount(name, String(amount))]));
}
