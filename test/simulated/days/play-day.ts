/** Plays one day by a seed and judges it. */
import { writeFileSync } from 'node:fs';
import { Draw } from '../../fuzz/draw.js';
import { SimulatedWorld } from '../simulated-world.js';
import { smallRegion } from '../small-region.js';
import { budgetOverruns } from './judges/budget-overruns.js';
import { doubleEvictions } from './judges/double-evictions.js';
import type { Bench, Finding, Judge } from './judges/judge.js';
import { lateInterruptions } from './judges/late-interruptions.js';
import { leakedInstances } from './judges/leaked-instances.js';
import { limitOverruns } from './judges/limit-overruns.js';
import { pendingPods } from './judges/pending-pods.js';
import { pdbViolations } from './judges/pdb-violations.js';
import { stuckNodes } from './judges/stuck-nodes.js';
import { undoneMoves } from './judges/undone-moves.js';
import { classManifest, drawPools, poolManifest } from './plan/pools.js';
import { Stage } from './plan/stage.js';
import { drawDeployments, replicasAt, workloadManifests } from './plan/workloads.js';
import { History, RequestTap } from './record/history.js';
import { runningInstances } from './record/instances.js';
import { BOOTS } from './strands/boots.js';
import { CLOUD } from './strands/cloud.js';
import { DEMAND } from './strands/demand.js';
import { OPERATORS } from './strands/operators.js';
import { happenings } from './strands/strand.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** 1 January 2026, a Thursday; each seed has a day of its own, so that days of the week differ. */
const FIRST_DAY = Date.UTC(2026, 0, 1);
const LOOK_MILLIS = 30_000;
/** Pods get their nodes before anything goes wrong. */
const MORNING_MILLIS = 1_200_000;
/** In these nothing happens that could be a reason to move pods again. */
const QUIET_MILLIS = 80 * 60_000;
/** After the day, with everything in stock, until what is under way has come to an end. */
const EVENING_MILLIS = 30 * 60_000;
/** A few that many clusters run on: every type costs time in every plan. */
const CATALOGUE = smallRegion({
  families: new Set('c6i m6i r6i c6g m6g r6g'.split(' ')),
  sizes: new Set('large xlarge 2xlarge 4xlarge'.split(' ')),
});
const JUDGES: readonly ((bench: Bench) => Judge)[] = [
  pdbViolations,
  budgetOverruns,
  limitOverruns,
  leakedInstances,
  doubleEvictions,
  stuckNodes,
  undoneMoves,
  lateInterruptions,
];
const STRANDS = [...DEMAND, ...CLOUD, ...BOOTS, ...OPERATORS];
/** Of the trace, for whoever reads a finding. */
const STORY_MILLIS = 1_800_000;
const STORY_LINES = 25;

export interface DayOptions {
  readonly seed: number;
  /** From an hour of the day that is drawn; 24 is a whole day from midnight. */
  readonly hours: number;
  /** Where to write all that happens, a line each. */
  readonly traceFile?: string | undefined;
}

export interface DayResult {
  readonly seed: number;
  readonly findings: readonly (Finding & { readonly story: readonly string[] })[];
  /** Of the trace: the same for the same seed. */
  readonly sha256: string;
  readonly lines: number;
  readonly launched: number;
  readonly evicted: number;
  readonly interrupted: number;
  /** Pods without a node for which there could be one, and instances, in the end. */
  readonly pending: number;
  readonly running: number;
  /** Of the processor. */
  readonly seconds: number;
}

export async function playDay({ seed, hours, traceFile = '' }: DayOptions): Promise<DayResult> {
  const cpu = process.cpuUsage();
  const draw = new Draw(seed);
  const startHour = draw.integer(0, Math.floor(24 - hours));
  const start = FIRST_DAY + (seed % 7) * DAY_MILLIS + startHour * HOUR_MILLIS;
  const tap = new RequestTap();
  const { around } = tap;
  const world = await SimulatedWorld.start({
    ...{ seed, start, around },
    catalogue: CATALOGUE,
    flags: { 'zonal-shift': 'yes' },
  });
  const day = new Day({ world, draw, tap });
  await day.begin(startHour);
  await day.go(hours * HOUR_MILLIS);
  await day.end();
  const { user, system } = process.cpuUsage(cpu);
  if (traceFile !== '') writeFileSync(traceFile, `${world.actors.trace.lines.join('\n')}\n`);
  const result = { seed, ...day.result(), seconds: (user + system) / 1e6 };
  await world.close();
  return result;
}

class Day {
  readonly #world: SimulatedWorld;
  readonly #draw: Draw;
  readonly #stage: Stage;
  readonly #history: History;
  readonly #bench: Bench;
  readonly #judges: readonly Judge[];
  readonly #findings: (Finding & { readonly story: readonly string[] })[] = [];
  readonly #launched = new Set<string>();

  constructor({
    world,
    draw,
    tap,
  }: {
    readonly world: SimulatedWorld;
    readonly draw: Draw;
    readonly tap: RequestTap;
  }) {
    this.#world = world;
    this.#draw = draw;
    this.#history = new History(world, tap);
    this.#stage = new Stage({
      world,
      draw: new Draw(draw.integer(0, 2 ** 31)),
      pools: drawPools(draw),
      deployments: drawDeployments(draw),
    });
    this.#bench = {
      world,
      history: this.#history,
      stage: this.#stage,
      report: (finding) => {
        const found = { ...finding, at: world.clock.now() };
        this.#findings.push({ ...found, story: storyOf(world, found) });
      },
    };
    this.#judges = JUDGES.map((judge) => judge(this.#bench));
    world.aws.onInstance(({ id }) => this.#launched.add(id));
  }

  async begin(hour: number): Promise<void> {
    const { pools, deployments } = this.#stage;
    await this.#world.apply([
      classManifest(1),
      ...pools.map(poolManifest),
      ...workloadManifests(deployments, hour),
    ]);
    for (const terms of deployments) await this.#stage.scale(terms.name, replicasAt(terms, hour, 1));
  }

  async go(millis: number): Promise<void> {
    const begun = this.#world.clock.monotonic();
    const quiet = this.#quietTimes(millis);
    const isQuiet = (at: number): boolean =>
      at < MORNING_MILLIS || quiet.some((from) => at >= from && at < from + QUIET_MILLIS);
    for (const { at, act } of happenings(STRANDS, { draw: this.#draw, millis, isQuiet })) {
      await this.#passTo(begun + at);
      await act(this.#stage);
    }
    await this.#passTo(begun + millis);
  }

  /** Everything is in stock again, boots are as usual, and nobody asks for anything. */
  async end(): Promise<void> {
    this.#stage.calm();
    this.#world.aws.faults.clear();
    await this.#passTo(this.#world.clock.monotonic() + EVENING_MILLIS);
    for (const judge of this.#judges) judge.end?.();
  }

  result(): Omit<DayResult, 'seed' | 'seconds'> {
    const { trace } = this.#world.actors;
    return {
      findings: this.#findings,
      sha256: trace.sha256(),
      lines: trace.lines.length,
      launched: this.#launched.size,
      evicted: [...this.#history.pods.values()].filter(({ evictedAt }) => evictedAt !== undefined).length,
      interrupted: this.#stage.interruptions,
      pending: pendingPods(this.#bench),
      running: runningInstances(this.#world).length,
    };
  }

  /** Twice a day, and once in a day that is shorter. */
  #quietTimes(millis: number): readonly number[] {
    const count = Math.max(millis < 3 * HOUR_MILLIS ? 0 : 1, Math.floor(millis / (12 * HOUR_MILLIS)));
    return Array.from({ length: count }, (_, index) => {
      const share = millis / count;
      return MORNING_MILLIS + share * index + this.#draw.next() * (share - QUIET_MILLIS - MORNING_MILLIS);
    });
  }

  async #passTo(monotonic: number): Promise<void> {
    const { clock } = this.#world;
    while (clock.monotonic() < monotonic) {
      await clock.advance(Math.min(LOOK_MILLIS, monotonic - clock.monotonic()));
      for (const judge of this.#judges) judge.look?.();
    }
  }
}

/** The last lines about the finding's objects. */
function storyOf({ actors, clock }: SimulatedWorld, { objects }: Finding): readonly string[] {
  const names = objects.map((name) => name.split('/').at(-1) ?? name).filter((name) => name !== '');
  const since = clock.monotonic() - STORY_MILLIS;
  return actors.trace.lines
    .filter((line) => Number(line.slice(0, line.indexOf(' '))) >= since)
    .filter((line) => names.some((name) => line.includes(name)))
    .slice(-STORY_LINES);
}
