/** Reads JSON with the platform's parser, and finds places in it with a scan of the text. */
import type { DocumentPath } from '../issue.js';
import type { PairPart } from './document.js';
import type { ParsedText } from './parsed-text.js';

/**
 * Parses a text that looks like JSON; undefined when it is not valid JSON or repeats a key (which JSON.parse would
 * not tell): the YAML reader says what is wrong with it, since YAML contains JSON.
 */
export function parseJson(text: string): ParsedText | undefined {
  if (!looksLikeJson(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (countKeys(value) !== countColons(text)) return undefined;
  const places = new JsonPlaces(text);
  return { value, faults: [], hasAliases: false, offsetOf: (path, part) => places.find(path, part) };
}

/** Whether the text begins as an object or a list of JSON does. */
export function looksLikeJson(text: string): boolean {
  const first = /\S/.exec(text)?.[0];
  return first === '{' || first === '[';
}

/** Commas, colons and brackets outside of strings: about two for each value. */
export function countTokens(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (SIGNS.has(code)) count++;
  }
  return count;
}

const SIGNS: ReadonlySet<number> = new Set(Array.from(',:[]{}', (sign) => sign.charCodeAt(0)));

/** Keys of all objects in the value; iterative, since JSON may be nested deeper than the stack. */
function countKeys(root: unknown): number {
  let count = 0;
  const open = [root as Readonly<Record<string, unknown>>];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const isList = Array.isArray(value);
    for (const key in value) {
      if (!isList) count++;
      const child = value[key];
      if (isContainer(child)) open.push(child);
    }
  }
  return count;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Colons outside strings: one per key that is written. */
function countColons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COLON) count++;
  }
  return count;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Offset just past the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

interface Member {
  /** Key of an object's member, position of an array's. */
  readonly key: string | number;
  readonly keyAt: number;
  readonly valueAt: number;
}

/** Finds paths in a text that is known to be valid JSON. */
class JsonPlaces {
  readonly #text: string;
  /** Members of what `items` holds, which every object of a List is looked up in. */
  #items: readonly Member[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  find(path: DocumentPath, part: PairPart): number {
    let at = this.#skipSpace(0);
    let key = at;
    for (const [depth, step] of path.entries()) {
      const isItem = depth === 1 && path[0] === 'items';
      const members = isItem ? (this.#items ??= [...this.#membersAt(at)]) : this.#membersAt(at);
      const member = isItem ? this.#items?.[Number(step)] : firstNamed(members, step);
      if (member === undefined) return at;
      key = member.keyAt;
      at = member.valueAt;
    }
    return part === 'key' ? key : at;
  }

  /** Members of the object or array that opens at `open`; none for anything else. */
  *#membersAt(open: number): Generator<Member> {
    const kind = this.#text.charAt(open);
    if (kind !== '{' && kind !== '[') return;
    let at = this.#skipSpace(open + 1);
    for (let index = 0; !'}]'.includes(this.#text.charAt(at)); index++) {
      const keyAt = at;
      let key: string | number = index;
      if (kind === '{') {
        const end = endOfString(this.#text, at);
        key = String(JSON.parse(this.#text.slice(at, end)));
        at = this.#skipSpace(this.#skipSpace(end) + 1);
      }
      yield { key, keyAt, valueAt: at };
      at = this.#skipSpace(this.#endOfValue(at));
      if (this.#text.charAt(at) === ',') at = this.#skipSpace(at + 1);
    }
  }

  #skipSpace(start: number): number {
    let at = start;
    while (' \n\r\t'.includes(this.#text.charAt(at)) && at < this.#text.length) at++;
    return at;
  }

  #endOfValue(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#text.length; at++) {
      const char = this.#text.charAt(at);
      if (char === '"') at = endOfString(this.#text, at) - 1;
      else if (char === '{' || char === '[') depth++;
      else if (char === '}' || char === ']') depth--;
      else if (char !== ',' || depth > 0) continue;
      if (depth < 0 || char === ',') return at;
      if (depth === 0) return at + 1;
    }
    return this.#text.length;
  }
}

function firstNamed(members: Iterable<Member>, key: string | number): Member | undefined {
  for (const member of members) if (member.key === key) return member;
  return undefined;
}
