/** The command line's view of the real process: standard streams, files, environment and clock. */
import { readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import type { CliIo, FileSource, PathKind, TextSink } from './command/cli-io.js';
import { readToEnd } from './read-to-end.js';
import { utf8Text } from './utf8-text.js';

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
