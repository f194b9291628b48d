/** `berth completion`: scripts by which shells complete commands and flags, made of the command table. */
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command, CommandRow, Flag } from '../../command/command.js';
import { EXIT_OK } from '../../command/exit-codes.js';
import { HELP_FLAG } from '../../command/parse-arguments.js';
import { UsageError } from '../../command/usage-error.js';

/** A command with what may follow it. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => readonly string[]>> = {
  bash: bashLines,
  zsh: zshLines,
  fish: fishLines,
};

/** Names under which the program is called; kubectl runs its plugin with the words behind `kubectl berth`. */
const PROGRAMS = ['berth', 'kubectl-berth'];
/** Its value is a path. */
const FILE_VALUE = /\b(?:FILE|DIR)\b/;

/** The command; `table` answers the commands of the program. */
export function completionCommand(table: () => Promise<readonly CommandRow[]>): Command {
  return {
    usage: 'bash|zsh|fish',
    maxWords: 1,
    flags: [],
    details: [
      'Example: source <(berth completion bash)',
      'Example: berth completion zsh > "${fpath[1]}/_berth"',
      'Example: berth completion fish > ~/.config/fish/completions/berth.fish',
    ],
    run: (args, io) => run(args, io, table),
  };
}

export const COMPLETION = completionCommand(async () => (await import('../commands.js')).COMMANDS);

async function run(args: Arguments, io: CliIo, table: () => Promise<readonly CommandRow[]>): Promise<number> {
  const [shell = ''] = args.words;
  const lines = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (lines === undefined)
    throw new UsageError(`expected one of ${Object.keys(SHELLS).join(', ')}`, { aboutFlags: true });
  const commands: Completed[] = [];
  for (const { name, summary, load } of await table())
    commands.push({ name, summary, flags: [...(await load()).flags, HELP_FLAG] });
  io.stdout.write(`${lines(commands).join('\n')}\n`);
  return EXIT_OK;
}

function bashLines(commands: readonly Completed[]): readonly string[] {
  const names = commands.map(({ name }) => name).join(' ');
  return [
    '# bash completion of berth, made by `berth completion bash`.',
    '_berth() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W '${names} help --help --version' -- "$word"))`,
    '    return',
    '  fi',
    '  case $command in',
    ...commands.flatMap(({ name, flags }) => [
      `  ${name})`,
      '    case $before in',
      ...flags.filter(({ value }) => value !== undefined).map(bashValue),
      '    esac',
      `    COMPREPLY=($(compgen -W '${flags.flatMap(spellings).join(' ')}' -- "$word"))`,
      '    ;;',
    ]),
    `  help) COMPREPLY=($(compgen -W '${names}' -- "$word")) ;;`,
    '  esac',
    '}',
    `complete -o default -F _berth ${PROGRAMS.join(' ')}`,
  ];
}

/** Words of the set, files, or nothing that is known. */
function bashValue(flag: Flag): string {
  const { allowed = [], value = '' } = flag;
  const action = FILE_VALUE.test(value) ? '-f' : `-W '${allowed.join(' ')}'`;
  return `    ${spellings(flag).join('|')}) COMPREPLY=($(compgen ${action} -- "$word")); return ;;`;
}

function spellings({ name, short }: Flag): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function zshLines(commands: readonly Completed[]): readonly string[] {
  return [
    `#compdef ${PROGRAMS.join(' ')}`,
    '# zsh completion of berth, made by `berth completion zsh`.',
    '_berth() {',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...commands.flatMap(({ name, flags }) => [
      `    ${name})`,
      '      _arguments \\',
      ...flags.flatMap((flag) =>
        spellings(flag).map((spelling) => `        ${quoted(zshFlag(spelling, flag))} \\`),
      ),
      "        '*::word:_files'",
      '      ;;',
    ]),
    "    help) _describe 'command' commands ;;",
    '  esac',
    '}',
    'if [ "$funcstack[1]" = _berth ]; then _berth "$@"; else compdef _berth berth kubectl-berth; fi',
  ];
}

/** `*--output[how to print it]:value:(table json)`. */
function zshFlag(spelling: string, { help, value, allowed, repeated }: Flag): string {
  const about = `${repeated === true ? '*' : ''}${spelling}[${help.replaceAll(/[[\]:\\]/g, String.raw`\$&`)}]`;
  if (value === undefined) return about;
  if (allowed !== undefined) return `${about}:value:(${allowed.join(' ')})`;
  return `${about}:value:${FILE_VALUE.test(value) ? '_files' : ' '}`;
}

function fishLines(commands: readonly Completed[]): readonly string[] {
  return [
    '# fish completion of berth, made by `berth completion fish`.',
    ...PROGRAMS.flatMap((program) => fishProgram(program, commands)),
  ];
}

function fishProgram(program: string, commands: readonly Completed[]): readonly string[] {
  return [
    `complete -c ${program} -f`,
    ...commands.map(
      ({ name, summary }) =>
        `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    ...commands.flatMap(({ name, flags }) =>
      flags.map((flag) => {
        const condition = quoted(`__fish_seen_subcommand_from ${name}`);
        const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
        return `complete -c ${program} -n ${condition} -l ${flag.name}${short}${fishValue(flag)} -d ${quoted(flag.help)}`;
      }),
    ),
  ];
}

function fishValue({ value, allowed }: Flag): string {
  if (value === undefined) return '';
  if (allowed !== undefined) return ` -x -a ${quoted(allowed.join(' '))}`;
  return FILE_VALUE.test(value) ? ' -r -F' : ' -x';
}

/** A word of any shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
