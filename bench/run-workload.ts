/** Runs every solver on one workload, judges what comes back, and makes a row of each. */
import type { ClusterInput } from '../src/planning/snapshot/cluster-input.js';
import { bestBound, type BestBound } from './judge/best-bound.js';
import { judgePlan } from './judge/judge-plan.js';
import type { Row, Solver } from './report/row.js';
import { BerthPlanner } from './solvers/berth-planner.js';
import { measureInProcess, type Method } from './solvers/berth.js';
import { solveWithKarpenter, type KarpenterAnswer } from './solvers/karpenter.js';
import { clusterInputOf } from './workloads/cluster-input.js';
import { pose, type PosedQuestion, type Question } from './workloads/question.js';

/** What running needs beside the question. */
export interface Bench {
  /** This program, to be started again for a measurement. */
  readonly program: string;
  /** Of the checkout. */
  readonly projectRoot: string;
  /** The Karpenter driver; undefined: Berth alone. */
  readonly driver: string | undefined;
  readonly karpenterSeconds: number;
  /** Seconds of Berth's repeats. */
  readonly budget: number;
  readonly report: (line: string) => void;
  /** How the names of the only blow-ups that are measured begin; undefined: all of them. */
  readonly blowup?: string | undefined;
}

const METHODS: readonly Method[] = ['berth', 'ffd'];
const WORKERS = [1, 5] as const;

/** The rows of one workload, Berth's first. */
export async function runWorkload(bench: Bench, question: Question): Promise<readonly Row[]> {
  const posed = pose(question);
  const input = clusterInputOf(posed.workload, posed.types);
  // Planning is deterministic: with its proof, it is the plan that is measured.
  const bound = bestBound(input, new BerthPlanner().prove(input));
  const lowerBound = provenOrNull(bound.hourly);
  const rows: Row[] = [];
  for (const method of METHODS) rows.push(await runBerth(bench, question, { input, bound, method }));
  const { driver } = bench;
  if (driver === undefined) return rows;
  return [...rows, ...WORKERS.map((workers) => runKarpenter(bench, driver, { posed, workers, lowerBound }))];
}

function provenOrNull(bound: number): number | null {
  return bound > 0 ? bound : null;
}

interface Judged {
  readonly input: ClusterInput;
  readonly bound: BestBound;
  readonly method: Method;
}

async function runBerth(bench: Bench, question: Question, { input, bound, method }: Judged): Promise<Row> {
  // First-fit is a yardstick for prices: its time need not be steady.
  const budget = method === 'ffd' ? 0 : bench.budget;
  const { plan, ...times } = await measureInProcess(bench.program, question, { budget, method });
  const verdict = judgePlan(input, plan);
  if (verdict.complaints !== '')
    bench.report(`${question.workload}, ${method}: ${firstLines(verdict.complaints)}`);
  return {
    workload: question.workload,
    solver: method,
    pods: pendingPods(input),
    placed: plan.placements.length,
    seconds: times.middle,
    cpuSeconds: times.cpu,
    coldSeconds: times.cold,
    hourly: verdict.hourly,
    lowerBound: provenOrNull(bound.hourly),
    rssMiB: times.rssMiB,
    valid: verdict.valid,
    claims: verdict.claims,
    berth: {
      highest: verdict.highest,
      claimedBound: plan.cost.lowerBound,
      boundBy: bound.by,
      spotClaims: verdict.spotClaims,
      diverseSpotClaims: verdict.diverseSpotClaims,
      leastSeconds: times.least,
      sinceStartSeconds: times.sinceStart,
      snapshotSeconds: times.snapshot,
      compileSeconds: times.compile,
      runs: times.runs,
    },
    remark: verdict.unplaced === 0 ? undefined : `${String(verdict.unplaced)} pods without a place`,
  };
}

interface KarpenterRun {
  readonly posed: PosedQuestion;
  readonly workers: (typeof WORKERS)[number];
  readonly lowerBound: number | null;
}

function runKarpenter(bench: Bench, driver: string, { posed, workers, lowerBound }: KarpenterRun): Row {
  const answer = solveWithKarpenter(driver, posed, { workers, most: bench.karpenterSeconds });
  const solver: Solver = `karpenter-${String(workers) as '1' | '5'}`;
  const pods = posed.workload.pods.length;
  return {
    workload: posed.workload.name,
    solver,
    pods,
    placed: answer.scheduled,
    seconds: answer.solve,
    cpuSeconds: answer.cpu,
    coldSeconds: answer.solve,
    hourly: answer.hourly,
    lowerBound,
    rssMiB: answer.rssMiB,
    valid: answer.scheduled === pods,
    claims: answer.claims,
    remark: remarkOn(answer, pods, bench.karpenterSeconds),
  };
}

function remarkOn({ stopped, scheduled }: KarpenterAnswer, pods: number, most: number): string | undefined {
  if (stopped) return `stopped at ${String(most)} s with ${String(scheduled)} pods placed`;
  return scheduled === pods ? undefined : `${String(pods - scheduled)} pods without a place`;
}

function pendingPods({ pods }: ClusterInput): number {
  return pods.filter(({ nodeName }) => nodeName === undefined).length;
}

const SHOWN_LINES = 5;

function firstLines(text: string): string {
  const lines = text.split('\n');
  const more = lines.length - SHOWN_LINES;
  return [...lines.slice(0, SHOWN_LINES), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n  ');
}
