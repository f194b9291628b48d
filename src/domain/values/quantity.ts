/** Kubernetes quantities, exact: a count of nano units in a bigint. */

/** A quantity in nano units (1 = 10⁻⁹); `1500m` is 1_500_000_000n. */
export type Quantity = bigint;

/** Text that is not a Kubernetes quantity. */
export class QuantityError extends Error {
  readonly text: string;

  constructor(text: string, why: string) {
    super(`quantity ${JSON.stringify(text.slice(0, 64))}: ${why}`);
    this.name = 'QuantityError';
    this.text = text;
  }
}

const NANO = 1_000_000_000n;
/** The largest amount that Kubernetes' integer accessors can tell. */
const MAX = (2n ** 63n - 1n) * NANO;

const BINARY: ReadonlyMap<string, bigint> = new Map([
  ['Ki', 2n ** 10n],
  ['Mi', 2n ** 20n],
  ['Gi', 2n ** 30n],
  ['Ti', 2n ** 40n],
  ['Pi', 2n ** 50n],
  ['Ei', 2n ** 60n],
]);

/** Decimal suffixes as powers of ten. */
const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

/** Sign, whole digits, fraction, then either an exponent or a suffix. */
const SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i|[numkMGTPE]?))$/;
const LONGEST_TEXT = 128;
/** More than any text of the longest length can make up for. */
const LARGEST_EXPONENT = 400;

/**
 * Reads a quantity as `resource.ParseQuantity` does: binary and decimal suffixes, decimal exponents, values finer than
 * a nano unit rounded away from zero. Values above int64 are capped there, whatever their suffix.
 * @throws QuantityError when the text is not a quantity.
 */
export function parseQuantity(text: string): Quantity {
  const match = text.length <= LONGEST_TEXT ? SYNTAX.exec(text) : null;
  if (!match)
    throw new QuantityError(text, 'expected a number with an optional suffix such as m, k, M, Ki, Mi or Gi');
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match;
  const digits = whole + fraction;
  if (digits === '') throw new QuantityError(text, 'expected digits before the suffix');
  const nanos = scale(
    BigInt(digits) * (BINARY.get(suffix) ?? 1n),
    power(exponent, suffix) - fraction.length + 9,
  );
  const capped = nanos > MAX ? MAX : nanos;
  return sign === '-' ? -capped : capped;
}

/** The power of ten that an exponent or a decimal suffix stands for. */
function power(exponent: string | undefined, suffix: string): number {
  if (exponent === undefined) return DECIMAL.get(suffix) ?? 0;
  return Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, Number(exponent)));
}

/** `magnitude` × 10^`power`, rounded up. */
function scale(magnitude: bigint, power: number): bigint {
  if (power >= 0) return magnitude * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (magnitude + divisor - 1n) / divisor;
}

/** Whole units, rounded away from zero (`Quantity.Value`); saturates at the largest safe integer. */
export function toUnits(quantity: Quantity): number {
  return safe(divideUp(quantity, NANO));
}

/** Thousandths, rounded away from zero (`Quantity.MilliValue`); saturates at the largest safe integer. */
export function toMillis(quantity: Quantity): number {
  return safe(divideUp(quantity, NANO / 1000n));
}

/** Division rounding away from zero: a fraction counts as a whole. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const rest = value % divisor;
  const quotient = value / divisor;
  if (rest === 0n) return quotient;
  return rest > 0n ? quotient + 1n : quotient - 1n;
}

function safe(value: bigint): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  if (value > limit) return Number.MAX_SAFE_INTEGER;
  return Number(value < -limit ? -limit : value);
}

/** Thousandths as a quantity: 1500 → `1500m`, 2000 → `2`. */
export function formatMillis(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${String(millis)}m`;
}

/** Bytes as the largest binary suffix that divides them: 1610612736 → `1536Mi`; odd byte counts stay plain. */
export function formatBytes(bytes: number): string {
  const suffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let step = 0;
  let value = bytes;
  while (value !== 0 && value % 1024 === 0 && step < suffixes.length - 1) {
    value /= 1024;
    step++;
  }
  return `${String(value)}${suffixes[step] ?? ''}`;
}
