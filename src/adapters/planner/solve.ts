/** One task done: planning or disruption, and how long it took. */
import { disrupt } from '../../planning/disruption/disrupt.js';
import { plan } from '../../planning/scheduling/plan.js';
import { buildSnapshot } from '../../planning/snapshot/build-snapshot.js';
import type { Clock } from '../../ports/clock.js';
import type { DisruptAnswer, PlanAnswer } from '../../ports/planner.js';
import { PortError } from '../../ports/port-error.js';
import type { PlannerAnswer, PlannerTask } from './message.js';

/** @throws Error when planning breaks, which is a bug. */
export function solve(task: PlannerTask, clock: Clock): PlannerAnswer {
  const start = clock.monotonic();
  if (task.kind === 'plan') {
    const { input, options } = task.request;
    const answer = plan(buildSnapshot(input), options);
    return { plan: answer, millis: clock.monotonic() - start };
  }
  const answer = disrupt(task.request.input, task.request.options);
  return { answer, millis: clock.monotonic() - start };
}

/** @throws PortError Unavailable, when the answer is of the other kind. */
export function asPlan(answer: PlannerAnswer): PlanAnswer {
  if ('plan' in answer) return answer;
  throw refused('plan', 'Unavailable', { message: 'the thread answered something else' });
}

/** @throws PortError Unavailable, when the answer is of the other kind. */
export function asDisruption(answer: PlannerAnswer): DisruptAnswer {
  if ('answer' in answer) return answer;
  throw refused('disrupt', 'Unavailable', { message: 'the thread answered something else' });
}

/** What a caller hears when there is no answer. */
export function refused(
  kind: PlannerTask['kind'],
  code: PortError['code'],
  { message, cause }: { readonly message: string; readonly cause?: unknown },
): PortError {
  return new PortError(code, { operation: kind, message, cause });
}
