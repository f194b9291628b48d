/** What a field of a policy means: `berth explain nodepool.spec.disruption.budgets`. */
import { type PolicyKind, policyKinds } from '../conversion/policy-kinds.js';
import { nearest } from '../decode/nearest.js';
import { type JsonSchema, schemaFor } from './schema-for.js';

/** One field; `children` are those directly below it, empty for plain values. */
export interface FieldExplanation {
  readonly found: true;
  /** As it is spelled in the schema: `NodePool.spec.disruption.budgets`. */
  readonly path: string;
  readonly apiVersion: string;
  /** `string`, `integer`, `boolean`, `Object`, `[]Object`, `map[string]string`, … */
  readonly type: string;
  readonly required: boolean;
  /** As JSON; undefined when there is none or the description tells it. */
  readonly default: unknown;
  readonly allowed: readonly string[];
  /** Range or size, such as `1 to 100`; '' when there is none. */
  readonly bounds: string;
  readonly description: string;
  readonly children: readonly FieldSummary[];
}

export type FieldSummary = Omit<FieldExplanation, 'found' | 'path' | 'apiVersion' | 'children'> & {
  readonly name: string;
};

/** There is no such kind or field. */
export interface UnknownField {
  readonly found: false;
  readonly message: string;
  /** What could stand where the path went wrong. */
  readonly allowed: readonly string[];
  readonly guess: string | undefined;
}

interface Place {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/**
 * Explains `<kind>[.<field>…]`: kinds and their short names in any case, lists stepped into without an index (one may be
 * given), keys of maps as one step each.
 */
export function explainField(path: string): FieldExplanation | UnknownField {
  const [name = '', ...steps] = stepsOf(path);
  const kind = findKind(name);
  if (kind === undefined) return unknownKind(name);
  let place: Place = { name: kind.kind, schema: schemaFor(kind), required: true };
  const names = [kind.kind];
  for (const [index, step] of steps.entries()) {
    const next = childOf(place.schema, step, steps.slice(index));
    if ('allowed' in next) return unknownField(names.join('.'), step, next.allowed);
    place = next;
    names.push(place.name);
    if (next.endsPath) break;
  }
  return {
    found: true,
    path: names.join('.'),
    apiVersion: kind.apiVersion,
    ...meaningOf(place),
    children: childrenOf(place.schema),
  };
}

/** Steps between dots; `[3]`, `[]` and `["a.b/c"]` are steps too. */
function stepsOf(path: string): string[] {
  const steps = path.match(/\["[^"]*"\]|\[\d*\]|[^.[\]]+/g) ?? [];
  return steps.filter((step) => !/^\[\d*\]$/.test(step)).map((step) => step.replace(/^\["|"\]$/g, ''));
}

/** The newest version that goes by the name; `Kind` and its short names in any case. */
function findKind(name: string): PolicyKind | undefined {
  const folded = name.toLowerCase();
  return policyKinds().find((item) => item.names.includes(folded));
}

function unknownKind(name: string): UnknownField {
  const allowed = policyKinds()
    .filter((item) => item.names.length > 0)
    .map((item) => item.kind);
  const names = policyKinds().flatMap((item) => item.names);
  const guess = nearest(name, [...allowed, ...names]);
  return { found: false, message: `there is no kind ${JSON.stringify(name)} to explain`, allowed, guess };
}

function unknownField(parent: string, step: string, allowed: readonly string[]): UnknownField {
  const message =
    allowed.length === 0 ? `${parent} has no fields` : `${parent} has no field ${JSON.stringify(step)}`;
  return { found: false, message, allowed, guess: nearest(step, allowed) };
}

/** A list's items stand for the list. */
function inner(schema: JsonSchema): JsonSchema {
  return schema.items === undefined ? schema : inner(schema.items);
}

type Child = (Place & { readonly endsPath: boolean }) | { readonly allowed: readonly string[] };

function childOf(parent: JsonSchema, step: string, rest: readonly string[]): Child {
  const { properties = {}, required = [], additionalProperties } = inner(parent);
  const name = [step, step.toLowerCase()].reduce<string | undefined>(
    (found, wanted) =>
      found ?? Object.keys(properties).find((key) => key === wanted || key.toLowerCase() === wanted),
    undefined,
  );
  const schema = name === undefined ? undefined : properties[name];
  if (name !== undefined && schema !== undefined)
    return { name, schema, required: required.includes(name), endsPath: false };
  if (typeof additionalProperties !== 'object') return { allowed: Object.keys(properties) };
  // Keys of maps are data, and labels have dots of their own.
  return { name: rest.join('.'), schema: additionalProperties, required: false, endsPath: true };
}

function childrenOf(schema: JsonSchema): readonly FieldSummary[] {
  const { properties = {}, required = [] } = inner(schema);
  return Object.entries(properties).map(([name, child]) => ({
    name,
    ...meaningOf({ name, schema: child, required: required.includes(name) }),
  }));
}

function meaningOf({ schema, required }: Place): Omit<FieldSummary, 'name'> {
  const item = inner(schema);
  return {
    type: describeType(schema),
    required,
    default: schema.default,
    allowed: (item.enum ?? (item.const === undefined ? [] : [item.const])).map(String),
    bounds: boundsOf(schema),
    description: schema.description ?? item.description ?? '',
  };
}

/** `string`, `[]Object`, `map[string]integer or string`, … */
function describeType(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return alternatives(schema.anyOf.map(describeType));
  if (schema.items !== undefined) return `[]${describeType(schema.items)}`;
  if (schema.type !== 'object')
    return typeof schema.type === 'object' ? alternatives(schema.type) : (schema.type ?? 'any');
  const { properties, additionalProperties } = schema;
  return properties === undefined && typeof additionalProperties === 'object'
    ? `map[string]${describeType(additionalProperties)}`
    : 'Object';
}

function alternatives(types: readonly string[]): string {
  return [...types].sort().join(' or ');
}

/** `1 to 100`, `at least 0`, `at most 50 entries`; '' when nothing bounds it. */
function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength } = schema;
  return [
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' entries'),
    range(minLength, maxLength, ' characters'),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${String(least)} to ${String(most)}${unit}`;
  if (least !== undefined) return `at least ${String(least)}${unit}`;
  return most === undefined ? '' : `at most ${String(most)}${unit}`;
}
