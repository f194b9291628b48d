/** Planning in this thread: for tests and the simulated world. Nothing else happens meanwhile, so there is no deadline. */
import type { Clock } from '../../ports/clock.js';
import type { DisruptAnswer, DisruptRequest, PlanAnswer, Planner, PlanRequest } from '../../ports/planner.js';
import type { PlannerAnswer, PlannerTask } from './message.js';
import { asDisruption, asPlan, refused } from './refused.js';
import { solver, type Solve } from './solve.js';

export interface InlinePlannerOptions {
  readonly clock: Clock;
}

export class InlinePlanner implements Planner {
  readonly #solve: Solve;
  #isClosed = false;

  constructor({ clock }: InlinePlannerOptions) {
    this.#solve = solver(clock);
  }

  async plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#answer({ kind: 'plan', request }, signal));
  }

  async disrupt(request: DisruptRequest, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#answer({ kind: 'disrupt', request }, signal));
  }

  async #answer(task: PlannerTask, signal: AbortSignal | undefined): Promise<PlannerAnswer> {
    await Promise.resolve();
    if (signal?.aborted === true)
      throw refused(task.kind, { code: 'Cancelled', message: 'the signal was aborted' });
    if (this.#isClosed) throw refused(task.kind, { code: 'Unavailable', message: 'the planner is closed' });
    try {
      return this.#solve(task);
    } catch (error) {
      throw refused(task.kind, { code: 'Unavailable', message: String(error), cause: error });
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }
}
