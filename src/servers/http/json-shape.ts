/** How deep and how large JSON is, counted in its bytes before anything parses it. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const UNDERSCORE = 0x5f;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LAST_SPACE = 0x20;

const PROTO = '__proto__';
/** The word with each of its letters spelled as an escape (`\u005f`), and its quotes. */
const LONGEST_PROTO = PROTO.length * 6 + 2;

export interface JsonBounds {
  /** Levels of lists and objects in one another. */
  readonly maxDepth: number;
  /** Lists, objects, texts, numbers and keys together, roughly. */
  readonly maxValues: number;
}

export interface JsonShape {
  /** The first bound that is passed; nothing is counted behind that place. */
  readonly fault: 'too-deep' | 'too-many-values' | undefined;
  /** Whether some key is `__proto__`, however it is spelled. */
  readonly hasProto: boolean;
}

/**
 * One pass over the bytes, which need not be JSON: in UTF-8 none of these characters is part of another. What it costs
 * to parse depends on the number of values far more than on the number of bytes.
 */
export function shapeOf(bytes: Uint8Array, { maxDepth, maxValues }: JsonBounds): JsonShape {
  let depth = 0;
  let values = 1;
  let hasProto = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      hasProto ||= isProtoKey(bytes, at, end);
      at = end;
    } else if (byte === COMMA || byte === COLON) values++;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth++;
      values++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    if (depth > maxDepth) return { fault: 'too-deep', hasProto };
    if (values > maxValues) return { fault: 'too-many-values', hasProto };
  }
  return { fault: undefined, hasProto };
}

/** Bytes of a text that are looked at one by one: most texts end within them, and for longer ones searching is faster. */
const STEP = 128;

/** Index of the closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length) {
    const near = Math.min(bytes.length, at + STEP);
    while (at < near && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    if (!isEscaped(bytes, at, quote)) return quote;
    at = quote + 1;
  }
  return at;
}

/** Whether an odd number of backslashes stands before the quote; `start`: where none is half of an escape. */
function isEscaped(bytes: Uint8Array, start: number, quote: number): boolean {
  let first = quote;
  while (first > start && bytes[first - 1] === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}

/** Only a text that begins with an underscore or an escape, and is short enough, is looked at closer. */
function isProtoKey(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start + 1];
  if ((first !== UNDERSCORE && first !== BACKSLASH) || end - start >= LONGEST_PROTO) return false;
  let next = end + 1;
  while ((bytes[next] ?? COLON) <= LAST_SPACE) next++;
  if (bytes[next] !== COLON) return false;
  try {
    return JSON.parse(Buffer.from(bytes.subarray(start, end + 1)).toString('utf8')) === PROTO;
  } catch {
    return false;
  }
}
