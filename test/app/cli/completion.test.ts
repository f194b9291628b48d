/** `berth completion`: what bash completes with the script, and that zsh and fish scripts have every command and flag. */
import { execFileSync } from 'node:child_process';
import { COMMANDS } from '../../../src/app/cli/commands.js';
import { runBerth } from '../support/run-berth.js';

async function script(shell: string): Promise<string> {
  const { code, stdout } = await runBerth(['completion', shell]);
  expect(code).toBe(0);
  return stdout;
}

/** What bash offers for the last word. */
async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const list = words.map((word) => `'${word}'`).join(' ');
  const lines = [
    await script('bash'),
    `COMP_WORDS=(${list}); COMP_CWORD=${String(words.length - 1)}; _berth`,
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  return execFileSync('bash', ['--noprofile', '--norc'], { input: lines.join('\n') })
    .toString()
    .trim()
    .split('\n');
}

test('bash completes commands', async () => {
  expect(await completed('berth', 'do')).toEqual(['doctor']);
});

test('bash completes flags of the command, and values of a closed set', async () => {
  expect(await completed('berth', 'uninstall', '--k')).toEqual(['--keep-nodes', '--kubeconfig']);
  expect(await completed('berth', 'get', '-o', 'j')).toEqual(['json']);
});

test('bash completes files where a flag takes one', async () => {
  expect(await completed('berth', 'plan', '-f', 'package.js')).toEqual(['package.json']);
});

test.each(['bash', 'zsh', 'fish'])('the script for %s has every command and every flag', async (shell) => {
  const text = await script(shell);
  for (const { name, load } of COMMANDS) {
    expect(text).toContain(name);
    for (const flag of (await load()).flags) expect(text).toMatch(new RegExp(`(--|-l )${flag.name}\\b`));
  }
});

test('another shell is refused with the known ones', async () => {
  const { code, stderr } = await runBerth(['completion', 'tcsh']);
  expect({ code, first: stderr.split('\n')[0] }).toEqual({
    code: 2,
    first: 'berth completion: expected one of bash, zsh, fish',
  });
});
