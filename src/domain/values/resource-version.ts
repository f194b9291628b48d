/** Which of two versions of an object is the newer one. */

const DIGITS = /^[1-9]\d*$/;

/**
 * Whether `left` is older than `right`. Resource versions are decimal numbers without leading zeros, of any length
 * (Kubernetes 1.35: "Resource Version Comparison"); others say nothing, and nothing is older than they are.
 */
export function isOlder(left: string, right: string): boolean {
  if (left === right || !DIGITS.test(left) || !DIGITS.test(right)) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}
