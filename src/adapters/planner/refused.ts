/** What a caller hears when there is no answer, or one to another question. */
import type { DisruptAnswer, PlanAnswer } from '../../ports/planner.js';
import { PortError, type PortErrorCode } from '../../ports/port-error.js';
import type { PlannerAnswer, PlannerTask } from './task.js';

/** Why there is no answer. */
export interface Failure {
  readonly code: PortErrorCode;
  readonly message: string;
  readonly cause?: unknown;
}

export function refused(kind: PlannerTask['kind'], { code, message, cause }: Failure): PortError {
  return new PortError(code, { operation: kind, message, cause });
}

/** @throws PortError Unavailable, when the answer is of the other kind. */
export function asPlan(answer: PlannerAnswer): PlanAnswer {
  if ('plan' in answer) return answer;
  throw refused('plan', { code: 'Unavailable', message: 'the thread answered something else' });
}

/** @throws PortError Unavailable, when the answer is of the other kind. */
export function asDisruption(answer: PlannerAnswer): DisruptAnswer {
  if ('answer' in answer) return answer;
  throw refused('disrupt', { code: 'Unavailable', message: 'the thread answered something else' });
}
