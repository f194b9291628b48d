/**
 * The scenarios of every world on a real control plane, with machines of EC2 at the wire; then once more in the simulated
 * world, and what differs between the two (reports/scenarios.json). Where they differ the real one is right.
 */
import { BAD_INPUT, DISRUPTIONS, EXAMPLES, type ScenarioCase } from '../../scenario/scenarios.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
import { writeReport } from '../fidelity/report.js';
import { clockAhead } from '../sides/clock-ahead.js';
import { differencesOf, type Difference } from '../sides/differences.js';
import { simulated, witnessed } from '../sides/run-on-both.js';
import type { Sight } from '../sides/sight.js';

const ALL = [...EXAMPLES, ...DISRUPTIONS, ...BAD_INPUT];
const GROUPS: Readonly<Record<string, readonly ScenarioCase[]>> = {
  examples: EXAMPLES.filter(startsAnytime),
  disruptions: DISRUPTIONS.filter(startsAnytime),
  'bad input': BAD_INPUT.filter(startsAnytime),
  ...Object.fromEntries(ALL.filter((each) => !startsAnytime(each)).map((each) => [each.name, [each]])),
};

function startsAnytime({ start }: ScenarioCase): boolean {
  return start === undefined;
}

const sights = new Map<string, Sight>();

describe.each(Object.entries(GROUPS).filter(([, cases]) => cases.length > 0))(
  'on a real control plane: %s',
  (_, cases) => {
    let berth: BerthCluster;

    beforeAll(async () => {
      berth = await BerthCluster.start({ machines: 'aws', clockAheadMillis: clockAhead(cases[0]?.start) });
    }, 120_000);

    afterAll(async () => {
      await berth.stop();
    });

    test.each(cases.map((each) => [each.name, each] as const))('%s', async (name, each) => {
      const sight = await witnessed(new RealWorld(berth), each);
      sights.set(name, sight);
      expect(sight.seconds).toBeGreaterThanOrEqual(0);
    });
  },
);

describe('beside the simulated world', () => {
  const table: unknown[] = [];

  afterAll(() => {
    if (table.length === ALL.length)
      writeReport('scenarios', 'KUBERNETES=1.36 test/controlplane/run.sh suite/scenarios', { table });
  });

  test.each(ALL.map((each) => [each.name, each] as const))('%s: differs as explained', async (name, each) => {
    const there = await simulated(each);
    const here = sights.get(name);
    const differences: readonly Difference[] = here === undefined ? [] : differencesOf(there, here);
    if (here !== undefined) table.push({ scenario: name, simulated: there, real: here, differences });
    expect(differences.filter(({ explanation }) => explanation === '')).toEqual([]);
  });
});
