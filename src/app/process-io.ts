/** The command line's view of the real process: standard streams, files, environment and clock. */
import { readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import type { CliIo, FileSource, PathKind, TextSink } from './command/cli-io.js';
import { isUtf8 } from 'node:buffer';

/** The part of a standard stream that is written to. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** The process' own streams, files, environment and clock. */
export function processIo(process: NodeJS.Process, program: URL): CliIo {
  return {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    env: process.env,
    files: NODE_FILES,
    now: () => performance.now(),
    program,
  };
}

/** A stream as a sink. A reader that goes away (`berth … | head`) ends the output quietly; other errors are thrown. */
export function sinkOf(stream: OutputStream): TextSink {
  let closed = false;
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    closed = true;
  });
  return {
    isTTY: stream.isTTY === true,
    write: (text) => {
      if (!closed) stream.write(text);
    },
  };
}

const STDIN = 0;

/** Files of the host. */
export const NODE_FILES: FileSource = {
  kind: (path): PathKind => {
    if (path === '-') return 'file';
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isDirectory() ? 'directory' : 'file';
  },
  read: (path) =>
    utf8Text(path === '-' ? readToEnd((buffer) => readSync(STDIN, buffer)) : readFileSync(path)),
  list: (path) => readdirSync(path),
  identity: (path) => (path === '-' ? path : realpathSync(path)),
};

/** How long to wait for a writer that is slower than we are, in milliseconds. */
const PAUSE = 10;
const CHUNK = 65_536;

/** What `readSync` does: fills the buffer from its start, and answers how many bytes, 0 at the end. */
type Read = (buffer: Uint8Array) => number;

/**
 * All bytes until the end. A parent process may hand over a standard input that does not block: then there is
 * nothing to read yet (EAGAIN), which is not the end.
 * @throws whatever else `read` throws.
 */
export function readToEnd(read: Read, pause: (milliseconds: number) => void = sleep): Buffer {
  const chunks: Buffer[] = [];
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const count = attempt(read, buffer);
    if (count === 0) return Buffer.concat(chunks);
    if (count === undefined) pause(PAUSE);
    else chunks.push(Buffer.from(buffer.subarray(0, count)));
  }
}

/** undefined when there is nothing yet. */
function attempt(read: Read, buffer: Uint8Array): number | undefined {
  try {
    return read(buffer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return undefined;
    // Windows tells the end of a pipe so.
    if (code === 'EOF') return 0;
    throw error;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

// Bytes of a file as text: UTF-8 or nothing, since a replaced character would end up in names unseen.

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
