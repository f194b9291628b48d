/** The objects of one parsed text: the document itself, or the items of a List. */
import type { DocumentPath } from '../issue.js';

/** One object of the text: a document, or an item of a List. */
export interface Part {
  readonly value: unknown;
  /** `document 2`, `document 2 item 5`. */
  readonly place: string;
  /** From the document's root to the object. */
  readonly prefix: DocumentPath;
  /** What a List says about its items, which may leave it out. */
  readonly inherited: { readonly apiVersion: unknown; readonly kind: string } | undefined;
}

type PlainObject = Readonly<Record<string, unknown>>;

const MAX_LISTS_IN_LISTS = 3;

/** Takes Lists apart: v1 `List`, and the `PodList`s that the API server answers with. */
export function* partsOf(part: Part): Generator<Part> {
  const { value } = part;
  const items = isObject(value) && part.prefix.length < MAX_LISTS_IN_LISTS * 2 ? itemsOf(value) : undefined;
  if (items === undefined) {
    yield part;
    return;
  }
  const inherited = inheritedFrom(value as PlainObject);
  for (const [index, item] of items.entries()) {
    const place = `${part.place} item ${String(index + 1)}`;
    yield* partsOf({ value: item, place, prefix: [...part.prefix, 'items', index], inherited });
  }
}

function itemsOf({ kind, items }: PlainObject): readonly unknown[] | undefined {
  if (typeof kind !== 'string' || !kind.endsWith('List')) return undefined;
  if (items === null) return [];
  return Array.isArray(items) ? items : undefined;
}

function inheritedFrom({ apiVersion, kind }: PlainObject): Part['inherited'] {
  const itemKind = typeof kind === 'string' ? kind.slice(0, -'List'.length) : '';
  return itemKind === '' ? undefined : { apiVersion, kind: itemKind };
}

/** What a document says it is, before any of it is checked. */
export interface Head {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  /** '' when missing. */
  readonly name: string;
}

const NO_HEAD: Head = { apiVersion: undefined, kind: undefined, name: '' };

/** apiVersion and kind, as written or as the List implies, and metadata.name. */
export function headOf({ value, inherited }: Part): Head {
  if (!isObject(value)) return NO_HEAD;
  const { apiVersion, kind, metadata } = value;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return {
    apiVersion: apiVersion ?? inherited?.apiVersion,
    kind: kind ?? inherited?.kind,
    name: typeof name === 'string' ? name : '',
  };
}

/** `Kind/name`, or the place when one of them is missing. */
export function titleOf(part: Part, { kind, name }: Head): string {
  return typeof kind === 'string' && kind !== '' && name !== '' ? `${kind}/${name}` : part.place;
}

/** Whether the value is an object and not a list. */
export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value for a message: short, quoted, never a dump. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
