/** All that a command can reach of the outside: its output, its environment, files and a clock. */

/** Where text goes. */
export interface TextSink {
  write(text: string): void;
  readonly isTTY: boolean;
}

/** What a path names. */
export type PathKind = 'file' | 'directory' | 'missing';

/** Read access to files. */
export interface FileSource {
  kind(path: string): PathKind;
  /**
   * The text of a file, decoded as UTF-8; `-` is standard input.
   * @throws Error saying why it cannot be read.
   */
  read(path: string): string;
  /** The names in a directory, in any order. */
  list(path: string): readonly string[];
  /** The same text for two paths that name the same file. */
  identity(path: string): string;
}

export interface CliIo {
  /** Data only. */
  readonly stdout: TextSink;
  /** Everything said about the data. */
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: FileSource;
  /** Milliseconds from an arbitrary start, never going back. */
  readonly now: () => number;
  /** The file of the program, which its worker threads and child processes start with. */
  readonly program: URL;
}
