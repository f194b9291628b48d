/** One request answered: planning, and how long it took. */
import { plan } from '../../planning/scheduling/plan.js';
import { buildSnapshot } from '../../planning/snapshot/build-snapshot.js';
import type { Clock } from '../../ports/clock.js';
import type { PlanAnswer, PlanRequest } from '../../ports/planner.js';

/** @throws Error when planning breaks, which is a bug. */
export function solve({ input, options }: PlanRequest, clock: Clock): PlanAnswer {
  const start = clock.monotonic();
  const answer = plan(buildSnapshot(input), options);
  return { plan: answer, millis: clock.monotonic() - start };
}
