/** Fields of objects whose shape is not checked. */
import { plainObject, valueAt, type Plain } from '../../../apis/decode/plain.js';

/** The value at a path, or undefined. */
export function field(object: unknown, ...path: readonly string[]): unknown {
  return valueAt(object, path);
}

/** The objects of a list at a path; none where there is no list. */
export function fields(object: unknown, ...path: readonly string[]): readonly Plain[] {
  const list = valueAt(object, path);
  return Array.isArray(list) ? list.map(plainObject).filter((item) => item !== undefined) : [];
}

/** The text at a path; '' where there is none. */
export function text(object: unknown, ...path: readonly string[]): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** The number at a path, or undefined. */
export function number(object: unknown, ...path: readonly string[]): number | undefined {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : undefined;
}

export function nameOf(object: unknown): string {
  return text(object, 'metadata', 'name');
}

/** Whether status.conditions has the type with the status True. */
export function isTrue(object: unknown, type: string): boolean {
  return conditionOf(object, type)?.['status'] === 'True';
}

export function conditionOf(object: unknown, type: string): Plain | undefined {
  return fields(object, 'status', 'conditions').find((condition) => condition['type'] === type);
}

/** Whether the labels of an object have all of these. */
export function hasLabels(object: unknown, labels: unknown): boolean {
  const wanted = Object.entries(plainObject(labels) ?? {});
  return (
    wanted.length > 0 && wanted.every(([key, value]) => field(object, 'metadata', 'labels', key) === value)
  );
}
