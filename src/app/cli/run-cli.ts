/** Runs one command line: finds the command, reads its flags, and turns what goes wrong into words and an exit code. */
import type { CliIo } from '../command/cli-io.js';
import type { Command, CommandRow, Flag } from '../command/command.js';
import { didYouMean } from '../command/did-you-mean.js';
import { EXIT_ERROR, EXIT_OK, EXIT_USAGE } from '../command/exit-codes.js';
import { HELP_FLAG, parseArguments } from '../command/parse-arguments.js';
import { isUsageError } from '../command/usage-error.js';
import { indent, tableLines } from './render/text/table.js';

export interface Program {
  readonly commands: readonly CommandRow[];
  readonly version: string;
}

/** Answers the exit code; never throws and never ends the process. */
export async function runCli(program: Program, argv: readonly string[], io: CliIo): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    io.stderr.write(programHelp(program.commands));
    return EXIT_USAGE;
  }
  if (first === '--version' || first === 'version') {
    io.stdout.write(`berth ${program.version}\n`);
    return EXIT_OK;
  }
  if (first === '--help' || first === '-h' || first === 'help') return runHelp(program, rest, io);
  const row = program.commands.find((each) => each.name === first);
  if (row === undefined) return failUnknown(program, first, io);
  return runCommand(row, rest, io);
}

async function runHelp(program: Program, words: readonly string[], io: CliIo): Promise<number> {
  const name = words.find((word) => !word.startsWith('-'));
  const row = program.commands.find((each) => each.name === name);
  if (name !== undefined && row === undefined) return failUnknown(program, name, io);
  io.stdout.write(row === undefined ? programHelp(program.commands) : commandHelp(row, await row.load()));
  return EXIT_OK;
}

function failUnknown(program: Program, word: string, io: CliIo): number {
  const names = program.commands.map((each) => each.name);
  const what = word.startsWith('-') ? 'flag' : 'command';
  const hint = what === 'command' ? didYouMean(word, names) : '';
  io.stderr.write(`berth: unknown ${what} ${word}${hint}\ncommands: ${names.join(', ')}\n`);
  return EXIT_USAGE;
}

async function runCommand(row: CommandRow, argv: readonly string[], io: CliIo): Promise<number> {
  const command = await row.load();
  try {
    if (asksForHelp(argv)) {
      io.stdout.write(commandHelp(row, command));
      return EXIT_OK;
    }
    const shape = { flags: [...command.flags, HELP_FLAG], maxWords: command.maxWords };
    return await command.run(parseArguments(argv, shape), io);
  } catch (error) {
    return report({ name: row.name, usage: command.usage }, error, io);
  }
}

/** Help is printed whatever else the line contains, so that users need no valid line to get help. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === '--help' || word === '-h');
}

function report(
  command: Pick<CommandRow, 'name'> & Pick<Command, 'usage'>,
  error: unknown,
  io: CliIo,
): number {
  if (isUsageError(error)) {
    io.stderr.write(`berth ${command.name}: ${error.message}\n`);
    if (error.aboutFlags) io.stderr.write(`usage: ${usageLine(command)}\n`);
    return EXIT_USAGE;
  }
  const message = error instanceof Error ? error.message : String(error);
  io.stderr.write(`berth ${command.name}: internal error: ${message}\n`);
  if ((io.env['BERTH_DEBUG'] ?? '') !== '' && error instanceof Error)
    io.stderr.write(`${error.stack ?? ''}\n`);
  return EXIT_ERROR;
}

/** What `berth --help` prints. */
function programHelp(commands: readonly CommandRow[]): string {
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
function commandHelp({ name, summary }: CommandRow, command: Command): string {
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
function usageLine({ name, usage }: Pick<CommandRow, 'name'> & Pick<Command, 'usage'>): string {
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
