/** What is wrong with one field, in the words of apimachinery's pkg/util/validation/field. */
import { ApiError, type StatusCause, type Subject } from './api-error.js';

export interface FieldError {
  readonly field: string;
  readonly type: keyof typeof TYPES;
  readonly value?: unknown;
  readonly detail?: string | undefined;
}

/** How each is spelled, its reason in a Status, and whether the value is shown. */
const TYPES = {
  required: { words: 'Required value', reason: 'FieldValueRequired', shows: false },
  invalid: { words: 'Invalid value', reason: 'FieldValueInvalid', shows: true },
  typeInvalid: { words: 'Invalid value', reason: 'FieldValueTypeInvalid', shows: true },
  unsupported: { words: 'Unsupported value', reason: 'FieldValueNotSupported', shows: true },
  forbidden: { words: 'Forbidden', reason: 'FieldValueForbidden', shows: false },
  duplicate: { words: 'Duplicate value', reason: 'FieldValueDuplicate', shows: true },
  notFound: { words: 'Not found', reason: 'FieldValueNotFound', shows: true },
  tooLong: { words: 'Too long', reason: 'FieldValueTooLong', shows: false },
  tooMany: { words: 'Too many', reason: 'FieldValueTooMany', shows: true },
} as const;

export function required(field: string, detail = ''): FieldError {
  return { field, type: 'required', detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { field, type: 'invalid', value, detail };
}

export function unsupported(field: string, value: unknown, allowed: readonly string[]): FieldError {
  const names = [...allowed].sort().map((name) => JSON.stringify(name));
  return { field, type: 'unsupported', value, detail: `supported values: ${names.join(', ')}` };
}

/** 422 with all of them. `kind` stands where other refusals name the resource. */
export function invalidObject(kind: Subject, name: string, errors: readonly FieldError[]): ApiError {
  const causes = errors.map(causeOf);
  const texts = causes.map(({ field, message }) => `${field ?? ''}: ${message}`);
  const text = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${text}`, {
    name,
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.resource,
    causes,
  });
}

function causeOf({ field, type, value, detail = '' }: FieldError): StatusCause {
  const { words, reason, shows } = TYPES[type];
  const shown = shows ? `${words}: ${JSON.stringify(value ?? null)}` : words;
  return { reason, message: detail === '' ? shown : `${shown}: ${detail}`, field };
}
