/** Paths of fields as managedFields writes them (FieldsV1): `f:name`, `k:{"name":"web"}` for items of merged lists, `v:"x"` for plain values. */
import { isObject, type JsonObject } from '../objects/json.js';
import { listMergeOf } from './merge-keys.js';

export type FieldPath = readonly string[];

/** All leaves of a value: what is no object, and lists that are replaced as a whole. */
export function leavesOf(kind: string, value: unknown, at: FieldPath = []): readonly FieldPath[] {
  if (isObject(value)) {
    const fields = Object.entries(value);
    if (fields.length === 0) return [at];
    return fields.flatMap(([field, below]) => leavesOf(kind, below, [...at, `f:${field}`]));
  }
  const merge = listMergeOf(kind, (at.at(-1) ?? '').slice(2));
  if (!Array.isArray(value) || merge === undefined) return [at];
  if (merge === 'set') return value.map((item) => [...at, `v:${JSON.stringify(item)}`]);
  return value.filter(isObject).flatMap((item) => {
    return leavesOf(kind, item, [...at, `k:${JSON.stringify({ [merge.key]: item[merge.key] })}`]);
  });
}

/** The value at the path; undefined where there is none. */
export function valueAtPath(value: unknown, path: FieldPath): unknown {
  return path.reduce((at, part) => {
    const index = indexOf(at, part);
    if (index !== undefined) return (at as readonly unknown[])[index];
    return isObject(at) && part.startsWith('f:') ? at[part.slice(2)] : undefined;
  }, value);
}

/** The value without what is at the path; items and objects of which only the identity is left go too. */
export function withoutPath(value: unknown, path: FieldPath): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (Array.isArray(value)) return listWithout(value, part, rest);
  const field = part.slice(2);
  if (!isObject(value) || !Object.hasOwn(value, field)) return value;
  const below = rest.length === 0 ? undefined : withoutPath(value[field], rest);
  if (below !== undefined) return { ...value, [field]: below };
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
}

function listWithout(list: readonly unknown[], part: string, rest: FieldPath): readonly unknown[] {
  const index = indexOf(list, part) ?? -1;
  if (index < 0) return list;
  const below = rest.length === 0 ? undefined : withoutPath(list[index], rest);
  const isBare = isObject(below) && part.startsWith('k:') && Object.keys(below).length === 1;
  return below === undefined || isBare ? list.toSpliced(index, 1) : list.with(index, below);
}

/** In a list: where the item is, -1 for nowhere; undefined for what is no list. */
function indexOf(value: unknown, part: string): number | undefined {
  if (!Array.isArray(value)) return undefined;
  const wanted: unknown = part.startsWith('f:') ? undefined : JSON.parse(part.slice(2));
  if (part.startsWith('v:')) return value.indexOf(wanted);
  if (!isObject(wanted)) return -1;
  const [[key, identity] = ['', undefined]] = Object.entries(wanted);
  return value.findIndex((item) => isObject(item) && item[key] === identity);
}

/** Nested as in managedFields. */
export function encodeFields(paths: readonly FieldPath[]): JsonObject {
  const root: Record<string, unknown> = {};
  for (const path of paths) {
    let at = root;
    for (const part of path) at = (at[part] ??= {}) as Record<string, unknown>;
  }
  return root;
}

/** The leaves of what `encodeFields` wrote. */
export function decodeFields(fields: unknown, at: FieldPath = []): readonly FieldPath[] {
  if (!isObject(fields)) return [];
  const entries = Object.entries(fields).filter(([part]) => part !== '.');
  if (entries.length === 0) return at.length === 0 ? [] : [at];
  return entries.flatMap(([part, below]) => decodeFields(below, [...at, part]));
}
