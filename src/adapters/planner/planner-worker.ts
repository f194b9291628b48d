/** The other side of WorkerPlanner: the program as a thread that only plans. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { Clock } from '../../ports/clock.js';
import type { PlannerQuestion, PlannerReply, PlannerWorkerData } from './message.js';
import { solve } from './solve.js';

/** Whether this thread was started to plan. */
export function isPlannerWorker(): boolean {
  const data = workerData as Partial<PlannerWorkerData> | null;
  return !isMainThread && data?.berth === 'planner';
}

/** Answers questions, one after the other, until the thread is ended. To be called where `isPlannerWorker`. */
export function startPlannerWorker(clock: Clock): void {
  const port = parentPort;
  port?.on('message', ({ id, task }: PlannerQuestion) => {
    port.postMessage(reply(id, () => solve(task, clock)));
  });
}

function reply(id: number, work: () => ReturnType<typeof solve>): PlannerReply {
  try {
    return { id, answer: work() };
  } catch (error) {
    return { id, error: String(error) };
  }
}
