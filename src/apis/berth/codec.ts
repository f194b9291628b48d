/** Codecs: one value says how a field of Berth's own kinds is read, written and described in its CustomResourceDefinition. */
import type { JsonObject } from '../../domain/policies/policy.js';
import {
  firstElements,
  hasObject,
  member,
  members,
  optionalChoice,
  optionalInteger,
  optionalText,
  refuse,
  refuseMissing,
  requiredChoice,
  requiredText,
  silenced,
  type Field,
} from '../kubernetes/object/field.js';
import { formatTime, readTime } from '../kubernetes/object/time.js';
import { describeValue } from '../documents/part.js';

/** One kind of value. */
export interface Codec<T> {
  /** Structural schema (OpenAPI v3, as CustomResourceDefinitions have it), without a description. */
  readonly schema: JsonObject;
  /** Whether objects must have a field of this kind, unless `field` says otherwise. */
  readonly isRequired: boolean;
  /** Never throws: what does not fit is reported on the field and left empty. */
  read(field: Field): T;
  /** undefined where an object leaves the field out. */
  write(value: T): unknown;
  /** What stands for an empty value where the field must be there: `[]`, `{}` or `''`. */
  readonly empty?: unknown;
}

/** A field of an object, for `kubectl explain` too. */
export interface Property<T> extends Codec<T> {
  readonly description: string;
  /** The name in JSON where it is not that of the domain. */
  readonly name?: string | undefined;
}

/** A field that is written from the whole object, for those who read the JSON; reading checks it and leaves it out. */
export interface DerivedProperty<Whole> extends Omit<Property<unknown>, 'write'> {
  readonly writeFrom: (whole: Whole) => unknown;
}

/** A value as it is read before it is known whether these fields, without which it is of no use, are there. */
export type Incomplete<T, Keys extends keyof T> = Omit<T, Keys> & {
  readonly [Key in Keys]: T[Key] | undefined;
};

/** A rule of the API server over several fields: x-kubernetes-validations. */
export interface Validation {
  /** In CEL. */
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

export interface FieldOptions {
  /** Where the definition asks for a field without which objects can be read all the same. */
  readonly isRequired?: boolean;
  /** See `Property`. */
  readonly name?: string;
}

/** Describes a field. */
export function field<T>(
  description: string,
  codec: Codec<T>,
  { isRequired = codec.isRequired, name }: FieldOptions = {},
): Property<T> {
  return { ...codec, description, isRequired, name };
}

/** Describes a field that is derived from the others. */
export function derived<Whole, T>(
  description: string,
  codec: Codec<T>,
  from: (whole: Whole) => T,
): DerivedProperty<Whole> {
  return { ...codec, description, writeFrom: (whole) => codec.write(from(whole)) };
}

export interface TextLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Text that must be there; '' where it is missing. */
export function text(limits: TextLimits): Codec<string> {
  return {
    schema: { type: 'string', ...limits },
    isRequired: true,
    read: requiredText,
    write: (value) => value,
  };
}

/** Text that is left out where it is empty. */
export function textOrEmpty(limits: TextLimits): Codec<string> {
  return {
    schema: { type: 'string', ...limits },
    isRequired: false,
    read: (at) => optionalText(at) ?? '',
    write: (value) => (value === '' ? undefined : value),
    empty: '',
  };
}

/** Text that may be missing; empty text is text. */
export function optionalTextOf(limits: TextLimits): Codec<string | undefined> {
  return optional({ schema: { type: 'string', ...limits }, read: optionalText, write: (value) => value });
}

/** Text for people: cut at `maxLength`, so that a long one does not keep the object from being written. */
export function message(maxLength: number): Codec<string> {
  const plain = textOrEmpty({ maxLength });
  const write = (value: string): unknown =>
    value.length <= maxLength ? plain.write(value) : `${value.slice(0, maxLength - 1)}…`;
  return { ...plain, write };
}

/** One of a closed set that must be there; undefined where it is missing or none of them. */
export function choice<T extends string>(allowed: readonly T[]): Codec<T | undefined> {
  return { ...optionalChoiceOf(allowed), isRequired: true, read: (at) => requiredChoice(at, allowed) };
}

/** Text that must be there and be one of a type; undefined where it is not. `pattern` says the same to the API server. */
export function textOf<T extends string>(
  pattern: string,
  is: (value: string) => value is T,
): Codec<T | undefined> {
  const plain = text({ pattern });
  return {
    ...plain,
    schema: { type: 'string', pattern },
    isRequired: true,
    read: (at) => {
      const value = plain.read(at);
      if (value === '' || is(value)) return value === '' ? undefined : value;
      refuse(at, `must match ${pattern}, not ${describeValue(at.value)}`);
      return undefined;
    },
    write: (value) => value,
  };
}

/** One of a closed set, or undefined. */
export function optionalChoiceOf<T extends string>(allowed: readonly T[]): Codec<T | undefined> {
  return optional({
    schema: { type: 'string', enum: allowed },
    read: (at) => optionalChoice(at, allowed),
    write: (value) => value,
  });
}

export interface IntegerLimits {
  readonly format?: 'int32' | 'int64';
  readonly minimum?: number;
  readonly maximum?: number;
}

const INT32 = 2 ** 31;

/** A whole number, or undefined. Without a `maximum` it is bounded by its format, an int32 unless it says otherwise. */
export function integer(limits: IntegerLimits): Codec<number | undefined> {
  const isLong = limits.format === 'int64';
  const least = limits.minimum ?? (isLong ? Number.MIN_SAFE_INTEGER : -INT32);
  const most = limits.maximum ?? (isLong ? Number.MAX_SAFE_INTEGER : INT32 - 1);
  return optional({
    schema: { type: 'integer', ...limits },
    read: (at) => optionalInteger(at, least, most),
    write: (value) => value,
  });
}

/** USD/h, or undefined. `minimum`: where it is never a loss. */
export function price(limits: { readonly minimum?: number } = {}): Codec<number | undefined> {
  return decimal('USD per hour', limits);
}

/** A number of something, or undefined. */
export function decimal(unit: string, limits: { readonly minimum?: number } = {}): Codec<number | undefined> {
  return optional({
    schema: { type: 'number', ...limits },
    read: (at) => {
      const { value } = at;
      if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
      refuse(at, `must be a number of ${unit}, not ${describeValue(value)}`);
      return undefined;
    },
    write: (value) => value,
  });
}

/** A time in milliseconds since 1970, or undefined. */
export const time: Codec<number | undefined> = optional({
  schema: { type: 'string', format: 'date-time' },
  read: readTime,
  write: (value) => (value === undefined ? undefined : formatTime(value)),
});

/** A boolean that is left out where it is false. */
export const flag: Codec<boolean> = optional({
  schema: { type: 'boolean' },
  read: ({ value }) => value === true,
  write: (value) => (value ? true : undefined),
  empty: false,
});

/** The codec, with a value for what is missing or cannot be read. */
export function withDefault<T>(codec: Codec<T | undefined>, value: T): Codec<T> {
  return { ...codec, read: (at) => codec.read(at) ?? value };
}

/** Most annotations, tags and the like that have a bound of their own. */
export interface MapLimits {
  readonly maxProperties: number;
  readonly maxLength: number;
}

/** Text under keys that are data; undefined where there is none. */
export function optionalTexts({
  maxProperties,
  maxLength,
}: MapLimits): Codec<ReadonlyMap<string, string> | undefined> {
  return optional({
    schema: { type: 'object', maxProperties, additionalProperties: { type: 'string', maxLength } },
    read: (at) =>
      at.value === undefined
        ? undefined
        : new Map(members(at).map((entry) => [String(entry.key), optionalText(entry) ?? ''])),
    write: (value) => value && Object.fromEntries(value),
  });
}

/**
 * A list, left out where it is empty. Items that read as undefined are left out. `keys`: the fields that tell items of a
 * list of the type `map` apart.
 */
export function list<T>(
  item: Codec<T | undefined>,
  { maxItems, keys, isAtomic = true }: ListLimits,
): Codec<readonly T[]> {
  const type = keys === undefined ? 'atomic' : 'map';
  return {
    schema: {
      type: 'array',
      maxItems,
      ...((isAtomic || keys !== undefined) && { 'x-kubernetes-list-type': type }),
      ...(keys !== undefined && { 'x-kubernetes-list-map-keys': keys }),
      items: item.schema,
    },
    isRequired: false,
    read: (at) => firstElements(at, maxItems).flatMap((each) => item.read(each) ?? []),
    write: (values) =>
      values.length === 0
        ? undefined
        : values.slice(0, maxItems).map((each) => item.write(each) ?? item.empty),
    empty: [],
  };
}

/** The same for a list that may be missing: an empty one reads as undefined. */
export function optionalList<T>(
  item: Codec<T | undefined>,
  limits: ListLimits,
): Codec<readonly T[] | undefined> {
  return mapped(list(item, limits), {
    read: (values) => (values.length === 0 ? undefined : values),
    write: (values) => values ?? [],
  });
}

export interface ListLimits {
  readonly maxItems: number;
  readonly keys?: readonly string[];
  /** Whether the definition says that a list without keys is replaced as a whole. */
  readonly isAtomic?: boolean;
}

export interface ObjectOptions {
  readonly validations?: readonly Validation[];
  readonly isOptional?: boolean;
}

type Properties<T, Derived extends string> = {
  readonly [Key in keyof T]-?: Property<T[Key]>;
} & Readonly<Record<Derived, DerivedProperty<T>>>;

/**
 * An object with these fields, in this order; `Derived` are those that T does not have. Where it is missing, its fields read
 * as missing, with one finding for all of them; without one where it is optional.
 */
export function object<T extends object, Derived extends string = never>(
  properties: Properties<T, Derived>,
  { validations = [], isOptional = false }: ObjectOptions = {},
): Codec<T> {
  const fields = Object.entries<Property<T[keyof T]> | DerivedProperty<T>>(properties);
  const entries = fields.map(([key, property]) => ({ key, name: property.name ?? key, property }));
  return {
    schema: {
      type: 'object',
      ...requiredOf(entries),
      ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
      properties: Object.fromEntries(entries.map(({ name, property }) => [name, describedSchema(property)])),
    },
    isRequired: !isOptional,
    read: (at) => {
      if (at.value === undefined && !isOptional) refuseMissing(at);
      const inside = hasObject(at) ? at : silenced({ ...at, value: undefined });
      const read: Record<string, unknown> = {};
      for (const { key, name, property } of entries) {
        const value = property.read(member(inside, name));
        if (!('writeFrom' in property)) read[key] = value;
      }
      return read as T;
    },
    write: (value) => {
      const written: Record<string, unknown> = {};
      for (const { key, name, property } of entries) {
        const own =
          'writeFrom' in property ? property.writeFrom(value) : property.write(value[key as keyof T]);
        const json = own ?? (property.isRequired ? property.empty : undefined);
        if (json !== undefined) written[name] = json;
      }
      return written;
    },
  };
}

/** The schema of a field with its description, as the definition has it. */
export function describedSchema({
  description,
  schema,
}: Pick<Property<unknown>, 'description' | 'schema'>): JsonObject {
  return { description, ...schema };
}

function requiredOf(
  entries: readonly { readonly name: string; readonly property: { readonly isRequired: boolean } }[],
): JsonObject {
  const required = entries.filter(({ property }) => property.isRequired).map(({ name }) => name);
  return required.length === 0 ? {} : { required };
}

/** The object, or undefined where there is none. */
export function optionalObject<T extends object>(codec: Codec<T>): Codec<T | undefined> {
  return optional({
    schema: codec.schema,
    read: (at) => (hasObject(at) ? codec.read(at) : undefined),
    write: (value) => value && codec.write(value),
  });
}

/** The same JSON for another type. `read` may report on the field. */
export function mapped<T, U>(
  codec: Codec<T>,
  { read, write }: { readonly read: (value: T, at: Field) => U; readonly write: (value: U) => T },
): Codec<U> {
  return {
    ...codec,
    read: (at) => read(codec.read(at), at),
    write: (value) => codec.write(write(value)),
  };
}

/** The same, where `read` may find that the value is of no use: it reads as undefined then. */
export function validated<T, U>(
  codec: Codec<T>,
  { read, write }: { readonly read: (value: T, at: Field) => U | undefined; readonly write: (value: U) => T },
): Codec<U | undefined> {
  return mapped<T | undefined, U | undefined>(
    { ...codec, write: (value) => value && codec.write(value) },
    {
      read: (value, at) => (value === undefined ? undefined : read(value, at)),
      write: (value) => (value === undefined ? undefined : write(value)),
    },
  );
}

function optional<T>(codec: Omit<Codec<T>, 'isRequired'>): Codec<T> {
  return { ...codec, isRequired: false };
}
