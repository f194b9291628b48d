/** Measures a controller at work from outside: how long kube-scheduler waits while it plans, and what memory it takes. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Plan } from '../../src/planning/plan.js';
import { median } from '../solvers/stopwatch.js';
import type { ControllerOrder, ControllerReply, ControllerRequest } from './controller-process.js';
import type { LoadOrder, LoadReply, LoadRequest } from './load-generator.js';

/** The arguments that make a process of this program a controller, and a load generator. */
export const CONTROLLER = '--controller';
export const LOAD = '--load';

/** One run, in milliseconds. */
export interface WaitingRun {
  readonly idle: number;
  readonly busy: number;
  /** Plans made meanwhile. */
  readonly plans: number;
}

const RUNS = 5;
const WARM_UP: LoadOrder = { seconds: 3, perSecond: 50 };
const RUN: LoadOrder = { seconds: 4, perSecond: 50 };
const PERCENTILE = 0.99;

/** 99th percentiles of the extender's answers, at rest and while the plan repeats, in turns. */
export async function measureWaiting(
  program: string,
  request: ControllerRequest,
): Promise<readonly WaitingRun[]> {
  const { controller, hello } = await startController(program, request);
  const load = start(program, LOAD, { port: hello.port, nodeNames: hello.nodeNames } satisfies LoadRequest);
  try {
    const callFor = async (order: LoadOrder): Promise<number> => {
      load.send(order);
      return percentile(await heard<LoadReply>(load));
    };
    // Both are warm before anything counts.
    await callFor(WARM_UP);
    await tell<{ plan: Plan }>(controller, { once: 3 });
    const runs: WaitingRun[] = [];
    for (let run = 0; run < RUNS; run++) {
      const idle = await callFor(RUN);
      controller.send({ plan: true } satisfies ControllerOrder);
      const busy = await callFor(RUN);
      const { plans } = await tell<{ plans: number }>(controller, { rest: true });
      runs.push({ idle, busy, plans });
    }
    return runs;
  } finally {
    controller.kill();
    load.kill();
  }
}

/** A plan of the cluster that it knows, made so many times, and the memory of the process at its peak, in MiB. */
export async function measureMemory(
  program: string,
  workload: string,
  times: number,
): Promise<{ readonly plan: Plan; readonly millis: number; readonly rssMiB: number }> {
  const { controller } = await startController(program, { knows: workload, plans: workload });
  try {
    return await tell(controller, { once: times });
  } finally {
    controller.kill();
  }
}

/** The middle of the runs, and whether it is as issue 6 wants it: twice the idle one or 5 ms, whichever is more. */
export function waitingVerdict(runs: readonly WaitingRun[]): {
  readonly idle: number;
  readonly busy: number;
  readonly isWithin: boolean;
} {
  const idle = median(runs.map((run) => run.idle));
  const busy = median(runs.map((run) => run.busy));
  return { idle, busy, isWithin: busy <= Math.max(2 * idle, 5) };
}

async function startController(program: string, request: ControllerRequest) {
  const controller = start(program, CONTROLLER, request);
  const hello = await heard<Extract<ControllerReply, { port: number }>>(controller);
  return { controller, hello };
}

function start(program: string, role: string, request: object): ChildProcess {
  return fork(program, [role, JSON.stringify(request)], { serialization: 'advanced' });
}

async function tell<Reply>(child: ChildProcess, order: ControllerOrder): Promise<Reply> {
  child.send(order);
  return heard<Reply>(child);
}

/** @throws Error when the process ends without a word. */
async function heard<Reply>(child: ChildProcess): Promise<Reply> {
  const gone = new AbortController();
  const end = once(child, 'exit', { signal: gone.signal }).then(
    () => {
      throw new Error('a measured process ends without an answer');
    },
    () => undefined,
  );
  const [message] = (await Promise.race([once(child, 'message'), end])) as [Reply];
  gone.abort();
  return message;
}

function percentile(millis: readonly number[]): number {
  const sorted = [...millis].sort((one, other) => one - other);
  return sorted[Math.ceil(PERCENTILE * sorted.length) - 1] ?? Infinity;
}
