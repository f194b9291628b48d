/** `berth certs`, on files of a folder of its own. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certsCommand } from '../../../src/app/cli/commands/certs.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';
import type { RunResult } from '../support/run-berth.js';

/** Keys take long on a busy host. */
const PATIENCE = 60_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2030, 0, 1);
const NAMES = ['ca', 'extender', 'scheduler', 'webhook'].flatMap((name) => [`${name}.crt`, `${name}.key`]);

const root = mkdtempSync(join(tmpdir(), 'berth-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

async function certs(argv: readonly string[], now = NOW): Promise<RunResult> {
  const io = fakeIo();
  const program = {
    commands: [
      loaded(
        'certs',
        certsCommand(() => now),
      ),
    ],
    version: '0.0.0',
  };
  const code = await runCli(program, ['certs', ...argv], io);
  return { code, ...io.written() };
}

function texts(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

describe('berth certs', () => {
  const folder = join(root, 'made', 'below');
  let first: RunResult;
  beforeAll(async () => {
    first = await certs(['--out', folder]);
  }, PATIENCE);

  test('makes the set, says when each expires, and leaves nothing else in the folder', () => {
    const row = (name: string) => `${name}.crt +${name}.key +CN=berth-${name} +`;
    expect([first.code, first.stderr]).toEqual([0, '8 files written\n']);
    expect(first.stdout.split('\n')).toEqual([
      expect.stringMatching(/^CERTIFICATE +KEY +SUBJECT +EXPIRES +RENEWED-FROM +STATE$/),
      expect.stringMatching(`^${row('ca')}2039-12-29T23:55:00Z +by hand +made$`),
      expect.stringMatching(`^${row('webhook')}2030-03-31T23:55:00Z +2030-03-01T23:55:00Z +made$`),
      expect.stringMatching(`^${row('extender')}2030-03-31T23:55:00Z +2030-03-01T23:55:00Z +made$`),
      expect.stringMatching(`^${row('scheduler')}2030-03-31T23:55:00Z +2030-03-01T23:55:00Z +made$`),
      '',
    ]);
    expect(readdirSync(folder).sort()).toEqual(NAMES);
  });

  test('keeps keys to their owner and never prints one', async () => {
    const keys = NAMES.filter((name) => name.endsWith('.key'));
    const modes = keys.map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual(keys.map(() => 0o600));
    const json = await certs(['--out', folder, '-o', 'json']);
    const said = first.stdout + first.stderr + json.stdout + json.stderr;
    expect(said).not.toContain('-----');
    for (const key of keys) {
      const [, line = ''] = texts(folder)[key]?.split('\n') ?? [];
      expect(line).toHaveLength(64);
      expect(said).not.toContain(line);
    }
  });

  test('keeps what is there, closing a key that was left open', async () => {
    const before = texts(folder);
    chmodSync(join(folder, 'scheduler.key'), 0o644);
    const { code, stdout, stderr } = await certs(['--out', folder, '-o', 'json'], NOW + 30 * DAY);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      certificates: [
        { certificate: 'ca.crt', names: [], state: 'kept', notBefore: '2029-12-31T23:55:00Z' },
        { certificate: 'webhook.crt', state: 'kept', names: expect.arrayContaining(['::1']) as unknown },
        { certificate: 'extender.crt', state: 'kept' },
        { certificate: 'scheduler.crt', state: 'kept', renewAt: '2030-03-01T23:55:00Z' },
      ],
    });
    expect(texts(folder)).toEqual(before);
    expect(statSync(join(folder, 'scheduler.key')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['past two thirds of their life', [], NOW + 61 * DAY],
    ['when asked', ['--renew'], NOW],
  ])(
    'renews leaves %s, and not the CA',
    async (_when, flags, now) => {
      const before = texts(folder);
      const { code, stdout } = await certs(['--out', folder, ...flags], now);
      const after = texts(folder);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ca\.crt .* kept$/m);
      expect(stdout).toMatch(/^scheduler\.crt .* renewed: /m);
      expect(NAMES.filter((name) => after[name] === before[name])).toEqual(['ca.crt', 'ca.key']);
    },
    PATIENCE,
  );

  test(
    'reports a CA that ends before the certificates should',
    async () => {
      const { code, stderr } = await certs(['--out', folder, '--renew', '--days', '30'], NOW + 3630 * DAY);
      expect(code).toBe(3);
      expect(stderr).toContain(
        'the CA expires on 2039-12-29T23:55:00Z, earlier than certificates of 30 days\n',
      );
    },
    PATIENCE,
  );

  test('refuses a CA that it cannot use, writing nothing', async () => {
    const expired = await certs(['--out', folder], NOW + 3650 * DAY);
    expect([expired.code, expired.stdout]).toEqual([2, '']);
    expect(expired.stderr).toMatch(
      /ca\.crt has expired on Dec 29 23:55:00 2039 GMT; to create a new CA, move ca\.crt and ca\.key/,
    );
    const half = mkdtempSync(join(root, 'half-'));
    writeFileSync(join(half, 'ca.crt'), texts(folder)['ca.crt'] ?? '');
    const { code, stderr } = await certs(['--out', half]);
    expect([code, readdirSync(half)]).toEqual([2, ['ca.crt']]);
    expect(stderr).toContain('ca.crt is there, but not ca.key');
  });

  test('refuses a folder that is a file', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const { code, stdout, stderr } = await certs(['--out', file]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`berth certs: ${file}`);
    expect(stderr).not.toContain('internal error');
  });

  test.each([
    [['--days', '0'], '--days 0: expected a whole number from 1 to 90'],
    [['--days', '91'], '--days 91: expected'],
    [['--days', '1.5'], '--days 1.5: expected'],
    [['--namespace', 'Berth'], '--namespace Berth: expected at most 63 of a-z, 0-9 and -'],
    [['--namespace', `a${'b'.repeat(63)}`], 'expected at most 63'],
  ])('refuses %j', async (flags, message) => {
    const out = join(root, 'refused');
    const { code, stdout, stderr } = await certs(['--out', out, ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
