/** Bytes of a file as text: UTF-8 or nothing, since a replaced character would end up in names unseen. */
import { isUtf8 } from 'node:buffer';

const LINE_FEED = 0x0a;

/** @throws Error naming the first line that is not UTF-8. */
export function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const found = isUtf16 ? 'it is UTF-16' : `line ${String(firstBadLine(bytes))} is not UTF-8`;
  throw new Error(`${found}: save it as UTF-8`);
}

/** A line feed is no part of any other character, so lines can be tried one by one. */
function firstBadLine(bytes: Buffer): number {
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}
