/** A planner that continues when pods break it: they are set aside, and all others are planned. */
import { podKey } from '../../domain/pods/pod.js';
import type { Plan, UnschedulablePod } from '../../planning/plan.js';
import { compareText } from '../../planning/snapshot/content-order.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type {
  DisruptAnswer,
  DisruptionQuestion,
  PlanAnswer,
  Planner,
  PlanQuestion,
} from '../../ports/planner.js';
import { hasCode } from '../../ports/port-error.js';
import { Quarantine, type Admitted } from './quarantine.js';

export interface QuarantiningPlannerOptions {
  readonly planner: Planner;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

export class QuarantiningPlanner implements Planner {
  readonly #planner: Planner;
  readonly #logger: Logger;
  readonly #quarantine: Quarantine;
  /** The plan that was asked for last: what is asked after it is answered after it. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor({ planner, clock, logger }: QuarantiningPlannerOptions) {
    this.#planner = planner;
    this.#logger = logger;
    this.#quarantine = new Quarantine(clock);
  }

  /**
   * A batch on which planning breaks, or for which there is not even a draft in time, is planned again at once without
   * half of the pods that may be at fault. Pods that are set aside are unschedulable in the answer (TooComplex).
   */
  async plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer> {
    const answer = this.#plan(question, signal);
    this.#asked = answer.catch(() => undefined);
    return answer;
  }

  async #plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer> {
    const first = this.#quarantine.admit(question.demand);
    try {
      return await this.#ask(question, first, signal);
    } catch (error) {
      if (isAborted(signal) || first.kinds.size === 0 || !isFault(error)) throw error;
      this.#quarantine.broke(first);
    }
    const second = this.#quarantine.admit(question.demand);
    this.#logger.warn('set pods aside that cannot be planned', { setAside: second.setAside.length });
    try {
      return await this.#ask(question, second, signal);
    } catch (error) {
      if (!isAborted(signal) && isFault(error)) this.#quarantine.broke(second);
      throw error;
    }
  }

  async disrupt(question: DisruptionQuestion, signal?: AbortSignal): Promise<DisruptAnswer> {
    const before = this.#asked;
    const answer = await this.#planner.disrupt(question, signal);
    await before;
    return answer;
  }

  async close(): Promise<void> {
    await this.#planner.close();
  }

  async #ask(question: PlanQuestion, admitted: Admitted, signal?: AbortSignal): Promise<PlanAnswer> {
    const setAside = [...(question.setAside ?? []), ...admitted.setAside];
    const answer = await this.#planner.plan({ ...question, setAside }, signal);
    this.#quarantine.planned(admitted);
    return admitted.setAside.length === 0 ? answer : { ...answer, plan: withSetAside(answer.plan, admitted) };
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** No plan in time, or a thread that broke. */
function isFault(error: unknown): boolean {
  return hasCode(error, 'TimedOut') || hasCode(error, 'Unavailable');
}

function withSetAside(plan: Plan, { setAside }: Admitted): Plan {
  const left = setAside.map((pod): UnschedulablePod => ({
    pod: podKey(pod),
    reasons: [{ nodePool: '', reason: { code: 'TooComplex' } }],
  }));
  const unschedulable = [...plan.unschedulable, ...left].sort((one, other) =>
    compareText(one.pod, other.pod),
  );
  return { ...plan, unschedulable, cost: { ...plan.cost, lowerBound: null, duals: undefined } };
}
