/** Semantic versions (semver.org 2.0.0), as drivers write them into attributes. */

export interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[];
  /** Dot-separated identifiers after a hyphen; none of a release. */
  readonly before: readonly string[];
}

const SYNTAX = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** undefined for a text that is none. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, before] = SYNTAX.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { numbers: [major, minor, patch].map(BigInt), before: before?.split('.') ?? [] };
}

/** Negative where the left one comes first; what was built from the same release is equal. */
export function compareVersions(left: Version, right: Version): number {
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (left.before.length === 0 || right.before.length === 0) return right.before.length - left.before.length;
  for (const [at, part] of left.before.entries()) {
    const other = right.before[at];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return left.before.length - right.before.length;
}

/** Numbers come before other identifiers. */
function comparePart(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber && isOtherNumber) {
    const [one, other] = [BigInt(left), BigInt(right)];
    return one === other ? 0 : one < other ? -1 : 1;
  }
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left === right ? 0 : left < right ? -1 : 1;
}
