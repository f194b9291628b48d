/** Takes the items out of a list's JSON while it comes in, so that the list is never in memory as a whole. */
import { plainObject } from '../../../../apis/decode/plain.js';
import type { JsonObject } from '../../../../domain/policies/policy.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Of brackets, around the list's fields, and around its items. */
const FIELDS_DEPTH = 1;
const ITEMS_DEPTH = 2;
const ITEMS_FIELD = /"items"\s*:\s*$/;
/** Of those with some spaces. */
const LONGEST_ITEMS_FIELD = 20;
/** Of all that is not an item: kind, apiVersion, metadata. */
const MOST_REST_BYTES = 1024 * 1024;

/** JSON is cut as bytes: none of those that structure it is ever a part of another UTF-8 character. */
export class ListSplitter {
  readonly #mostItemBytes: number;
  /** Of the item that has begun, or else of the rest. */
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Where in the chunk begins what is not kept yet. */
  #start = 0;
  #rest = '';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInItems = false;

  /** More bytes than that are no item. */
  constructor(mostItemBytes: number) {
    this.#mostItemBytes = mostItemBytes;
  }

  /** The items that the chunk completes, parsed. @throws Error, when it is no list of objects, or an item is too long. */
  push(chunk: Uint8Array): readonly unknown[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const items: unknown[] = [];
    this.#start = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (this.#isInString) at = this.#endOfString(bytes, at);
      else {
        const byte = bytes[at] ?? 0;
        if (this.#isBetweenItems && !isBetween(byte)) throw new Error('an item of the list is no object');
        if (byte === QUOTE) this.#isInString = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(bytes, at);
        else if (isClosing(byte) && this.#close(bytes, at)) items.push(JSON.parse(this.#take()));
      }
    }
    if (!this.#isBetweenItems) this.#keep(bytes.subarray(this.#start));
    return items;
  }

  /** The list without its items. @throws Error, when it has not come to its end. */
  end(): JsonObject {
    const list = plainObject(JSON.parse(this.#rest + this.#take()));
    if (list === undefined || this.#depth !== 0) throw new Error('the answer is not a list');
    return list;
  }

  get #isBetweenItems(): boolean {
    return this.#isInItems && this.#depth === ITEMS_DEPTH;
  }

  /** Where the quote stands that ends the string; after the last byte, where none does. */
  #endOfString(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (bytes[at] === BACKSLASH) this.#isEscaped = true;
      else if (bytes[at] === QUOTE) {
        this.#isInString = false;
        return at;
      }
    }
    return bytes.length;
  }

  #open(bytes: Buffer, at: number): void {
    if (this.#isBetweenItems) this.#start = at;
    this.#depth++;
    if (bytes[at] !== OPEN_ARRAY || this.#depth !== ITEMS_DEPTH) return;
    // An array among the list's fields begins.
    this.#keep(bytes.subarray(this.#start, at + 1));
    this.#start = at + 1;
    this.#rest += this.#take();
    this.#isInItems = ITEMS_FIELD.test(this.#rest.slice(-LONGEST_ITEMS_FIELD, -1));
  }

  /** Whether that was the end of an item. */
  #close(bytes: Buffer, at: number): boolean {
    this.#depth--;
    if (this.#isBetweenItems) {
      this.#keep(bytes.subarray(this.#start, at + 1));
      return true;
    }
    if (this.#isInItems && this.#depth === FIELDS_DEPTH) {
      this.#isInItems = false;
      this.#start = at;
    }
    return false;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    const most = this.#isInItems ? this.#mostItemBytes : MOST_REST_BYTES;
    if (this.#bytes > most) throw new Error(`a part of the list is longer than ${String(most)} bytes`);
    this.#parts.push(part);
  }

  #take(): string {
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    return whole.toString('utf8');
  }
}

function isClosing(byte: number): boolean {
  return byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
}

/** What may stand between two items, and begin or end them. */
function isBetween(byte: number): boolean {
  return byte === COMMA || byte === OPEN_OBJECT || byte === CLOSE_ARRAY || byte <= SPACE;
}
