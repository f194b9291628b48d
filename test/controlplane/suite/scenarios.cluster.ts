/**
 * The scenarios of every world on a real control plane, with instances of EC2 at the wire; then once more in the simulated
 * world, and what differs between the two (reports/scenarios.json). Where they differ the real one is right.
 */
import { BAD_INPUT, DISRUPTIONS, EXAMPLES, type ScenarioCase } from '../../scenario/scenarios.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
import { ATTEMPTS_MILLIS, ignored, untilAsked, type Attempt } from '../berth/until-asked.js';
import { writeReport } from '../fidelity/report.js';
import { clockAhead } from '../sides/clock-ahead.js';
import { differencesOf, type Difference } from '../sides/differences.js';
import { simulated, witnessed } from '../sides/run-on-both.js';
import type { Sight } from '../sides/sight.js';

const COMMAND = 'KUBERNETES=1.36 test/controlplane/run.sh suite/scenarios';
/** Those that take longest first. */
const ALL = [...DISRUPTIONS, ...BAD_INPUT, ...EXAMPLES];
const PATTERN = new RegExp(process.env['SCENARIOS'] ?? '');
/** All, or those whose names the environment variable SCENARIOS matches. */
const CHOSEN = ALL.filter(({ name }) => PATTERN.test(name));

/** What was seen on the real control plane, by scenario. */
const sights = new Map<string, Sight>();

function named(cases: readonly ScenarioCase[]): readonly (readonly [string, ScenarioCase])[] {
  return cases.map((scenario) => [scenario.name, scenario]);
}

/** Of a scenario that was played: what was seen, or why it failed. */
interface Played extends Attempt {
  readonly sight?: Sight;
  readonly error?: unknown;
}

async function play(scenario: ScenarioCase): Promise<Played> {
  const { start, flags = {} } = scenario;
  const berth = await BerthCluster.start({
    clockAheadMillis: clockAhead(start),
    flags: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
  });
  try {
    return { callsIgnored: 0, sight: await witnessed(new RealWorld(berth), scenario) };
  } catch (error) {
    return { callsIgnored: berth.callsIgnored(), error };
  } finally {
    await berth.stop();
  }
}

function failureOf(played: Played): unknown {
  const { error, callsIgnored } = played;
  if (callsIgnored === 0) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`${message}; ${ignored(played)}`, { cause: error });
}

// Each changes what all of a cluster share, such as node class, cloud and clock; and they wait more than they work.
describe('in a real cluster of its own', () => {
  test.concurrent.each(named(CHOSEN))(
    '%s',
    async (name, scenario) => {
      const played = await untilAsked(name, () => play(scenario));
      const { sight } = played;
      if (sight === undefined) throw failureOf(played);
      sights.set(name, sight);
      expect(sight.sold).toBeGreaterThanOrEqual(sight.instances.length);
    },
    ATTEMPTS_MILLIS,
  );
});

describe('beside the simulated world', () => {
  const seen: object[] = [];
  const differences: Difference[] = [];

  afterAll(() => {
    const name = seen.length === ALL.length ? 'scenarios' : 'scenarios-partial';
    if (seen.length > 0) writeReport(name, COMMAND, { differences, seen });
  });

  test.each(named(CHOSEN))('%s: whatever differs is explained', async (name, scenario) => {
    const real = sights.get(name);
    expect(real).toBeDefined();
    if (real === undefined) return;
    const there = await simulated(scenario);
    const found = differencesOf(name, there, real);
    seen.push({ scenario: name, simulated: there, real });
    differences.push(...found);
    expect(found.filter(({ explanation }) => explanation === '')).toEqual([]);
  });
});
