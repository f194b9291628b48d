/**
 * The body of a call, with the node names left as the text that they are. kube-scheduler sends hundreds of names with each
 * pod, and most answers repeat them: they need not become values and text again.
 */
import { parseJson, type ParsedJson } from '../http/parse-json.js';
import { LONGEST_NAME } from './wire-fields.js';
import type { NamesText } from './wire-names.js';

/** Why it cannot be read, or what it is. */
export type ReadBody = Exclude<ParsedJson, { readonly value: unknown }> | WireBody;

export interface WireBody {
  readonly value: unknown;
  /** The names as they were sent. The value has an empty list in their place. */
  readonly names?: NamesText | undefined;
}

interface NamesPart extends NamesText {
  /** Where the names begin. */
  readonly start: number;
}

const KEY = Buffer.from('"NodeNames":[');
const END = Buffer.from(']}');
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;

/** Bytes that the name of a node has: those of an RFC 1123 subdomain, none of which JSON spells otherwise. */
const IN_NAME = new Uint8Array(256);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-.') IN_NAME[char.charCodeAt(0)] = 1;

/** Parses all but the names, or everything where it is not written as Go writes it: compact, and with the names last. */
export function readBody(bytes: Buffer, maxValues: number): ReadBody {
  const names = namesPart(bytes);
  if (names === undefined) return parseJson(bytes, maxValues);
  const rest = Buffer.concat([bytes.subarray(0, names.start), END]);
  const parsed = parseJson(rest, maxValues - names.count);
  return 'cause' in parsed ? parsed : { value: parsed.value, names };
}

/** The names of a body of which nothing else is looked at; undefined where it is not written as Go writes it. */
export function namesTextOf(bytes: Buffer): NamesText | undefined {
  return namesPart(bytes);
}

/**
 * What stands between the brackets of the list that ends the body. If the body with an empty list there is JSON, then the
 * list is the value of NodeNames in the outermost object: the bracket behind it is the last but one byte, and the key has
 * a comma or a brace before its quote, so that it cannot be the end of another one.
 */
function namesPart(bytes: Buffer): NamesPart | undefined {
  const start = bytes.lastIndexOf(OPEN_LIST) + 1;
  const end = bytes.length - END.length;
  const key = start - KEY.length;
  if (key < 1 || end <= start || bytes.compare(END, 0, END.length, end) !== 0) return undefined;
  const before = bytes[key - 1];
  if (before !== COMMA && before !== OPEN_OBJECT) return undefined;
  if (bytes.compare(KEY, 0, KEY.length, key, start) !== 0) return undefined;
  const count = countNames(bytes, start, end);
  return count === undefined ? undefined : { start, bytes: bytes.subarray(start, end), count };
}

/** How many names there are; undefined where the bytes are anything but names with quotes around and commas between. */
function countNames(bytes: Buffer, start: number, end: number): number | undefined {
  let count = 0;
  let at = start;
  for (;;) {
    if (bytes[at] !== QUOTE) return undefined;
    const first = ++at;
    while (IN_NAME[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] !== QUOTE || at === first || at - first > LONGEST_NAME) return undefined;
    count++;
    at++;
    if (at === end) return count;
    if (bytes[at] !== COMMA) return undefined;
    at++;
  }
}
