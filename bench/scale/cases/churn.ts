/** Pods come and go at a full cluster, while kube-scheduler asks the extender and while it does not. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOrder, LoadReply, Verb } from '../load/extender-load.js';
import { ask } from '../process/owned-process.js';
import type { Goal } from '../report/row.js';
import { giveRow, Phase, type CaseContext, type PhaseFigures } from './phase.js';

const QUIET_SECONDS = 5;
const MOST_SETTLING_SECONDS = 90;
const IDLE_SECONDS = 20;
const CHURN_SECONDS = 60;
/** Of calls without churn, and beside it. */
const QUIET_LOAD_SECONDS = 8;
const LOAD_SECONDS = 15;
/** From the end of a phase with calls to the next. */
const BETWEEN_SECONDS = 2;
/** Of pods, each deleted and made again. */
const CHURN_PER_SECOND = 100;
/** Of calls. */
const LOAD_PER_SECOND = 50;
const FEW_NAMES = 1000;
const MANY_NAMES = 5000;
/** The most that goals allow. */
const MOST_CORES = 0.35;
const MOST_WRITES_PER_SECOND = 10;
const MOST_LOOP_MILLIS = 20;
const MOST_WAIT_MILLIS = 60;

/** Calls of kube-scheduler, beside what else Berth does. */
interface Load {
  readonly verbs: readonly Verb[];
  readonly names: number;
  /** How often the usual rate. */
  readonly times: number;
}

export async function measureChurn(context: CaseContext): Promise<void> {
  const { cluster, tell } = context;
  const berth = await cluster.startBerth();
  await berth.ready();
  tell('ready');
  await cluster.settle(QUIET_SECONDS, MOST_SETTLING_SECONDS);
  const idle = await measureRest(context, 'idle', IDLE_SECONDS);
  // Its code is compiled before anything counts.
  await call(context, { verbs: ['filter', 'prioritize'], names: FEW_NAMES, times: 1 }, QUIET_LOAD_SECONDS);
  const known = cluster.nodeNames.length;
  const [few, many] = [Math.min(FEW_NAMES, known), Math.min(MANY_NAMES, known)];
  await measureCost(context, { verbs: ['filter'], names: few, times: 1 }, idle, 0.8);
  await measureCost(context, { verbs: ['filter'], names: many, times: 1 }, idle, 3);
  await measureCost(context, { verbs: ['prioritize'], names: many, times: 1 }, idle, 4);
  const loads = [...new Set([few, many])].flatMap((names) =>
    [1, 3].map((times): Load => ({ verbs: ['filter', 'prioritize'], names, times })),
  );
  // Calls that are not answered in time make a phase longer.
  await cluster.api.churn(CHURN_PER_SECOND, CHURN_SECONDS + loads.length * 2 * LOAD_SECONDS);
  const alone = await measureRest(context, 'churn', CHURN_SECONDS);
  for (const load of loads) await measureBeside(context, load, alone);
}

/** Cores that Berth takes while kube-scheduler asks nothing. */
async function measureRest(context: CaseContext, what: string, seconds: number): Promise<number> {
  context.tell(what);
  const phase = await Phase.begin(context);
  await sleep(seconds * 1000);
  const figures = await phase.end();
  const cores = figures.cpu.all / figures.seconds;
  const writesPerSecond = figures.writes / figures.seconds;
  const goals: readonly Goal[] = [
    { what: 'cores', figure: cores, atMost: MOST_CORES },
    { what: 'writes/s', figure: writesPerSecond, atMost: MOST_WRITES_PER_SECOND },
    { what: 'ms of CPU in one piece, p99', figure: figures.loopP99CpuMillis, atMost: MOST_LOOP_MILLIS },
  ];
  const more = { cores, writesPerSecond, ...churned(figures) };
  giveRow(context, figures, { name: nameOf(context, what), more, goals });
  return cores;
}

/** What a call costs, without churn. */
async function measureCost(context: CaseContext, load: Load, idle: number, atMost: number): Promise<void> {
  const what = `${load.verbs.join(' and ')} of ${String(load.names)}`;
  context.tell(what);
  const phase = await Phase.begin(context);
  const reply = await call(context, load, QUIET_LOAD_SECONDS);
  const figures = await phase.end();
  const perCall = cpuPerCall(figures, reply, idle);
  giveRow(context, figures, {
    name: nameOf(context, what),
    more: { cpuMillisPerCall: perCall, ...answers(reply) },
    goals: [{ what: 'ms of CPU a call', figure: perCall, atMost }],
  });
}

/** How soon calls are answered while pods come and go. */
async function measureBeside(context: CaseContext, load: Load, alone: number): Promise<void> {
  const rate = `${String(load.times * LOAD_PER_SECOND)}/s`;
  const what = `churn + ${rate} ${load.verbs.join(' and ')} of ${String(load.names)}`;
  context.tell(what);
  const phase = await Phase.begin(context);
  const reply = await call(context, load, LOAD_SECONDS);
  const figures = await phase.end();
  giveRow(context, figures, {
    name: nameOf(context, what),
    more: {
      cores: figures.cpu.all / figures.seconds,
      cpuMillisPerCall: cpuPerCall(figures, reply, alone),
      ...answers(reply),
      ...churned(figures),
    },
    goals: [
      { what: 'calls lost', figure: reply.failed, atMost: 0 },
      ...(load.times > 1
        ? []
        : [{ what: 'ms of waiting, p99', figure: reply.p99, atMost: MOST_WAIT_MILLIS }]),
    ],
  });
  await sleep(BETWEEN_SECONDS * 1000);
}

function call({ cluster }: CaseContext, { verbs, names, times }: Load, seconds: number): Promise<LoadReply> {
  const nodeNames = cluster.nodeNames.slice(0, names);
  const order: LoadOrder = { verbs, nodeNames, perSecond: times * LOAD_PER_SECOND, seconds };
  return ask(cluster.load(), order);
}

/** Of the whole process, beyond what it takes without calls. */
function cpuPerCall({ cpu, seconds }: PhaseFigures, { calls }: LoadReply, besideCores: number): number {
  return ((cpu.all - besideCores * seconds) * 1000) / calls;
}

function answers({ calls, failed, p50, p99, cpuSeconds }: LoadReply): Readonly<Record<string, number>> {
  return { calls, lost: failed, p50Millis: p50, p99Millis: p99, generatorCpuSeconds: cpuSeconds };
}

/** How many pods were replaced: the API has the same processors, and may fall behind. */
function churned({ state, seconds }: PhaseFigures): Readonly<Record<string, number>> {
  const replaced = state.audit['churn pods']?.requests ?? 0;
  return replaced === 0 ? {} : { replacedPerSecond: replaced / seconds };
}

function nameOf({ request: { nodes, podsPerNode } }: CaseContext, what: string): string {
  return `${String(nodes)} x ${String(podsPerNode)}: ${what}`;
}
