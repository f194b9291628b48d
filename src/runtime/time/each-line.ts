/** A stream of text, line by line. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are handed on in pieces. */
const MOST_CHARACTERS = 65_536;

/** Calls for every line that ends, without its end. Errors of the stream are left to others. */
export function eachLine(stream: Readable, call: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (piece: Buffer) => {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) call(line);
    if (rest.length < MOST_CHARACTERS) return;
    call(rest);
    rest = '';
  });
}
