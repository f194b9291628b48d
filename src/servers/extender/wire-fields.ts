/** Reading what kube-scheduler sends: Go's JSON, whose keys match in any case. */

/** What is wrong with a request, in words that name the field. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

export type WireObject = Readonly<Record<string, unknown>>;

/** The value under the key; one that differs in case only where there is none in this very case, as Go reads it. */
export function fieldOf(object: WireObject, key: string): unknown {
  if (Object.hasOwn(object, key)) return object[key];
  const lower = key.toLowerCase();
  const found = Object.keys(object).find((candidate) => candidate.toLowerCase() === lower);
  return found === undefined ? undefined : object[found];
}

/** @throws WireError when it is not an object. */
export function objectAt(value: unknown, path: string): WireObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WireObject;
  throw new WireError(`${path} is ${describe(value)}; it must be an object`);
}

/** The elements, none for null. @throws WireError when it is not a list. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new WireError(`${path} is ${describe(value)}; it must be a list`);
}

/** Longest name of a node (RFC 1123 subdomain), which is more than a UID has. */
export const LONGEST_NAME = 253;

/** Whether it can be the name of a node or a UID. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME;
}

/** The name of a node, or a UID; answers repeat them. @throws WireError when it can be neither. */
export function nameAt(value: unknown, path: string): string {
  if (isName(value)) return value;
  const found =
    typeof value === 'string' && value !== ''
      ? `a string of ${String(value.length)} characters`
      : describe(value);
  throw new WireError(
    `${path} is ${found}; it must be a non-empty string of at most ${String(LONGEST_NAME)} characters`,
  );
}

/** 0 for null. @throws WireError when it is not an integer. */
export function integerAt(value: unknown, path: string): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value)) return value as number;
  throw new WireError(`${path} is ${describe(value)}; it must be an integer`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value).slice(0, 64);
}
