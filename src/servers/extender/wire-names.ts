/** Names of nodes as the bytes that they are on the wire, so that thousands of them need not become strings and bytes again. */

/** Names as JSON without the brackets, compact: `"a","b"`. */
export interface NamesText {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Where each name begins, and where the quote is that ends it. */
export interface NameBounds {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BEFORE_HOST = Buffer.from('{"Host":"');
const BEFORE_SCORE = Buffer.from('","Score":');
const ZERO = 0x30;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
/** Of a host and its score beside the name: two digits at most, the brace and the comma. */
const MOST_BESIDE = BEFORE_HOST.length + BEFORE_SCORE.length + 4;

export function textOfNames(names: readonly string[]): NamesText {
  return { bytes: Buffer.from(JSON.stringify(names).slice(1, -1)), count: names.length };
}

/** The first of the names. */
export function firstNames(text: NamesText, most: number): NamesText {
  if (text.count <= most) return text;
  const { bytes } = text;
  const quote = boundsOf({ bytes, count: most }).ends[most - 1] ?? 0;
  return { bytes: bytes.subarray(0, quote + 1), count: most };
}

export function boundsOf({ bytes, count }: NamesText): NameBounds {
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) {
    starts[index] = ++at;
    while (bytes[at] !== QUOTE && at < bytes.length) at += bytes[at] === BACKSLASH ? 2 : 1;
    ends[index] = at;
    // Behind the quote and the comma.
    at += 2;
  }
  return { starts, ends };
}

/**
 * A HostPriorityList of the names with a score above 0; kube-scheduler takes a node that is not in it as zero.
 * @param scores 0 to 99, by name.
 * @returns a text of which each character is one byte of the answer.
 */
export function hostPriorityList({ bytes }: NamesText, bounds: NameBounds, scores: Uint8Array): string {
  const { starts, ends } = bounds;
  const list = new Writing(bytes.length + scores.length * MOST_BESIDE + 2);
  list.byte(OPEN_LIST);
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0;
    if (score === 0) continue;
    if (list.length > 1) list.byte(COMMA);
    list.put(BEFORE_HOST, 0, BEFORE_HOST.length);
    list.put(bytes, starts[index] ?? 0, ends[index] ?? 0);
    list.put(BEFORE_SCORE, 0, BEFORE_SCORE.length);
    if (score > 9) list.byte(ZERO + Math.floor(score / 10));
    list.byte(ZERO + (score % 10));
    list.byte(CLOSE_OBJECT);
  }
  list.byte(CLOSE_LIST);
  return list.written();
}

/**
 * For one answer after the other. Memory of buffers is outside of V8's heap, and few thousands of them make it look through the
 * whole heap; a text is freed with the young objects.
 */
let scratch = Buffer.alloc(0);

/** Bytes one after the other, as many as there is room for. */
class Writing {
  length = 0;
  readonly #bytes: Buffer;

  constructor(most: number) {
    if (scratch.length < most) scratch = Buffer.allocUnsafe(2 * most);
    this.#bytes = scratch;
  }

  byte(value: number): void {
    this.#bytes[this.length++] = value;
  }

  /** Byte by byte: for so few of them a call of Buffer.copy takes longer. */
  put(source: Buffer, start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.length;
    for (let index = start; index < end; index++) bytes[at++] = source[index] ?? 0;
    this.length = at;
  }

  written(): string {
    return this.#bytes.toString('latin1', 0, this.length);
  }
}
