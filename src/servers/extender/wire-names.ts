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
 */
export function hostPriorityList({ bytes }: NamesText, bounds: NameBounds, scores: Uint8Array): Buffer {
  const { starts, ends } = bounds;
  const text = Buffer.allocUnsafe(bytes.length + scores.length * MOST_BESIDE + 2);
  let at = 0;
  text[at++] = OPEN_LIST;
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0;
    if (score === 0) continue;
    if (at > 1) text[at++] = COMMA;
    at = put(text, at, BEFORE_HOST, 0, BEFORE_HOST.length);
    at = put(text, at, bytes, starts[index] ?? 0, ends[index] ?? 0);
    at = put(text, at, BEFORE_SCORE, 0, BEFORE_SCORE.length);
    if (score > 9) text[at++] = ZERO + Math.floor(score / 10);
    text[at++] = ZERO + (score % 10);
    text[at++] = CLOSE_OBJECT;
  }
  text[at++] = CLOSE_LIST;
  return text.subarray(0, at);
}

/** Byte by byte: for so few of them a call of Buffer.copy takes longer. */
function put(target: Buffer, at: number, source: Buffer, start: number, end: number): number {
  let next = at;
  for (let index = start; index < end; index++) target[next++] = source[index] ?? 0;
  return next;
}
