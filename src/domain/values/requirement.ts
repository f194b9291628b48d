/**
 * One label requirement as an exact set: which values of a key are allowed, and whether the label may be missing.
 * Intersection and membership are those of sets, so nothing is lost when requirements are combined.
 */

/** The operators of NodePool requirements and node affinity (Gte and Lte are Karpenter's). */
export const REQUIREMENT_OPERATORS = [
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
  'Gt',
  'Lt',
  'Gte',
  'Lte',
] as const;
export type RequirementOperator = (typeof REQUIREMENT_OPERATORS)[number];

export interface Requirement {
  readonly key: string;
  /** false: exactly `values` are allowed; true: all values but these. */
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  /** Smallest allowed integer value, or -Infinity. A bound allows integers only. */
  readonly atLeast: number;
  /** Largest allowed integer value, or Infinity. */
  readonly atMost: number;
  /** Whether a node without the label satisfies it. NotIn and DoesNotExist say yes, as in Kubernetes. */
  readonly absent: boolean;
  /** Least number of distinct values that a claim must keep open (Karpenter's minValues), or 0. */
  readonly minValues: number;
}

const NOTHING: ReadonlySet<string> = new Set();
const INTEGER = /^[+-]?\d+$/;

/**
 * Builds a requirement from an operator.
 * @throws RangeError when Gt, Lt, Gte or Lte is not given exactly one integer.
 */
export function requirement(
  key: string,
  operator: RequirementOperator,
  values: readonly string[] = [],
  minValues = 0,
): Requirement {
  const base: Requirement = {
    key,
    complement: true,
    values: NOTHING,
    atLeast: -Infinity,
    atMost: Infinity,
    absent: false,
    minValues,
  };
  switch (operator) {
    case 'In':
      return { ...base, complement: false, values: new Set(values) };
    case 'NotIn':
      return { ...base, values: new Set(values), absent: true };
    case 'Exists':
      return base;
    case 'DoesNotExist':
      return { ...base, complement: false, absent: true };
    case 'Gt':
      return { ...base, atLeast: bound(key, operator, values) + 1 };
    case 'Gte':
      return { ...base, atLeast: bound(key, operator, values) };
    case 'Lt':
      return { ...base, atMost: bound(key, operator, values) - 1 };
    case 'Lte':
      return { ...base, atMost: bound(key, operator, values) };
  }
}

function bound(key: string, operator: RequirementOperator, values: readonly string[]): number {
  const parsed = values.length === 1 ? integer(values[0] ?? '') : undefined;
  if (parsed !== undefined && Number.isSafeInteger(parsed)) return parsed;
  throw new RangeError(
    `${key} ${operator}: needs exactly one integer within ±(2^53 − 1), not [${values.join(', ')}]`,
  );
}

const INT64_MAX = 2n ** 63n - 1n;

/**
 * The text as an integer, or undefined. Kubernetes reads both sides of Gt and Lt as int64 and lets nothing else match.
 * Beyond 2^53 the nearest number is returned, which stays on the same side of every bound.
 */
function integer(text: string): number | undefined {
  if (!INTEGER.test(text)) return undefined;
  const parsed = Number(text);
  if (Number.isSafeInteger(parsed)) return parsed;
  const exact = BigInt(text.replace(/^\+/, ''));
  return exact <= INT64_MAX && exact >= -INT64_MAX - 1n ? parsed : undefined;
}

/** Whether a node with this value of the label (undefined: without the label) satisfies the requirement. */
export function allows(required: Requirement, value: string | undefined): boolean {
  if (value === undefined) return required.absent;
  return required.values.has(value) !== required.complement && withinBounds(required, value);
}

function withinBounds(required: Requirement, value: string): boolean {
  if (!isBounded(required)) return true;
  const number = integer(value);
  return number !== undefined && number >= required.atLeast && number <= required.atMost;
}

function isBounded(required: Requirement): boolean {
  return required.atLeast !== -Infinity || required.atMost !== Infinity;
}

/** What satisfies both. The keys must be equal; minValues becomes the larger one. */
export function intersect(left: Requirement, right: Requirement): Requirement {
  const bounds = {
    key: left.key,
    atLeast: Math.max(left.atLeast, right.atLeast),
    atMost: Math.min(left.atMost, right.atMost),
    absent: left.absent && right.absent,
    minValues: Math.max(left.minValues, right.minValues),
  };
  if (left.complement && right.complement) {
    const open = { ...bounds, complement: true, values: NOTHING };
    // Values that the bounds leave out anyway need no mention.
    const excluded = [...left.values, ...right.values].filter((value) => withinBounds(open, value));
    return { ...open, values: new Set(excluded) };
  }
  const [finite, other] = left.complement ? [right, left] : [left, right];
  const values = [...finite.values].filter((value) => allows(other, value) && withinBounds(finite, value));
  return { ...bounds, complement: false, values: new Set(values), atLeast: -Infinity, atMost: Infinity };
}

/** Whether no value satisfies it (a missing label still may, if `absent`). */
export function hasNoValue(required: Requirement): boolean {
  if (required.complement) return required.atLeast > required.atMost;
  return ![...required.values].some((value) => allows(required, value));
}

/** Whether nothing at all satisfies it, not even a missing label. */
export function isUnsatisfiable(required: Requirement): boolean {
  return !required.absent && hasNoValue(required);
}

/**
 * The requirement in words: `In [a, b]`, `NotIn [c]`, `Exists`, `Gte 5`; `In []` for one that nothing satisfies, and
 * `Exists and NotIn [c]` where a missing label is excluded too. Values are sorted.
 */
export function formatRequirement(required: Requirement): string {
  const values = `[${[...required.values].sort().map(formatValue).join(', ')}]`;
  if (!required.complement)
    return required.absent && required.values.size === 0 ? 'DoesNotExist' : `In ${values}`;
  const parts: string[] = [];
  if (required.values.size > 0) parts.push(`NotIn ${values}`);
  if (required.atLeast !== -Infinity) parts.push(`Gte ${String(required.atLeast)}`);
  if (required.atMost !== Infinity) parts.push(`Lte ${String(required.atMost)}`);
  if (!required.absent && !isBounded(required)) parts.unshift('Exists');
  return parts.length > 0 ? parts.join(' and ') : 'NotIn []';
}

/** An empty value is a value, and has to be seen. */
function formatValue(value: string): string {
  return value === '' ? '""' : value;
}
