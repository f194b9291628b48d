/** `berth windows`: when nodes may be disrupted in the days to come. */
import { windowsCommand } from '../../../src/app/cli/commands/windows.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';
import { poolText, stream } from '../support/manifests.js';

/** A Friday. */
const NOW = Date.UTC(2026, 11, 18, 12);

async function windows(text: string, ...argv: readonly string[]) {
  const io = fakeIo({ files: { '-': text } });
  const commands = [loaded('windows', windowsCommand({ now: () => NOW }))];
  const code = await runCli({ commands, version: '0' }, ['windows', '-f', '-', ...argv], io);
  return { code, ...io.written() };
}

const NIGHTS = `${poolText()}
berth:
  timeZone: Europe/Paris
  expiration: Budgeted
  windows:
    - allow: [Drifted]
      schedule: 0 22 * * *
      duration: 6h
  freezes:
    - from: 2026-12-20T00:00:00+01:00
      until: 2027-01-02T00:00:00+01:00
  clusterBudgets:
    - nodes: 5%
  budgets:
    - { pods: 20, usdPerHour: 1.5, reasons: [Drifted] }
`;

describe('berth windows', () => {
  test('shows for each reason when how many nodes may be disrupted, and why none may', async () => {
    const { code, stdout, stderr } = await windows(NIGHTS, '--next', '2d');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['NODEPOOL', 'REASONS', 'FROM', 'UNTIL', 'NODES'],
      [
        'general',
        'Underutilized,Empty,Expired',
        '2026-12-18T12:00:00Z',
        '2026-12-19T23:00:00Z',
        '10%, 5% of all pools',
      ],
      [
        'general',
        'Underutilized,Empty,Expired',
        '2026-12-19T23:00:00Z',
        '2026-12-20T12:00:00Z',
        'none: freeze',
      ],
      ['general', 'Drifted', '2026-12-18T12:00:00Z', '2026-12-18T21:00:00Z', 'none: outside windows'],
      [
        'general',
        'Drifted',
        '2026-12-18T21:00:00Z',
        '2026-12-19T03:00:00Z',
        '10%, 5% of all pools, 20 pods, 1.5 USD/h',
      ],
      ['general', 'Drifted', '2026-12-19T03:00:00Z', '2026-12-19T21:00:00Z', 'none: outside windows'],
      [
        'general',
        'Drifted',
        '2026-12-19T21:00:00Z',
        '2026-12-19T23:00:00Z',
        '10%, 5% of all pools, 20 pods, 1.5 USD/h',
      ],
      ['general', 'Drifted', '2026-12-19T23:00:00Z', '2026-12-20T12:00:00Z', 'none: freeze'],
      ['general', 'Unhealthy', '2026-12-18T12:00:00Z', '2026-12-20T12:00:00Z', '10%, 5% of all pools'],
    ]);
  });

  test('counts the budgets over all pools for each pool', async () => {
    const { stdout } = await windows(stream(NIGHTS, poolText({ name: 'other' })), '--next', '1h');
    expect(stdout).toMatch(/other +Underutilized,Empty,Drifted,Unhealthy .* 10%, 5% of all pools\n/);
  });

  test('prints the same as a document', async () => {
    const { stdout } = await windows(NIGHTS, '--next', '2d', '-o', 'json');
    const { calendars } = JSON.parse(stdout) as { readonly calendars: readonly object[] };
    expect(calendars).toHaveLength(3);
    expect(calendars[0]).toEqual({
      nodePool: 'general',
      reasons: ['Underutilized', 'Empty', 'Expired'],
      spans: [
        {
          from: '2026-12-18T12:00:00Z',
          until: '2026-12-19T23:00:00Z',
          closed: null,
          budgets: ['10%'],
          clusterBudgets: ['5%'],
          loadBudgets: [],
        },
        {
          from: '2026-12-19T23:00:00Z',
          until: '2026-12-20T12:00:00Z',
          closed: 'Freeze',
          budgets: [],
          clusterBudgets: [],
          loadBudgets: [],
        },
      ],
    });
  });

  test('says until when it shows a pool with very many windows', async () => {
    const busy = NIGHTS.replace('schedule: 0 22 * * *', "schedule: '* * * * *'").replace('6h', '1m');
    const { code, stderr } = await windows(busy, '--next', '4w');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^NodePool general: too many windows; shown until 2026-12-1\dT[\d:]+Z only\n$/);
  });

  test('refuses documents with errors, and without a NodePool', async () => {
    expect((await windows(NIGHTS.replace('6h', '6s'))).code).toBe(2);
    expect(await windows('')).toMatchObject({ code: 2, stdout: '' });
    expect((await windows(NIGHTS, '--next', '2 days')).stderr).toContain(
      '--next 2 days: expected a duration',
    );
  });
});
