/** Planning in this thread: for tests and the simulated world. Nothing else happens meanwhile, so there is no deadline. */
import type { Clock } from '../../ports/clock.js';
import type { DisruptAnswer, DisruptRequest, PlanAnswer, Planner, PlanRequest } from '../../ports/planner.js';
import type { PlannerAnswer, PlannerTask } from './message.js';
import { asDisruption, asPlan, refused, solve } from './solve.js';

export interface InlinePlannerOptions {
  readonly clock: Clock;
}

export class InlinePlanner implements Planner {
  readonly #clock: Clock;
  #isClosed = false;

  constructor({ clock }: InlinePlannerOptions) {
    this.#clock = clock;
  }

  async plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#solve({ kind: 'plan', request }, signal));
  }

  async disrupt(request: DisruptRequest, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#solve({ kind: 'disrupt', request }, signal));
  }

  async #solve(task: PlannerTask, signal: AbortSignal | undefined): Promise<PlannerAnswer> {
    await Promise.resolve();
    if (signal?.aborted === true)
      throw refused(task.kind, 'Cancelled', { message: 'the signal was aborted' });
    if (this.#isClosed) throw refused(task.kind, 'Unavailable', { message: 'the planner is closed' });
    try {
      return solve(task, this.#clock);
    } catch (error) {
      throw refused(task.kind, 'Unavailable', { message: String(error), cause: error });
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }
}
