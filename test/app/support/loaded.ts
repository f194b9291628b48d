import type { Command, CommandRow } from '../../../src/app/command/command.js';

/** A row of the command table for a command that is made by a test. */
export function loaded(name: string, command: Command, summary = ''): CommandRow {
  return { name, summary, load: () => Promise.resolve(command) };
}
