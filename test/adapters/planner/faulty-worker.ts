/** A planner thread that hangs, breaks or ends when a request tells it to, after drafts or without any. */
import { BroadcastChannel, parentPort } from 'node:worker_threads';
import { isPlannerWorker, startPlannerWorker } from '../../../src/adapters/planner/index.js';
import { solver, type Solve, type SolveOptions } from '../../../src/adapters/planner/solve.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { PlannerTask } from '../../../src/adapters/planner/task.js';
import type { PlanAnswer } from '../../../src/ports/planner.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { DRAFTED, MISDEEDS } from './misdeeds.js';

const solve = solver(systemClock);

const misbehave: Solve = (task, options = {}) => {
  const { maxInstanceTypes: wishes } = task.kind === 'plan' ? task.options : task.options.plan;
  const isTold = (misdeed: keyof typeof MISDEEDS): boolean => (wishes & MISDEEDS[misdeed]) > 0;
  if (task.kind === 'plan' && isTold('draft')) {
    for (const draft of draftsFor(task)) options.onDraft?.(draft);
    const channel = new BroadcastChannel(DRAFTED);
    channel.postMessage('all said');
    channel.close();
  }
  while (isTold('hang'));
  if (isTold('linger')) linger(options);
  if (isTold('swell')) swell();
  if (isTold('end')) process.exit(7);
  if (isTold('fail')) breakAtTheAnswer();
  return solve(task, options);
};

if (isPlannerWorker()) startPlannerWorker(systemClock, misbehave);

function draftsFor({ input }: Extract<PlannerTask, { kind: 'plan' }>): readonly PlanAnswer[] {
  return [1, DEFAULT_PLAN_OPTIONS.maxInstanceTypes].flatMap((maxInstanceTypes) => {
    const options = { ...DEFAULT_PLAN_OPTIONS, maxInstanceTypes };
    const answer = solve({ kind: 'plan', input, options });
    return 'plan' in answer ? [answer] : [];
  });
}

/** Hangs until nothing waits for the answer. */
function linger({ checkpoint }: SolveOptions): never {
  for (;;) checkpoint?.();
}

/** Holds more and more objects, until V8 ends the thread. */
function swell(): never {
  const held: unknown[] = [];
  for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
}

function breakAtTheAnswer(): void {
  if (parentPort === null) return;
  parentPort.postMessage = () => {
    throw new Error('told to');
  };
}
