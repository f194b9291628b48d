/** The help texts: of the program, and of each command. */
import type { Command, CommandRow, Flag } from '../command/command.js';
import { HELP_FLAG } from '../command/parse-arguments.js';
import { indent, tableLines } from './render/text/table.js';

/** What `berth --help` prints. */
export function programHelp(commands: readonly CommandRow[]): string {
  const rows = commands.map((command) => [command.name, command.summary]);
  return lines([
    'Berth launches nodes for pending pods, makes kube-scheduler follow its plan, and removes nodes that are not needed.',
    '',
    'Usage: berth COMMAND [flags]',
    '',
    'Commands:',
    ...indent(pairs(rows), 2),
    '',
    'Flags:',
    ...indent(
      pairs([
        ['-h, --help', 'show help for Berth or for a command'],
        ['    --version', 'print the version'],
      ]),
      2,
    ),
    '',
    'Exit codes: 0 success, 1 error, 2 usage error or invalid input, 3 success with findings.',
    'Run `berth COMMAND --help` for the flags of a command.',
  ]);
}

/** What `berth COMMAND --help` prints. */
export function commandHelp({ name, summary }: CommandRow, command: Command): string {
  return lines([
    `${summary}.`,
    '',
    `Usage: ${usageLine({ name, usage: command.usage })}`,
    '',
    'Flags:',
    ...indent(pairs([...command.flags, HELP_FLAG].map((flag) => [spelling(flag), flag.help])), 2),
    ...command.details.flatMap((paragraph) => ['', paragraph]),
  ]);
}

/** `berth plan -f FILE|DIR|- …`. */
export function usageLine({ name, usage }: Pick<CommandRow, 'name'> & Pick<Command, 'usage'>): string {
  return `berth ${name} ${usage}`.trimEnd();
}

function spelling(flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
}

/** Two columns without headers. */
function pairs(rows: readonly (readonly string[])[]): readonly string[] {
  return tableLines([{ header: '' }, { header: '' }], rows).slice(1);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
