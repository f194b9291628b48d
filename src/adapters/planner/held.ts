/** A planner for whose answers virtual time waits: they are computed by another thread, on the host's time. */
import type {
  DisruptAnswer,
  DisruptionQuestion,
  PlanAnswer,
  Planner,
  PlanQuestion,
} from '../../ports/planner.js';
import type { HoldTime } from '../../runtime/time/holds.js';

/** How long pods wait for a plan, in milliseconds of virtual time, however slow the host is. */
const PLAN = { what: 'the planner', allowanceMillis: 2000 };
/** Nothing waits for what disruption finds but its next look. */
const DISRUPTION = { what: 'the planner', allowanceMillis: 10_000 };

export class HeldPlanner implements Planner {
  readonly #planner: Planner;
  readonly #holdTime: HoldTime;

  constructor(planner: Planner, holdTime: HoldTime) {
    this.#planner = planner;
    this.#holdTime = holdTime;
  }

  plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer> {
    return this.#holdTime(PLAN, this.#planner.plan(question, signal));
  }

  disrupt(question: DisruptionQuestion, signal?: AbortSignal): Promise<DisruptAnswer> {
    return this.#holdTime(DISRUPTION, this.#planner.disrupt(question, signal));
  }

  close(): Promise<void> {
    return this.#planner.close();
  }
}
