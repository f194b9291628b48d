/**
 * What observing a day says that Berth would save, and what Berth then saves on the same day: in one world Karpenter goes on and
 * Berth observes it, in another Berth takes the nodes over at the moment at which the observation began.
 */
import { savedUsd, type Observation } from '../../../src/domain/records/observation.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { forbidden, observedWorld, type ObservedWorld } from '../karpenter/observed-world.js';
import { live, simulatedDay } from '../karpenter/simulated-day.js';
import { switchOver } from '../karpenter/switch-over.js';
import { smallRegion } from '../small-region.js';

const HOUR = 3_600_000;
const QUIET_SECONDS = 60;
/** More than a pod waits for a new node. */
const LAUNCH_MILLIS = 180_000;
/** A few that many clusters run on: every type costs time in every plan. */
const CATALOGUE = smallRegion({
  families: new Set('c5 c6a m5 m6a r5 r6a'.split(' ')),
  sizes: new Set('large xlarge 2xlarge'.split(' ')),
});
const FLAGS = { 'observe-interval': '600' };

export interface DayTerms {
  readonly seed: number;
  /** When the day begins, in hours after midnight; Karpenter is then alone for an hour. */
  readonly hour: number;
  /** How long is observed. */
  readonly hours: number;
}

/** Of one side: what was launched and removed, and what it cost per hour in the end. */
export interface Side {
  readonly launches: number;
  readonly removals: number;
  /** USD. */
  readonly cost: number;
  /** USD/h. */
  readonly hourlyAtEnd: number;
}

export interface ComparedDay {
  readonly seed: number;
  /** What was observed, in hours. */
  readonly hours: number;
  /** When the observation began, and in the end. */
  readonly nodes: readonly [number, number];
  /** What EC2 charged with Karpenter. */
  readonly billUsd: number;
  readonly predictedSavingUsd: number;
  readonly realisedSavingUsd: number;
  /** The difference of both savings as a share of the bill; positive where the prediction was too high. */
  readonly error: number;
  readonly predicted: Side;
  readonly realised: Side;
  /** What EC2 charged with Karpenter, and what was observed. */
  readonly currentUsd: readonly [number, number];
  readonly periods: readonly ComparedPeriod[];
  /** That a process must not make that only observes. */
  readonly mutatingCalls: number;
  readonly pendingPods: number;
  /** Of the processor. */
  readonly seconds: number;
}

/** Ten minutes: USD and launches, as observed and as they were. */
interface ComparedPeriod {
  readonly cost: readonly [number, number];
  readonly launches: readonly [number, number];
}

interface Observed {
  readonly observation: Observation;
  readonly bill: number;
  readonly nodes: readonly [number, number];
  readonly mutatingCalls: number;
}

export async function compareDay(terms: DayTerms): Promise<ComparedDay> {
  const cpu = process.cpuUsage();
  const observed = await observe(terms);
  const { total, now } = observed.observation;
  const real = await switchAndLive(terms, observed.observation);
  const predictedSavingUsd = savedUsd(total);
  const realisedSavingUsd = observed.bill - real.realised.cost;
  const { user, system } = process.cpuUsage(cpu);
  return {
    seed: terms.seed,
    hours: total.seconds / 3600,
    nodes: observed.nodes,
    billUsd: observed.bill,
    ...{ predictedSavingUsd, realisedSavingUsd },
    error: (predictedSavingUsd - realisedSavingUsd) / observed.bill,
    predicted: {
      launches: total.berthLaunches,
      removals: total.berthRemovals,
      cost: total.berthUsd,
      hourlyAtEnd: now.berthHourly,
    },
    ...real,
    currentUsd: [observed.bill, total.currentUsd],
    mutatingCalls: observed.mutatingCalls,
    seconds: (user + system) / 1e6,
  };
}

/** The day with Karpenter. */
async function observe(terms: DayTerms): Promise<Observed> {
  const { it, go, end } = await beginning(terms);
  const { world, karpenter, bill } = it;
  const before = karpenter.size;
  const changed = it.changes.length;
  world.startBerth();
  await go();
  const observation = it.observation();
  if (observation === undefined) throw new Error('nothing was observed');
  const { since, updatedAt } = observation;
  const result = {
    observation,
    bill: bill.between(since, updatedAt),
    nodes: [before, karpenter.size] as const,
    mutatingCalls: forbidden(it.changes.slice(changed)).length,
  };
  await end();
  return result;
}

/** The same day, of which Berth takes over what is left. */
async function switchAndLive(
  terms: DayTerms,
  { since, updatedAt, periods }: Observation,
): Promise<Pick<ComparedDay, 'realised' | 'periods' | 'pendingPods'>> {
  const { it, go, end } = await beginning(terms);
  const { world, karpenter, bill } = it;
  await switchOver(world, karpenter);
  await go();
  const realised = {
    launches: bill.launches(since, updatedAt),
    removals: bill.ends(since, updatedAt),
    cost: bill.between(since, updatedAt),
    hourlyAtEnd: bill.hourly,
  };
  const compared = periods.map(({ from, to, berthUsd, berthLaunches }) => ({
    cost: [berthUsd, bill.between(from, to)] as const,
    launches: [berthLaunches, bill.launches(from, to)] as const,
  }));
  // Those that came last may still wait for their node.
  await world.clock.advance(LAUNCH_MILLIS);
  const pods = await world.pods();
  const pendingPods = pods.filter(({ nodeName }) => nodeName === undefined).length;
  await end();
  return { realised, periods: compared, pendingPods };
}

interface Beginning {
  readonly it: ObservedWorld;
  /** Has the rest of the day happen. */
  readonly go: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** An hour of the day with Karpenter alone, and until none of its nodes comes or goes: such ones could not be adopted. */
async function beginning({ seed, hour, hours }: DayTerms): Promise<Beginning> {
  const it = await observedWorld({ seed, flags: FLAGS, catalogue: CATALOGUE });
  const { world, karpenter } = it;
  await world.stopBerth();
  await world.api.delete('policystatuses.berth.sh', { name: 'observation.cluster' }).catch(() => undefined);
  const midnight = it.midnight - hour * HOUR;
  const end = hour + 1 + hours;
  const day = simulatedDay(seededRandom(seed), { from: hour, to: end });
  const passed = (from: number, to: number): Promise<void> =>
    live(world, day, { midnight, from: from * HOUR, to: to * HOUR });
  await passed(hour, hour + 1);
  await world.until('no node comes or goes', () => Promise.resolve(!karpenter.isBusy), QUIET_SECONDS);
  return {
    it,
    go: () => passed(hour + 1, end),
    end: async () => {
      await karpenter.stop();
      await world.close();
    },
  };
}
