/** zod's issues in Berth's words. */
import type * as z from 'zod';
import { describeValue } from '../documents/part.js';
import type { DocumentPath } from '../issue.js';
import type { Finding } from './findings.js';
import { nearest } from './nearest.js';
import type { RuleDetails } from './refuse.js';
import { movedFields } from './moved-fields.js';
import { fieldNames, objectAt } from './schema-tree.js';

/** Closed sets longer than this are not listed. */
const MOST_LISTED = 40;

type ZodIssue = z.core.$ZodIssue;

/** What is wrong, each worded when it is asked for; one zod issue may name many unknown fields. */
export function describeZodIssue(issue: ZodIssue, schema: z.ZodType): readonly (() => Finding)[] {
  const path = issue.path as DocumentPath;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => () => unknownField(path, key, schema));
  return [() => describeOne(issue, path)];
}

function describeOne(issue: ZodIssue, path: DocumentPath): Finding {
  if (issue.code === 'custom') return { code: 'invalid-value', text: issue.message, ...details(issue, path) };
  if (issue.input === undefined) return { code: 'missing-field', path, text: 'is required' };
  return describe(issue, path);
}

/** A rule's own details; its path is already part of the issue's. */
function details(
  issue: Extract<ZodIssue, { code: 'custom' }>,
  path: DocumentPath,
): RuleDetails & { path: DocumentPath } {
  return { ...(issue.params as RuleDetails | undefined), path };
}

function unknownField(parent: DocumentPath, key: string, schema: z.ZodType): Finding {
  const object = objectAt(schema, parent);
  const allowed = fieldNames(object);
  const listed = allowed.length > 0 && allowed.length <= MOST_LISTED ? { allowed } : {};
  const moved = object && movedFields.get(object)?.[key];
  const text = `is not a known field${moved === undefined ? '' : `: it belongs in ${moved}`}`;
  return {
    code: 'unknown-field',
    path: [...parent, key],
    text,
    guess: nearest(key, allowed),
    ...listed,
    at: 'key',
  };
}

function describe(issue: ZodIssue, path: DocumentPath): Finding {
  const not = `, not ${describeValue(issue.input)}`;
  const invalid = (text: string): Finding => ({ code: 'invalid-value', path, text: text + not });
  switch (issue.code) {
    case 'invalid_type':
      return {
        code: 'wrong-type',
        path,
        text: typeText(issue.expected, issue.input) + not + typeHint(issue),
      };
    case 'invalid_value':
      return { ...invalid(`must be ${listOf(issue.values)}`), ...choices(issue.values, issue.input) };
    case 'too_big':
      return {
        ...invalid(`must be at most ${String(issue.maximum)}${unitOf(issue.origin)}`),
        ...sizeText(issue, path),
      };
    case 'too_small':
      return {
        ...invalid(`must be at least ${String(issue.minimum)}${unitOf(issue.origin)}`),
        ...sizeText(issue, path),
      };
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return invalid(issue.message);
  }
}

function choices(values: readonly unknown[], input: unknown): Partial<Finding> {
  const allowed = values.map(String);
  return { allowed, guess: typeof input === 'string' ? nearest(input, allowed) : undefined };
}

function listOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' || origin === 'record' || origin === 'map' ? ' entries' : '';
}

/** Lists and strings are described by their size, not by their value. */
function sizeText(
  issue: Extract<ZodIssue, { code: 'too_big' | 'too_small' }>,
  path: DocumentPath,
): Partial<Finding> {
  const unit = unitOf(issue.origin);
  if (unit === '') return {};
  const size = sizeOf(issue.input);
  if (issue.code === 'too_small' && issue.minimum === 1) return { path, text: 'must not be empty' };
  const bound =
    issue.code === 'too_big' ? `at most ${String(issue.maximum)}` : `at least ${String(issue.minimum)}`;
  return { path, text: `must have ${bound}${unit}, not ${String(size)}` };
}

function sizeOf(input: unknown): number {
  if (typeof input === 'string' || Array.isArray(input)) return input.length;
  return typeof input === 'object' && input !== null ? Object.keys(input).length : 0;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

function typeText(expected: string, input: unknown): string {
  const isFraction = expected === 'int' || (expected === 'number' && typeof input === 'number');
  return `must be ${isFraction ? 'a whole number' : (TYPES.get(expected) ?? expected)}`;
}

const YAML_1_1_BOOLEANS = /^(?:y|yes|n|no|on|off|true|false)$/i;

/** How to write it instead, where the value shows what was meant. */
function typeHint(issue: Extract<ZodIssue, { code: 'invalid_type' }>): string {
  const { expected, input } = issue;
  if (expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')) {
    return `: write it in quotes, "${String(input)}"`;
  }
  if (expected === 'boolean' && typeof input === 'string' && YAML_1_1_BOOLEANS.test(input)) {
    const meant = /^(?:y|yes|on|true)$/i.test(input);
    return `: write ${String(meant)} without quotes (in YAML 1.2 only true and false are booleans)`;
  }
  const isDigits = typeof input === 'string' && /^-?\d+$/.test(input);
  return (expected === 'number' || expected === 'int') && isDigits ? `: write ${input} without quotes` : '';
}
