/** x-kubernetes-validations: rules in CEL about a value, or about its change. */
import { CelError } from '../cel/cel-syntax.js';
import { evaluateCel } from '../cel/evaluate-cel.js';
import type { FieldError } from '../objects/field-error.js';
import { isObject, listAt, textAt, type JsonObject } from '../objects/json.js';

export interface Ruled {
  readonly schema: JsonObject;
  readonly value: unknown;
  /** undefined: it is new. */
  readonly old: unknown;
  readonly at: string;
}

const TRANSITION = /\boldSelf\b/;
/** How the API server shows what a rule is about. */
const SHOWN: Readonly<Record<string, string>> = { object: 'object', array: 'array' };

/** Rules that cannot be evaluated here, since they call functions that are not known here, hold. */
export function ruleErrors({ schema, value, old, at }: Ruled): readonly FieldError[] {
  return listAt(schema, 'x-kubernetes-validations').flatMap((raw): readonly FieldError[] => {
    const rule = textAt(raw, 'rule');
    if (TRANSITION.test(rule) && old === undefined) return [];
    const problem = problemWith(raw, rule, { self: value, oldSelf: old });
    if (problem === undefined) return [];
    const field = `${at}${textAt(raw, 'fieldPath')}`.replace(/^\./, '');
    return [
      {
        field: field === '' ? '<nil>' : field,
        type: 'invalid',
        value: shown(schema, value),
        detail: problem,
      },
    ];
  });
}

function shown(schema: JsonObject, value: unknown): unknown {
  return SHOWN[textAt(schema, 'type')] ?? value;
}

function problemWith(raw: unknown, rule: string, variables: JsonObject): string | undefined {
  try {
    if (evaluateCel(rule, variables) === true) return undefined;
    return messageOf(raw, variables) ?? `failed rule: ${rule}`;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    if (error.message.startsWith('undeclared reference')) return undefined;
    return `rule evaluation error: ${error.message}`;
  }
}

function messageOf(raw: unknown, variables: JsonObject): string | undefined {
  const expression = textAt(raw, 'messageExpression');
  if (expression !== '' && isObject(raw)) {
    const message = evaluateCel(expression, variables);
    if (typeof message === 'string') return message;
  }
  const message = textAt(raw, 'message');
  return message === '' ? undefined : message;
}
