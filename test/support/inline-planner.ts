/** Planning in the thread that asks. Nothing else happens meanwhile, so there is no deadline. */
import type { Clock } from '../../src/ports/clock.js';
import type {
  DisruptAnswer,
  DisruptionQuestion,
  PlanAnswer,
  Planner,
  PlanQuestion,
} from '../../src/ports/planner.js';
import { PortError } from '../../src/ports/port-error.js';
import type { Cluster } from '../../src/state/cluster/cluster.js';
import { asDisruption, asPlan, refused } from '../../src/adapters/planner/refused.js';
import { solver, type Solve } from '../../src/adapters/planner/solve.js';
import { taskOf, type PlannerAnswer, type PlannerQuestion } from '../../src/adapters/planner/task.js';

export interface InlinePlannerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
}

export class InlinePlanner implements Planner {
  readonly #cluster: Cluster;
  readonly #solve: Solve;
  #isClosed = false;

  constructor({ cluster, clock }: InlinePlannerOptions) {
    this.#cluster = cluster;
    this.#solve = solver(clock);
  }

  async plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#answer({ kind: 'plan', question }, signal));
  }

  async disrupt(question: DisruptionQuestion, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#answer({ kind: 'disrupt', question }, signal));
  }

  async #answer(asked: PlannerQuestion, signal: AbortSignal | undefined): Promise<PlannerAnswer> {
    const { kind } = asked;
    try {
      // The cluster may change before the answer.
      const task = taskOf(this.#cluster, asked);
      await Promise.resolve();
      if (signal?.aborted === true)
        throw refused(kind, { code: 'Cancelled', message: 'the signal was aborted' });
      if (this.#isClosed) throw refused(kind, { code: 'Unavailable', message: 'the planner is closed' });
      return this.#solve(task);
    } catch (error) {
      if (error instanceof PortError) throw error;
      throw refused(kind, { code: 'Unavailable', message: String(error), cause: error });
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }
}
