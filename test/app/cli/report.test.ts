/** `berth report`: what was observed, for people and for programs. */
import { reportCommand } from '../../../src/app/cli/commands/report.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import type { ReadCluster } from '../../../src/app/cluster-reader.js';
import type { Observation } from '../../../src/domain/records/observation.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { observation, observationPeriod } from '../../support/builders/observation.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function report(
  found: Observation | undefined,
  argv: readonly string[] = [],
  now = START + 2 * HOUR,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const cluster = new Cluster();
  if (found !== undefined) cluster.put('Observation', found);
  const read: ReadCluster = () => Promise.resolve({ cluster, now });
  const io = fakeIo();
  const commands = [loaded('report', reportCommand(read))];
  const code = await runCli({ commands, version: '0' }, ['report', ...argv], io);
  return { code, ...io.written() };
}

/** Each day costs twice as much as the one before. */
const THREE_DAYS = observation({
  periods: [0, 1, 2].map((day) =>
    observationPeriod({
      from: START + day * DAY,
      to: START + (day + 1) * DAY,
      seconds: 86_400,
      currentUsd: 100 * 2 ** day,
      berthUsd: 80 * 2 ** day,
      currentLaunches: 10,
      berthLaunches: 7,
      berthEvictions: 5,
    }),
  ),
  actions: [
    {
      ...{ time: START + 2 * DAY, reason: 'Underutilized', nodes: ['ip-1', 'ip-2'] },
      ...{ instanceTypes: ['m6a.xlarge'], saving: 0.12 },
    },
    { time: START + DAY, reason: 'Launch', nodes: [], instanceTypes: ['m5.large'], saving: -0.1 },
  ],
});

test('Markdown has both sides, what a month would save, days and the last actions', async () => {
  const { code, stdout, stderr } = await report(THREE_DAYS, [], START + 3 * DAY);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('# Karpenter and Berth');
  expect(stdout).toContain('72.0 of 72.0 hours were observed');
  expect(stdout).toContain('| Cost, USD | 700.00 | 560.00 | −140.00 (−20 %) |');
  expect(stdout).toContain('| Nodes launched | 30 | 21 | −9 |');
  expect(stdout).toContain('| Pods evicted | not known | 15 |  |');
  // 140 USD in 72 hours.
  expect(stdout).toContain('**1419.44 USD** in a month of 730 hours');
  expect(stdout).toContain('| 2026-01-02 | 24.0 | 200.00 | 160.00 | −40.00 (−20 %) |');
  expect(stdout).toContain('| m5.large | on-demand | 20 | 14 | −6 |');
  expect(stdout).toContain(
    '- 2026-01-03T00:00Z Underutilized: remove 2 nodes (ip-1, ip-2), launch m6a.xlarge; 0.12 USD/h less',
  );
  expect(stdout).toContain('- 2026-01-02T00:00Z Launch: launch m5.large; 0.10 USD/h more');
});

test('--since leaves out what ended before', async () => {
  const { stdout } = await report(THREE_DAYS, ['--since', '30h', '-o', 'json'], START + 3 * DAY);
  expect(JSON.parse(stdout)).toMatchObject({
    system: 'karpenter',
    from: '2026-01-02T00:00Z',
    to: '2026-01-04T00:00Z',
    observedHours: 48,
    currentUsd: 600,
    berthUsd: 480,
    savedUsd: 120,
    launches: { current: 20, berth: 14 },
    days: [
      { day: '2026-01-02', savedUsd: 40 },
      { day: '2026-01-03', savedUsd: 80 },
    ],
    now: { savingHourly: 3 },
  });
});

test('a saving that is none is said to be none', async () => {
  const { stdout } = await report(observation({ periods: [observationPeriod({ berthUsd: 9 })] }));
  expect(stdout).toContain('Berth would save nothing');
  expect(stdout).toContain('+1.00 (+13 %)');
});

test('without an observation, or one of that time, it fails and says what to do', async () => {
  const none = await report(undefined);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('run berth controller --mode observe');
  const old = await report(observation(), ['--since', '1h'], START + 10 * DAY);
  expect(old).toMatchObject({ code: 1, stdout: '' });
  expect(old.stderr).toContain('the last update was at 2026-01-01T02:00:00.000Z');
});

test.each(['7', 'd', '0d', '1.5h', '7 d', '-1d'])('--since %s is refused', async (since) => {
  const { code, stderr } = await report(observation(), [`--since=${since}`]);
  expect(code).toBe(2);
  expect(stderr).toContain('expected a duration such as 24h, 7d or 4w');
});
