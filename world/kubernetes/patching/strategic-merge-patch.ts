/**
 * Strategic Merge Patch: a merge patch that merges some lists by the key of their items, and knows directives
 * (apimachinery's pkg/util/strategicpatch).
 */
import { badRequest } from '../objects/api-error.js';
import { isObject, listAt, type JsonObject } from '../objects/json.js';
import { listMergeOf, type ListMerge } from './merge-keys.js';

const ORDER = '$setElementOrder/';
const REMOVALS = '$deleteFromPrimitiveList/';

/** @throws ApiError 400 for a patch that cannot be meant */
export function applyStrategicMergePatch(kind: string, target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw badRequest('a strategic merge patch must be an object');
  return mergeObjects(kind, isObject(target) ? target : {}, patch);
}

function mergeObjects(kind: string, target: JsonObject, patch: JsonObject): JsonObject {
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  if (patch['$patch'] === 'delete') return {};
  const merged: Record<string, unknown> = retained(target, patch);
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$')) continue;
    if (value === null) Reflect.deleteProperty(merged, field);
    else merged[field] = mergeValues({ kind, field }, merged[field], value);
  }
  for (const directive of Object.keys(patch)) {
    const field = directive.slice(directive.indexOf('/') + 1);
    if (directive.startsWith(REMOVALS)) merged[field] = removed(merged[field], patch[directive]);
    if (directive.startsWith(ORDER) && Array.isArray(merged[field]))
      merged[field] = inOrder(merged[field], listAt(patch, directive), listMergeOf(kind, field));
  }
  return merged;
}

/** `$retainKeys`: of the fields that are there, only those. */
function retained(target: JsonObject, patch: JsonObject): Record<string, unknown> {
  const keys = patch['$retainKeys'];
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([field]) => keys.includes(field)));
}

interface Place {
  readonly kind: string;
  readonly field: string;
}

function mergeValues({ kind, field }: Place, target: unknown, value: unknown): unknown {
  if (isObject(value)) return mergeObjects(kind, isObject(target) ? target : {}, value);
  if (!Array.isArray(value)) return value;
  const merge = listMergeOf(kind, field);
  if (merge === undefined) return value;
  const known: readonly unknown[] = Array.isArray(target) ? target : [];
  if (merge === 'set') return [...new Set([...known, ...(value as readonly unknown[])])];
  return mergeLists(kind, merge.key, known, value.filter(isObject));
}

function mergeLists(
  kind: string,
  key: string,
  known: readonly unknown[],
  patches: readonly JsonObject[],
): readonly unknown[] {
  if (patches.some((item) => item['$patch'] === 'replace'))
    return patches.filter((item) => item['$patch'] !== 'replace');
  let merged = [...known];
  for (const patch of patches) {
    if (patch[key] === undefined)
      throw badRequest(`map: ${JSON.stringify(patch)} does not contain declared merge key: ${key}`);
    const at = merged.findIndex((item) => isObject(item) && item[key] === patch[key]);
    if (patch['$patch'] === 'delete') merged = merged.filter((_, index) => index !== at);
    else if (at < 0) merged.push(mergeObjects(kind, {}, patch));
    else merged[at] = mergeObjects(kind, merged[at] as JsonObject, patch);
  }
  return merged;
}

function removed(known: unknown, gone: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(known) ? known : [];
  return Array.isArray(gone) ? list.filter((item) => !gone.includes(item)) : list;
}

/** Items in the order that the directive gives; those that it does not name stay behind the one that they stood behind. */
function inOrder(
  list: readonly unknown[],
  order: readonly unknown[],
  merge: ListMerge | undefined,
): readonly unknown[] {
  const identity = (item: unknown): unknown =>
    merge !== undefined && merge !== 'set' && isObject(item) ? item[merge.key] : item;
  const places = new Map(order.map((item, index) => [identity(item), index]));
  const known = list.filter((item) => places.has(identity(item)));
  known.sort((one, other) => (places.get(identity(one)) ?? 0) - (places.get(identity(other)) ?? 0));
  const sorted = known[Symbol.iterator]();
  return list.map((item) => (places.has(identity(item)) ? sorted.next().value : item));
}

function withoutDirectives(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !field.startsWith('$')));
}
