/** Berth in a process of its own: how long its plans take, cold and warm, what the process holds, and the plans. */
import type { Plan } from '../../src/planning/plan.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInputOf } from '../workloads/cluster-input.js';
import { pose, type PosedQuestion, type Question } from '../workloads/question.js';
import { ConsolidationPlanner } from '../../src/planning/disrupt/curve/consolidation-curve.js';
import type { ConsolidationPoint } from '../../src/planning/disrupt/curve/consolidation-question.js';
import { BerthPlanner, sweep } from './berth-planner.js';
import { peakMebibytes } from './peak-memory.js';
import { median, processorSeconds, repeat, timed } from './stopwatch.js';

export interface BerthMeasurement {
  readonly plan: Plan;
  /** Seconds of the fastest and of the middle warm run of plan(). */
  readonly least: number;
  readonly middle: number;
  /** Seconds of the first run of plan() in the process. */
  readonly cold: number;
  /** Seconds from the start of the process until the first plan: loading the program, reading, building, planning. */
  readonly sinceStart: number;
  readonly runs: number;
  /** Middle seconds of building the snapshot, which comes before plan(), and of the part of plan() that compiles. */
  readonly snapshot: number;
  readonly compile: number;
  /** Least seconds of all processors in a warm run of plan(): what is left of time when others use the host too. */
  readonly cpu: number;
  /** MiB that the process held at most. */
  readonly rssMiB: number;
}

/** One plan among several of a process. */
export interface PlannedQuestion {
  readonly question: Question;
  readonly plan: Plan;
  readonly seconds: number;
}

/** V8 goes on compiling for so many runs of a fast plan; of a slow one the budget is spent sooner. */
const LEAST_RUNS = 40;
const MOST_RUNS = 60;

/** How a plan is made: by Berth, or by its first-fit-decreasing alone. */
export type Method = 'berth' | 'ffd';

/** Plans again and again until it gets no faster, for about `budget` seconds. */
export function measureBerth(question: Question, budget: number, method: Method): BerthMeasurement {
  const batches = new Batches(pose(question));
  const planner = new BerthPlanner();
  const snapshots: number[] = [];
  const cpus: number[] = [];
  let first: Plan | undefined;
  let sinceStart = 0;
  const runs = repeat(
    () => {
      const input = batches.next();
      const { plan, snapshot, seconds, cpu } =
        method === 'ffd' ? planner.planFirstFit(input) : planner.plan(input);
      if (first === undefined) sinceStart = performance.now() / 1000;
      first ??= plan;
      snapshots.push(snapshot);
      cpus.push(cpu);
      return seconds;
    },
    { leastRuns: LEAST_RUNS, mostRuns: MOST_RUNS, budget },
  );
  if (first === undefined) throw new Error('no run was made');
  const rssMiB = peakMebibytes();
  return {
    plan: first,
    least: Math.min(...warm(runs)),
    middle: median(warm(runs)),
    cold: runs[0] ?? 0,
    sinceStart,
    runs: runs.length,
    snapshot: median(warm(snapshots)),
    compile: planner.compile(batches.next()),
    cpu: Math.min(...warm(cpus)),
    rssMiB,
  };
}

/** A consolidation curve, and how long it takes, in seconds. */
export interface CurveMeasurement {
  readonly curve: readonly ConsolidationPoint[];
  readonly least: number;
  readonly middle: number;
  readonly cold: number;
  readonly cpu: number;
  readonly runs: number;
}

/** Asks for the curve of a cluster again and again until it comes no faster, for about `budget` seconds. */
export function measureCurve(question: Question, budget: number): CurveMeasurement {
  const { workload, types } = pose(question);
  const input = clusterInputOf(workload, types);
  const planner = new ConsolidationPlanner();
  const cpus: number[] = [];
  let curve: readonly ConsolidationPoint[] = [];
  const runs = repeat(
    () => {
      sweep();
      const before = process.cpuUsage();
      const [made, seconds] = timed(() => planner.curve(input));
      cpus.push(processorSeconds(before));
      curve = made;
      return seconds;
    },
    { leastRuns: LEAST_RUNS, mostRuns: MOST_RUNS, budget },
  );
  return {
    curve,
    least: Math.min(...warm(runs)),
    middle: median(warm(runs)),
    cold: runs[0] ?? 0,
    cpu: Math.min(...warm(cpus)),
    runs: runs.length,
  };
}

/** The second half of the runs. */
function warm(runs: readonly number[]): readonly number[] {
  return runs.slice(Math.floor(runs.length / 2));
}

/** The plans of several questions, one after the other, in one process that has planned the first of them before. */
export function planEach(questions: readonly Question[]): readonly PlannedQuestion[] {
  const planner = new BerthPlanner();
  const [first] = questions;
  if (first !== undefined) planner.plan(new Batches(pose(first)).next());
  return questions.map((question) => {
    const { plan, seconds } = planner.plan(new Batches(pose(question)).next());
    return { question, plan, seconds };
  });
}

/** The same batch again and again, as a running controller sees it: new pods beside a cluster that it knows. */
class Batches {
  readonly #posed: PosedQuestion;
  readonly #cluster: ClusterInput;

  constructor(posed: PosedQuestion) {
    this.#posed = posed;
    this.#cluster = clusterInputOf({ ...posed.workload, pods: [] }, posed.types);
  }

  next(): ClusterInput {
    const { workload, types } = this.#posed;
    const { pods } = clusterInputOf({ ...workload, nodes: [], daemonsets: [], nodePools: [] }, types);
    return { ...this.#cluster, pods: [...pods, ...this.#cluster.pods] };
  }
}
