/** Compares resourceVersions, as Kubernetes allows within one resource since 1.35 and has always done itself. */

const DECIMAL = /^\d+$/;

/** Whether the first is older; false when they are not numbers, as an aggregated API may have them. */
export function isOlder(one: string, other: string): boolean {
  if (one === other || !DECIMAL.test(one) || !DECIMAL.test(other)) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
