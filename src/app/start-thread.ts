/** What a worker thread of the program does, by what it was started for. */
import './clouds.js';
import { isPlannerWorker, startPlannerWorker } from '../adapters/planner/index.js';
import { isPolicyWorker, startPolicyWorker } from '../adapters/policies/index.js';
import { systemClock } from '../runtime/time/system-clock.js';

export function startThread(): void {
  if (isPlannerWorker()) startPlannerWorker(systemClock);
  else if (isPolicyWorker()) startPolicyWorker();
}
