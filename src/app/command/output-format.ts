/** The flag `-o` of commands that print data. */
import type { Arguments, Flag } from './command.js';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const OUTPUT_FLAG: Flag = {
  name: 'output',
  short: 'o',
  value: OUTPUT_FORMATS.join('|'),
  allowed: OUTPUT_FORMATS,
  help: 'how to print it (default: table)',
};

const WIDE_FORMATS = ['table', 'wide', ...OUTPUT_FORMATS.filter((format) => format !== 'table')];

/** The same of commands whose table has a wide form, as kubectl's. */
export const WIDE_OUTPUT_FLAG: Flag = {
  ...OUTPUT_FLAG,
  value: WIDE_FORMATS.join('|'),
  allowed: WIDE_FORMATS,
};

/** What `-o` says; table when it says nothing or wide. */
export function outputOf(args: Arguments): OutputFormat {
  return OUTPUT_FORMATS.find((format) => format === args.value('output')) ?? 'table';
}
