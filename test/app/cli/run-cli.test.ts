/** The frame of every command line: help, flags, unknown words, failures and their exit codes. */
import type { Arguments, Command } from '../../../src/app/command/command.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { UsageError } from '../../../src/app/command/usage-error.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

function command(run: (args: Arguments) => number): Command {
  return {
    usage: '[--unit kg|lb] THING',
    flags: [
      { name: 'unit', short: 'u', value: 'kg|lb', allowed: ['kg', 'lb'], help: 'unit of weight' },
      { name: 'label', value: 'TEXT', repeated: true, help: 'may be repeated' },
      { name: 'gross', help: 'with the box' },
    ],
    maxWords: 1,
    details: ['Example: berth weigh apple'],
    run,
  };
}

async function run(argv: readonly string[], act: (args: Arguments) => number = () => 0, env = {}) {
  const io = fakeIo({ env });
  const code = await runCli(
    { commands: [loaded('weigh', command(act), 'Weigh things')], version: '1.2.3' },
    argv,
    io,
  );
  return { code, ...io.written() };
}

/** What the command saw of its words and flags. */
async function seen(argv: readonly string[]): Promise<unknown> {
  let result: unknown = 'not run';
  await run(argv, (args) => {
    result = [args.words, args.value('unit'), args.values('label'), args.value('gross')];
    return 0;
  });
  return result;
}

describe('runCli', () => {
  test.each([['--help'], ['-h'], ['help']])('lists the commands for %s', async (word) => {
    const { code, stdout, stderr } = await run([word]);
    expect(code).toBe(0);
    expect(stdout).toContain('weigh  Weigh things\n');
    expect(stderr).toBe('');
  });

  test.each([
    [['weigh', '--help']],
    [['weigh', '--nonsense', '-h']],
    [['help', 'weigh']],
    [['--help', 'weigh']],
  ])('explains a command for %j', async (argv) => {
    const { code, stdout } = await run(argv);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: berth weigh [--unit kg|lb] THING\n');
    expect(stdout).toContain('-u, --unit kg|lb  unit of weight\n');
    expect(stdout).toContain('--gross       with the box\n');
    expect(stdout).toContain('Example: berth weigh apple\n');
  });

  test.each([['--version'], ['version']])('tells the version for %s', async (word) => {
    expect(await run([word])).toEqual({ code: 0, stdout: 'berth 1.2.3\n', stderr: '' });
  });

  test('shows the commands on stderr when none is given', async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: berth COMMAND');
  });

  test.each([
    [['wiegh'], 'berth: unknown command wiegh; did you mean weigh?\ncommands: weigh\n'],
    [['help', 'weihg'], 'berth: unknown command weihg; did you mean weigh?\ncommands: weigh\n'],
    [['xylophone'], 'berth: unknown command xylophone\ncommands: weigh\n'],
    [['--colour'], 'berth: unknown flag --colour\ncommands: weigh\n'],
  ])('refuses %j', async (argv, stderr) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr });
  });

  test.each([
    [['--unti', 'kg'], 'unknown flag --unti; did you mean --unit?'],
    [['-x'], 'unknown flag -x'],
    [['--unit'], '--unit needs a value: kg|lb'],
    [['--unit', '--gross'], '--unit needs a value: kg|lb'],
    [['--unit='], '--unit needs a value: kg|lb'],
    [['-u', 'kgs'], '-u kgs: expected one of kg, lb; did you mean kg?'],
    [['--gross=yes'], '--gross takes no value, not "yes"'],
    [['apple', 'pear'], '"pear" is not expected here'],
  ])('refuses %j of a command', async (argv, message) => {
    expect(await run(['weigh', ...argv])).toEqual({
      code: 2,
      stdout: '',
      stderr: `berth weigh: ${message}\nusage: berth weigh [--unit kg|lb] THING\n`,
    });
  });

  test.each([
    [
      ['-u', 'kg', 'apple'],
      [['apple'], 'kg', [], undefined],
    ],
    [
      ['apple', '-ukg', '--gross'],
      [['apple'], 'kg', [], 'true'],
    ],
    [['-u=lb'], [[], 'lb', [], undefined]],
    [
      ['--unit=kg', '--unit', 'lb'],
      [[], 'lb', [], undefined],
    ],
    [
      ['--label', 'a', '--label=b'],
      [[], undefined, ['a', 'b'], undefined],
    ],
    [
      ['--label', '-', '--', '--gross'],
      [['--gross'], undefined, ['-'], undefined],
    ],
  ])('sorts flags from words in %j', async (argv, expected) => {
    expect(await seen(['weigh', ...argv])).toEqual(expected);
  });

  test("answers the command's own exit code", async () => {
    expect(await run(['weigh'], () => 3)).toEqual({ code: 3, stdout: '', stderr: '' });
  });

  test('ends with 2 and the message for bad input, without a lesson about flags', async () => {
    const refuse = (): never => {
      throw new UsageError('apple.yaml: rotten');
    };
    expect(await run(['weigh'], refuse)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'berth weigh: apple.yaml: rotten\n',
    });
  });

  test('ends with 1 for a failure of its own, with the stack only for BERTH_DEBUG', async () => {
    const fail = (): never => {
      throw new RangeError('out of scale');
    };
    expect(await run(['weigh'], fail)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'berth weigh: internal error: out of scale\n',
    });
    const { stderr } = await run(['weigh'], fail, { BERTH_DEBUG: '1' });
    expect(stderr).toMatch(/internal error: out of scale\nRangeError: out of scale\n +at /);
  });
});
