/** Prices in USD per hour, to the millionth. */

/** The nearest millionth of a dollar, so that sums and comparisons of estimates do not depend on how they were multiplied. */
export function roundPrice(price: number): number {
  return Math.round(price * 1e6) / 1e6;
}
