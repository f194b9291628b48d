/** The outside of a command line, in memory: what was written, and files that are given as texts. */
import type { CliIo, FileSource, TextSink } from '../../../src/app/command/cli-io.js';

export interface FakeIo extends CliIo {
  /** All that was written so far. */
  written(): { readonly stdout: string; readonly stderr: string };
}

export interface FakeWorld {
  /** Path → text; `-` is standard input. Directories are the paths' parents. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  /** Directories that exist though they hold no file. */
  readonly directories?: readonly string[];
}

/** Streams that remember, and files from a record. The clock goes on by 5 ms with each look. */
export function fakeIo(world: FakeWorld = {}): FakeIo {
  const out: string[] = [];
  const err: string[] = [];
  const isTTY = world.isTTY ?? false;
  let time = 0;
  return {
    stdout: sink(out, isTTY),
    stderr: sink(err, isTTY),
    env: world.env ?? {},
    files: filesFrom(world),
    now: () => (time += 5),
    program: new URL('file:///berth.js'),
    written: () => ({ stdout: out.join(''), stderr: err.join('') }),
  };
}

function sink(parts: string[], isTTY: boolean): TextSink {
  return {
    isTTY,
    write: (text) => {
      parts.push(text);
    },
  };
}

function filesFrom({ files = {}, directories = [] }: FakeWorld): FileSource {
  const paths = Object.keys(files);
  const below = (path: string): readonly string[] =>
    paths.filter((each) => each.startsWith(`${path}/`)).map((each) => each.slice(path.length + 1));
  return {
    kind: (name) => {
      const path = name.replace(/\/$/, '');
      if (Object.hasOwn(files, path)) return 'file';
      return below(path).length > 0 || directories.includes(path) ? 'directory' : 'missing';
    },
    read: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`${path} is not there`);
      return text;
    },
    list: (path) =>
      [...new Set(below(path.replace(/\/$/, '')).map((each) => each.split('/')[0] ?? ''))].reverse(),
    identity: (path) => path,
  };
}
