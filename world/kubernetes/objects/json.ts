/** Plain JSON values: looked into without trust, changed by copying. */
import type { JsonObject } from '../../../src/domain/policies/policy.js';

export type { JsonObject };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const field of path) {
    if (!isObject(at) || !Object.hasOwn(at, field)) return undefined;
    at = at[field];
  }
  return at;
}

/** The object there; an empty one where there is none. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : {};
}

/** The list there; an empty one where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text there; '' where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The number there; 0 where there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** The texts of a map of texts; what is none is left out. */
export function textsAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(value, ...path));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The object with another value at the path; with undefined, without that field. What is on the way is made. */
export function withValue<T extends JsonObject>(object: T, path: readonly string[], value: unknown): T {
  const [field, ...rest] = path;
  if (field === undefined) return object;
  const below = rest.length === 0 ? value : withValue(objectAt(object, field), rest, value);
  return (below === undefined ? compact(object, field) : { ...object, [field]: below }) as T;
}

/** The object without fields that are undefined, and without the fields named. */
export function compact(object: JsonObject, ...dropped: readonly string[]): JsonObject {
  const entries = Object.entries(object);
  return Object.fromEntries(entries.filter(([key, value]) => value !== undefined && !dropped.includes(key)));
}

/** Whether two values say the same, whatever the order of fields. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => equalJson(item, other[index]))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const fields = definedFields(one);
  return (
    fields.length === definedFields(other).length &&
    fields.every((field) => Object.hasOwn(other, field) && equalJson(one[field], other[field]))
  );
}

function definedFields(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((field) => object[field] !== undefined);
}

/** Defaults where the object has no value, or null. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  const missing = Object.entries(defaults).filter(
    ([field, value]) => value !== undefined && (object[field] === undefined || object[field] === null),
  );
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
}
