/** A place in a plain JSON object, read as the type it should have; what does not fit is reported with its path. */
import { nearest } from '../../decode/nearest.js';
import { describeValue } from '../../documents/part.js';
import type { DocumentPath } from '../../issue.js';
import type { ObjectFinding } from './finding.js';

/** One value and the way to it. null is read as missing, as the API server does. */
export interface Field {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Field | undefined;
  /** Shared by all fields of one object. */
  readonly findings: ObjectFinding[];
}

/** The object itself. Findings of everything below collect in `findings`. */
export function rootField(value: unknown): Field {
  return { value: value ?? null, key: '', parent: undefined, findings: [] };
}

/** The same place with findings thrown away: for reading again what was reported already. */
export function silenced(field: Field): Field {
  return { ...field, findings: [] };
}

/**
 * A field of an object; its value is undefined when the field, or the object, is missing. `key` is a name that code
 * spells out, never one that every JavaScript object inherits; for keys out of data there is `members`.
 */
export function member(parent: Field, key: string): Field {
  const { value } = parent;
  const found = isObject(value) ? (value[key] ?? undefined) : undefined;
  return { value: found, key, parent, findings: parent.findings };
}

/** All fields of an object whose keys are data (labels, resources). */
export function members(field: Field): readonly Field[] {
  const { value } = field;
  if (value === undefined) return [];
  if (!isObject(value)) {
    refuseType(field, 'an object');
    return [];
  }
  return Object.entries(value).map(([key, item]) => {
    return { value: item ?? undefined, key, parent: field, findings: field.findings };
  });
}

/** The items of a list; none when it is missing. */
export function elements(field: Field): readonly Field[] {
  const { value, findings } = field;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    refuseType(field, 'a list');
    return [];
  }
  return (value as unknown[]).map((item, key) => ({
    value: item ?? undefined,
    key,
    parent: field,
    findings,
  }));
}

/**
 * The first items of a list, where each costs more to read than it takes to write: the API server stores 1.5 MiB of
 * them. What is left unread is reported.
 */
export function firstElements(field: Field, most: number): readonly Field[] {
  const { value } = field;
  if (!Array.isArray(value) || value.length <= most) return elements(field);
  warnUnread(field, most);
  return elements({ ...field, value: value.slice(0, most) });
}

/** Reports that only some items of a list are read. */
export function warnUnread(field: Field, read: number): void {
  const { length } = field.value as readonly unknown[];
  warn(field, 'too-many', `has ${String(length)} items, of which ${String(read)} are read`);
}

/** Whether there is an object here; anything else that is present is reported. */
export function hasObject(field: Field): boolean {
  if (field.value === undefined) return false;
  if (isObject(field.value)) return true;
  refuseType(field, 'an object');
  return false;
}

/** The text, or undefined when it is missing. */
export function optionalText(field: Field): string | undefined {
  const { value } = field;
  if (value === undefined || typeof value === 'string') return value;
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  const hint = isPlain ? `: write it in quotes, "${String(value)}"` : '';
  refuseType(field, 'text', hint);
  return undefined;
}

/** The text; reported when it is missing or empty. */
export function requiredText(field: Field): string {
  const text = optionalText(field);
  if (text === undefined ? field.value === undefined : text === '') refuseMissing(field);
  return text ?? '';
}

/** True only for `true`. */
export function flag(field: Field): boolean {
  const { value } = field;
  if (value === undefined || typeof value === 'boolean') return value === true;
  refuseType(field, 'true or false');
  return false;
}

/** The integer, or undefined when it is missing or not within the bounds. */
export function optionalInteger(field: Field, least: number, most: number): number | undefined {
  const { value } = field;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) refuseType(field, 'a whole number');
  else if (value < least) refuse(field, `must be at least ${String(least)}, not ${String(value)}`);
  else if (value > most) refuse(field, `must be at most ${String(most)}, not ${String(value)}`);
  else return value;
  return undefined;
}

/** One of a closed set, or undefined when it is missing or none of them. */
export function optionalChoice<T extends string>(field: Field, allowed: readonly T[]): T | undefined {
  const text = optionalText(field);
  if (text === undefined) return undefined;
  const found = allowed.find((choice) => choice === text);
  if (found !== undefined) return found;
  const message = `must be one of ${allowed.join(', ')}, not ${describeValue(text)}`;
  refuse(field, message, { allowed, guess: nearest(text, allowed) });
  return undefined;
}

/** One of a closed set; reported when it is missing, undefined then. */
export function requiredChoice<T extends string>(field: Field, allowed: readonly T[]): T | undefined {
  if (field.value === undefined) refuseMissing(field, allowed);
  return optionalChoice(field, allowed);
}

type Details = Partial<Pick<ObjectFinding, 'allowed' | 'guess' | 'at'>>;

/** Reports an error; `text` reads on from the path: `must be at most 100, not 500`. */
export function refuse(field: Field, text: string, details: Details = {}): void {
  report(field, { severity: 'error', code: 'invalid-value', text, ...details });
}

/** Reports that the field must be given. */
export function refuseMissing(field: Field, allowed?: readonly string[]): void {
  report(field, { severity: 'error', code: 'missing-field', text: 'is required', allowed });
}

/** Reports something that is legal but will hurt. */
export function warn(field: Field, code: string, text: string, details: Details = {}): void {
  report(field, { severity: 'warning', code, text, ...details });
}

function refuseType(field: Field, expected: string, hint = ''): void {
  const text = `must be ${expected}, not ${describeValue(field.value)}${hint}`;
  report(field, { severity: 'error', code: 'wrong-type', text });
}

function report(field: Field, finding: Omit<ObjectFinding, 'path'>): void {
  field.findings.push({ ...finding, path: pathOf(field) });
}

/** Keys and indexes from the object to this field. */
function pathOf(field: Field): DocumentPath {
  const path: (string | number)[] = [];
  for (let at: Field = field; at.parent !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}

/** Looked up once, since it is asked for every field that is read: thousands for one pod. */
const { isArray } = Array;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isArray(value);
}
