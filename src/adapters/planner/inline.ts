/** Planning in this thread: for tests and the simulated world. Nothing else happens meanwhile, so there is no deadline. */
import type { Clock } from '../../ports/clock.js';
import type { PlanAnswer, Planner, PlanRequest } from '../../ports/planner.js';
import { PortError } from '../../ports/port-error.js';
import { solve } from './solve.js';

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
    await Promise.resolve();
    if (signal?.aborted === true) throw refused('Cancelled', 'the signal was aborted');
    if (this.#isClosed) throw refused('Unavailable', 'the planner is closed');
    try {
      return solve(request, this.#clock);
    } catch (error) {
      throw refused('Unavailable', String(error), error);
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }
}

function refused(code: 'Cancelled' | 'Unavailable', message: string, cause?: unknown): PortError {
  return new PortError(code, { operation: 'plan', message, cause });
}
