/**
 * The scenarios of every world on a real control plane, with instances of EC2 at the wire; then once more in the simulated
 * world, and what differs between the two (reports/scenarios.json). Where they differ the real one is right.
 */
import process from 'node:process';
import { BAD_INPUT, DISRUPTIONS, EXAMPLES, type ScenarioCase } from '../../scenario/scenarios.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
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

/** How often a scenario is played at most in which kube-scheduler went on without Berth, and which failed. */
const MOST_PLAYED = 3;

/**
 * What is seen of the scenario in a cluster of its own. Where kube-scheduler did not wait for Berth's answers, a failure says how busy
 * the machine is, so that the scenario is played again.
 */
async function played(scenario: ScenarioCase, left = MOST_PLAYED - 1): Promise<Sight> {
  const clockAheadMillis = clockAhead(scenario.start);
  const flags = Object.entries(scenario.flags ?? {}).map(([name, value]) => `--${name}=${value}`);
  const berth = await BerthCluster.start({ clockAheadMillis, flags });
  try {
    return await witnessed(new RealWorld(berth), scenario);
  } catch (error) {
    const ignored = berth.callsIgnored;
    if (ignored === 0 || left === 0) throw error;
    process.stderr.write(
      `${scenario.name}: kube-scheduler did not wait for ${String(ignored)} answers; played again. ${String(error)}\n`,
    );
  } finally {
    await berth.stop();
  }
  return played(scenario, left - 1);
}

// Each changes what all of a cluster share, such as node class, cloud and clock; and they wait more than they work.
describe('in a real cluster of its own', () => {
  test.concurrent.each(named(CHOSEN))(
    '%s',
    async (name, scenario) => {
      const sight = await played(scenario);
      sights.set(name, sight);
      expect(sight.sold).toBeGreaterThanOrEqual(sight.instances.length);
    },
    MOST_PLAYED * 300_000,
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
