/** Takes away what a structural schema does not know, and fills in its defaults (apiextensions-apiserver's structural schemas). */
import { isObject, type JsonObject } from '../objects/json.js';

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const EMBEDS = 'x-kubernetes-embedded-resource';

/** What every object may have, whatever its schema says. */
const ALWAYS = ['apiVersion', 'kind', 'metadata'];

/** The value without unknown fields, whose paths are added to `unknown`. */
export function pruneValue(schema: unknown, value: unknown, at: string, unknown: string[]): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value))
    return value.map((item, index) => pruneValue(schema['items'], item, `${at}[${String(index)}]`, unknown));
  if (!isObject(value)) return value;
  return pruneObject(schema, value, at, unknown);
}

/** The whole object: its metadata is not the schema's. */
export function pruneRoot(schema: unknown, object: JsonObject, unknown: string[]): JsonObject {
  return isObject(schema) ? pruneObject({ ...schema, [EMBEDS]: true }, object, '', unknown) : object;
}

function pruneObject(schema: JsonObject, value: JsonObject, at: string, unknown: string[]): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const others = schema['additionalProperties'];
  const always = schema[EMBEDS] === true ? ALWAYS : [];
  const keepsAll = schema[PRESERVES] === true || others === true;
  const kept: Record<string, unknown> = {};
  for (const [field, below] of Object.entries(value)) {
    const path = at === '' ? field : `${at}.${field}`;
    if (always.includes(field)) kept[field] = below;
    else if (Object.hasOwn(properties, field))
      kept[field] = pruneValue(properties[field], below, path, unknown);
    else if (isObject(others)) kept[field] = pruneValue(others, below, path, unknown);
    else if (keepsAll) kept[field] = below;
    else unknown.push(path);
  }
  return kept;
}

/** The value with the schema's defaults where it has nothing; null stands for nothing where null is not allowed. */
export function withSchemaDefaults(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => withSchemaDefaults(schema['items'], item));
  if (!isObject(value)) return value;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const filled: Record<string, unknown> = {};
  for (const [field, below] of Object.entries(value)) {
    const own = Object.hasOwn(properties, field) ? properties[field] : schema['additionalProperties'];
    if (below !== null || isNullable(own)) filled[field] = withSchemaDefaults(own, below);
  }
  for (const [field, own] of Object.entries(properties)) {
    if (filled[field] === undefined && hasDefault(own))
      filled[field] = withSchemaDefaults(own, own['default']);
  }
  return filled;
}

/** Where null is no value and there is a default, that holds. */
function isNullable(schema: unknown): boolean {
  return !hasDefault(schema) || schema['nullable'] === true;
}

function hasDefault(schema: unknown): schema is JsonObject {
  return isObject(schema) && schema['default'] !== undefined;
}
