/** What a command of `berth` is: a row of the command table; loaded, its flags and what it does. */
import type { CliIo } from './cli-io.js';

/** One flag of a command. */
export interface Flag {
  /** Long name, without dashes. */
  readonly name: string;
  /** One letter, without the dash. */
  readonly short?: string | undefined;
  /** What stands for the value in help (`FILE`, `json|yaml|table`); undefined for a switch. */
  readonly value?: string | undefined;
  /** The closed set of values, where there is one. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether it may be given more than once. */
  readonly repeated?: boolean | undefined;
  readonly help: string;
}

/** The words after the command's name, sorted out. */
export interface Arguments {
  /** What is neither a flag nor a flag's value. */
  readonly words: readonly string[];
  /** The value given last for a flag, or undefined. */
  value(flag: string): string | undefined;
  /** Every value given for a flag, in order. */
  values(flag: string): readonly string[];
}

/** A row of the command table: what `berth --help` shows, and how to load the rest. */
export interface CommandRow {
  readonly name: string;
  /** One line for `berth --help`. */
  readonly summary: string;
  /** Loads the module of the command: nothing that other commands need is read before. */
  readonly load: () => Promise<Command>;
}

export interface Command {
  /** What follows `berth NAME` in the usage line. */
  readonly usage: string;
  readonly flags: readonly Flag[];
  /** What the words mean: at most this many are taken. */
  readonly maxWords: number;
  /** Paragraphs and examples below the flags. */
  readonly details: readonly string[];
  /**
   * Does it and answers the exit code.
   * @throws UsageError for input it cannot work with, before anything is written to stdout.
   */
  run(args: Arguments, io: CliIo): number | Promise<number>;
}
