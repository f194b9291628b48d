/** Values as the XML of the query protocols. */

/** undefined is left out; a list becomes one element per item. */
export type XmlValue = string | number | boolean | undefined | readonly XmlValue[] | NamedList | XmlStructure;

/** A list whose elements have a name of their own, as a few have. */
export class NamedList {
  readonly item: string;
  readonly values: readonly XmlValue[];

  constructor(item: string, values: readonly XmlValue[]) {
    this.item = item;
    this.values = values;
  }
}

export interface XmlStructure {
  readonly [name: string]: XmlValue;
}

/** The members as elements; `item` names the elements of lists (`item` in EC2, `member` in IAM). */
export function toXml(structure: XmlStructure, item: string): string {
  return Object.entries(structure)
    .map(([name, value]) => element(name, value, item))
    .join('');
}

function element(name: string, value: XmlValue, item: string): string {
  return value === undefined ? '' : `<${name}>${content(value, item)}</${name}>`;
}

function content(value: NonNullable<XmlValue>, item: string): string {
  if (typeof value === 'string') return escapeXml(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof NamedList) return content(value.values, value.item);
  if (isList(value)) return value.map((entry) => element(item, entry, item)).join('');
  return toXml(value, item);
}

function isList(value: object): value is readonly XmlValue[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
};

/** XML 1.0 has no way to write the other control characters. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"\r]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[^\t\n\r -\uFFFF]/g, '');
}

/** As AWS writes times in XML: `2026-01-01T00:00:00.000Z`. */
export function xmlTime(millis: number): string {
  return new Date(millis).toISOString();
}
