/** A place in a plain JSON object, read as the type it should have; what does not fit is reported with its path. */
import type { DocumentPath } from '../issue.js';
import type { Finding } from './finding.js';

/** One value and the way to it. null is read as missing, as the API server does. */
export interface Field {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Field | undefined;
  /** Shared by all fields of one object. */
  readonly findings: Finding[];
}

/** The object itself. Findings of everything below collect in `findings`. */
export function rootField(value: unknown): Field {
  return { value, key: '', parent: undefined, findings: [] };
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
  const hint = typeof value === 'number' || typeof value === 'boolean' ? ': write it in quotes' : '';
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
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range =
    most < 2 ** 31 - 1 ? `from ${String(least)} to ${String(most)}` : `of at least ${String(least)}`;
  refuseType(field, `an integer ${range}`);
  return undefined;
}

/** One of a closed set, or undefined when it is missing or none of them. */
export function optionalChoice<T extends string>(field: Field, allowed: readonly T[]): T | undefined {
  const text = optionalText(field);
  if (text === undefined) return undefined;
  const found = allowed.find((choice) => choice === text);
  if (found === undefined) {
    const same = allowed.find((choice) => choice.toLowerCase() === text.toLowerCase());
    const message = `${JSON.stringify(shorten(text))} is not one of ${allowed.join(', ')}`;
    refuse(field, message, { allowed, guess: same });
  }
  return found;
}

/** One of a closed set; reported when it is missing, undefined then. */
export function requiredChoice<T extends string>(field: Field, allowed: readonly T[]): T | undefined {
  if (field.value === undefined) refuseMissing(field, allowed);
  return optionalChoice(field, allowed);
}

/** Reports an error about the value of this field. */
export function refuse(field: Field, message: string, more: Pick<Finding, 'allowed' | 'guess'> = {}): void {
  report(field, 'invalid-value', message, more);
}

/** Reports that the field must be given. */
export function refuseMissing(field: Field, allowed?: readonly string[]): void {
  report(field, 'missing-field', 'is missing', { allowed });
}

/** Reports something that is legal but will hurt. */
export function warn(field: Field, code: string, message: string): void {
  report(field, code, message, { severity: 'warning' });
}

/** `spec.containers[0].resources`. Keys that are not plain names stand in quotes. */
export function formatPath(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`;
    else if (PLAIN_KEY.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

const PLAIN_KEY = /^[A-Za-z][-\w]*$/;

/** Keys and indexes from the object to this field. */
export function pathOf(field: Field): DocumentPath {
  const path: (string | number)[] = [];
  for (let at: Field = field; at.parent !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}

function refuseType(field: Field, expected: string, hint = ''): void {
  report(field, 'invalid-type', `expected ${expected}, not ${describeValue(field.value)}${hint}`);
}

function report(field: Field, code: string, message: string, more: Partial<Finding> = {}): void {
  const path = pathOf(field);
  const subject = formatPath(path);
  const text = subject === '' ? message : `${subject}: ${message}`;
  field.findings.push({ severity: 'error', code, path, message: text, ...more });
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
