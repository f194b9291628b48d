/** JSON Merge Patch, RFC 7396. */
import { isObject } from '../objects/json.js';

/** Fields of the patch replace those of the target; null takes one away. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, field);
    else merged[field] = applyMergePatch(merged[field], value);
  }
  return merged;
}
