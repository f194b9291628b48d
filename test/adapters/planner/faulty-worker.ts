/** A planner thread that hangs, breaks or ends when a request tells it to. */
import { parentPort } from 'node:worker_threads';
import { isPlannerWorker, startPlannerWorker } from '../../../src/adapters/planner/index.js';
import type { PlannerQuestion } from '../../../src/adapters/planner/message.js';
import { systemClock } from '../../../src/runtime/system-clock.js';

/** PlanOptions.maxInstanceTypes that make it misbehave. */
const MISDEEDS = { hang: 1001, fail: 1002, end: 1003 };

parentPort?.on('message', ({ task }: PlannerQuestion) => {
  const { maxInstanceTypes: wish } = task.kind === 'plan' ? task.request.options : task.request.options.plan;
  while (wish === MISDEEDS.hang);
  if (wish === MISDEEDS.fail) breakAtTheAnswer();
  if (wish === MISDEEDS.end) process.exit(7);
});
if (isPlannerWorker()) startPlannerWorker(systemClock);

function breakAtTheAnswer(): void {
  if (parentPort === null) return;
  parentPort.postMessage = () => {
    throw new Error('told to');
  };
}
