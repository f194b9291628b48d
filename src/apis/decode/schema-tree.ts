/** Walks zod schemas as trees of fields. */
import * as z from 'zod';
import type { DocumentPath } from '../issue.js';

/** The schema without what makes a field optional or gives it a default. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.unwrap();
  }
  return inner;
}

/** The schema of a field, list item or map value; undefined where anything goes. */
export function childSchema(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const outer = unwrap(schema);
  if (outer instanceof z.ZodObject) return fieldsOf(outer).get(String(step));
  if (outer instanceof z.ZodArray) return outer.element;
  return outer instanceof z.ZodRecord ? outer.valueType : undefined;
}

function fieldsOf(schema: z.ZodObject): ReadonlyMap<string, z.core.$ZodType> {
  return new Map(Object.entries(schema.shape));
}

/** The schema of an object at this path; undefined where there is none or its keys are free. */
export function objectAt(schema: z.core.$ZodType, path: DocumentPath): z.ZodObject | undefined {
  let current: z.core.$ZodType | undefined = schema;
  for (const step of path) current = current && childSchema(current, step);
  const found = current && unwrap(current);
  return found instanceof z.ZodObject ? found : undefined;
}

/** Names of the fields of an object. */
export function fieldNames(schema: z.ZodObject | undefined): readonly string[] {
  return schema === undefined ? [] : [...fieldsOf(schema).keys()];
}

/**
 * The value without null fields, which the API server treats as fields that are not there. Values of maps stay: there
 * a null is a mistake. Nothing is copied that has no nulls.
 */
export function withoutNulls(value: unknown, schema: z.core.$ZodType | undefined): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  const outer = unwrap(schema);
  if (Array.isArray(value)) {
    return outer instanceof z.ZodArray ? value.map((item) => withoutNulls(item, outer.element)) : value;
  }
  if (!(outer instanceof z.ZodObject)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field, childSchema(outer, key))]));
}
