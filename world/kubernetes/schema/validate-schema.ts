/** What a custom resource's schema refuses, in the words of kube-openapi's validation. */
import { required, unsupported, type FieldError } from '../objects/field-error.js';
import { equalJson, isObject, listAt, type JsonObject } from '../objects/json.js';
import { ruleErrors } from './schema-rules.js';

/** The schema at a place, the value there, and what was there before. */
interface Place {
  readonly schema: JsonObject;
  readonly value: unknown;
  readonly old: unknown;
  readonly at: string;
}

/** All that is wrong. */
export function schemaErrors(
  schema: unknown,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] {
  if (!isObject(schema)) return [];
  const errors = errorsAt({ schema, value: object, old, at: '' });
  // Rules are asked about objects that are otherwise sound.
  return errors.length > 0 ? errors : rulesAt({ schema, value: object, old, at: '' });
}

function errorsAt(place: Place): readonly FieldError[] {
  const { schema, value, at } = place;
  if (value === null && schema['nullable'] === true) return [];
  const wrongType = typeError(schema, value, at);
  if (wrongType !== undefined) return [wrongType];
  const enumeration = schema['enum'];
  if (Array.isArray(enumeration) && !enumeration.some((allowed) => equalJson(allowed, value)))
    return [unsupported(at, value, enumeration.map(String))];
  return [...valueErrors(place), ...branchErrors(place), ...childErrors(place)];
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
};

function typeError(schema: JsonObject, value: unknown, at: string): FieldError | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return Number.isInteger(value) || typeof value === 'string'
      ? undefined
      : wrong(at, value, 'integer,string');
  const type = schema['type'];
  if (typeof type !== 'string' || TYPES[type]?.(value) !== false) return undefined;
  return wrong(at, value, type);
}

function wrong(at: string, value: unknown, type: string): FieldError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const detail = `${at} in body must be of type ${type}: ${JSON.stringify(actual)}`;
  return { field: at, type: 'typeInvalid', value: actual, detail };
}

function valueErrors({ schema, value, at }: Place): readonly FieldError[] {
  if (typeof value === 'string') return textErrors(schema, value, at);
  const bounds = boundsOf(value);
  return bounds === undefined ? [] : boundErrors({ schema, value, at }, bounds);
}

/** What is measured, and the words for a value below or above its bounds. */
interface Bounds {
  readonly measured: number;
  readonly least: readonly [field: string, words: string];
  readonly most: readonly [field: string, words: string];
  readonly unit: string;
}

function boundsOf(value: unknown): Bounds | undefined {
  if (typeof value === 'number')
    return {
      measured: value,
      least: ['minimum', 'should be greater than or equal to'],
      most: ['maximum', 'should be less than or equal to'],
      unit: '',
    };
  if (typeof value === 'string')
    return {
      measured: Array.from(value).length,
      least: ['minLength', 'should be at least'],
      most: ['maxLength', 'should be at most'],
      unit: ' chars long',
    };
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  const [name, unit] = Array.isArray(value) ? ['Items', ' items'] : ['Properties', ' properties'];
  return {
    measured: Array.isArray(value) ? value.length : Object.keys(value).length,
    least: [`min${name}`, 'should have at least'],
    most: [`max${name}`, 'should have at most'],
    unit,
  };
}

function boundErrors(
  { schema, value, at }: Omit<Place, 'old'>,
  { measured, least, most, unit }: Bounds,
): readonly FieldError[] {
  const [low, high] = [schema[least[0]], schema[most[0]]];
  const errors: FieldError[] = [];
  if (typeof low === 'number' && measured < low)
    errors.push(refused(at, value, `${least[1]} ${String(low)}${unit}`));
  if (typeof high === 'number' && measured > high)
    errors.push(refused(at, value, `${most[1]} ${String(high)}${unit}`));
  return errors;
}

function textErrors(schema: JsonObject, value: string, at: string): readonly FieldError[] {
  const { pattern, format } = schema;
  const bounds = boundsOf(value);
  const errors = bounds === undefined ? [] : boundErrors({ schema, value, at }, bounds);
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
    return [...errors, refused(at, value, `should match '${pattern}'`)];
  if (format === 'date-time' && !isDateTime(value))
    return [...errors, refused(at, value, `must be of type date-time: ${JSON.stringify(value)}`)];
  return errors;
}

function isDateTime(value: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function refused(at: string, value: unknown, words: string): FieldError {
  return { field: at, type: 'invalid', value, detail: `${at} in body ${words}` };
}

/** anyOf, oneOf, allOf, not: beside int-or-string, which is a type here, seldom used. */
function branchErrors({ schema, value, old, at }: Place): readonly FieldError[] {
  const passes = (branch: unknown): boolean =>
    !isObject(branch) || errorsAt({ schema: branch, value, old, at }).length === 0;
  const any = listAt(schema, 'anyOf');
  const one = listAt(schema, 'oneOf');
  if (any.length > 0 && !any.some(passes))
    return [refused(at, value, 'must validate at least one schema (anyOf)')];
  if (one.length > 0 && one.filter(passes).length !== 1)
    return [refused(at, value, 'must validate one and only one schema (oneOf)')];
  if (schema['not'] !== undefined && passes(schema['not']))
    return [refused(at, value, 'must not validate the schema (not)')];
  return listAt(schema, 'allOf').flatMap((branch) =>
    isObject(branch) ? errorsAt({ schema: branch, value, old, at }) : [],
  );
}

function childErrors(place: Place): readonly FieldError[] {
  const { schema, value, at } = place;
  const missing = isObject(value)
    ? listAt(schema, 'required')
        .map(String)
        .filter((field) => !Object.hasOwn(value, field))
        .map((field) => required(at === '' ? field : `${at}.${field}`))
    : [];
  return [...missing, ...duplicateErrors(place), ...childrenOf(place).flatMap(errorsAt)];
}

/** Lists that are sets or maps have no item twice. */
function duplicateErrors({ schema, value, at }: Place): readonly FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (!Array.isArray(value) || (type !== 'map' && type !== 'set')) return [];
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String);
  const identity = (item: unknown): string =>
    JSON.stringify(type === 'set' ? item : keys.map((key) => (isObject(item) ? item[key] : undefined)));
  const seen = new Set<string>();
  return value.flatMap((item: unknown, index): readonly FieldError[] => {
    const key = identity(item);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const shown =
      type === 'set' || !isObject(item) ? item : Object.fromEntries(keys.map((each) => [each, item[each]]));
    return [{ field: `${at}[${String(index)}]`, type: 'duplicate', value: shown }];
  });
}

/** What a schema says about the parts of a value. metadata is checked elsewhere. */
function childrenOf({ schema, value, old, at }: Place): readonly Place[] {
  if (Array.isArray(value)) {
    const items = schema['items'];
    if (!isObject(items)) return [];
    return value.map((item: unknown, index) => ({
      schema: items,
      value: item,
      old: sameItem(schema, old, item),
      at: `${at}[${String(index)}]`,
    }));
  }
  if (!isObject(value)) return [];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const known = isObject(old) ? old : {};
  return Object.entries(value).flatMap(([field, below]) => {
    if (at === '' && field === 'metadata') return [];
    const own = Object.hasOwn(properties, field) ? properties[field] : schema['additionalProperties'];
    return isObject(own)
      ? [{ schema: own, value: below, old: known[field], at: at === '' ? field : `${at}.${field}` }]
      : [];
  });
}

/** Only items of maps can be matched with the ones from before. */
function sameItem(schema: JsonObject, old: unknown, item: unknown): unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String);
  return old.find(
    (each) => isObject(each) && isObject(item) && keys.every((key) => each[key] === item[key]),
  ) as unknown;
}

function rulesAt(place: Place): readonly FieldError[] {
  return [...ruleErrors(place), ...childrenOf(place).flatMap(rulesAt)];
}
