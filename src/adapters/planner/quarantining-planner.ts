/** A planner that continues when pods break it: they are set aside, and all others are planned. */
import { type Pod, podKey } from '../../domain/pods/pod.js';
import type { Plan, UnschedulablePod } from '../../planning/plan.js';
import { compareText } from '../../planning/snapshot/sorted-objects.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type {
  DisruptAnswer,
  DisruptionQuestion,
  PlanAnswer,
  PlanQuestion,
  Planner,
} from '../../ports/planner.js';
import { hasCode } from '../../ports/port-error.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';

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

/** How long pods are kept out the first time; doubled each time that planning breaks on them again. */
const BASE_MILLIS = 60_000;
const MOST_MILLIS = 3_600_000;

/** Pods that are known to break planning, by their controller. */
interface Hold {
  readonly until: number;
  readonly times: number;
}

/** A batch without the pods that are set aside. */
interface Admitted {
  readonly setAside: readonly ObservedPod[];
  /** Kinds of the pods that are in it. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * Pods are distinguished by their controllers: pods of one template break planning together. While there are
 * suspects, half of them are left out, so that each plan, whether it is made or not, halves their number.
 */
class Quarantine {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #suspects: readonly string[] = [];
  readonly #holds = new Map<string, Hold>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  admit(demand: readonly ObservedPod[]): Admitted {
    const pending = new Set(demand.map(kindOf));
    for (const kind of this.#holds.keys()) if (!pending.has(kind)) this.#holds.delete(kind);
    this.#suspects = this.#suspects.filter((kind) => pending.has(kind));
    const out = new Set(this.#suspects.slice(Math.floor(this.#suspects.length / 2)));
    const now = this.#clock.monotonic();
    for (const [kind, { until }] of this.#holds) if (until > now) out.add(kind);
    const kinds = new Set([...pending].filter((kind) => !out.has(kind)));
    const setAside = out.size === 0 ? [] : demand.filter((pod) => out.has(kindOf(pod)));
    return { setAside, kinds };
  }

  /** The batch was planned: none of its pods is a suspect any more. */
  planned({ kinds }: Admitted): void {
    for (const kind of kinds) this.#holds.delete(kind);
    this.#suspect(this.#suspects.filter((kind) => !kinds.has(kind)));
  }

  /** Planning broke on the batch. Pods that it broke on before are suspected first. */
  broke({ kinds }: Admitted): void {
    const known = [...kinds].filter((kind) => this.#holds.has(kind));
    const suspected = this.#suspects.filter((kind) => kinds.has(kind));
    if (known.length > 0) this.#suspect(known);
    else this.#suspect(suspected.length > 0 ? suspected : [...kinds].sort());
  }

  #suspect(kinds: readonly string[]): void {
    this.#suspects = kinds.length > 1 ? kinds : [];
    const [kind] = kinds;
    if (kinds.length !== 1 || kind === undefined) return;
    const times = (this.#holds.get(kind)?.times ?? 0) + 1;
    const millis = Math.min(MOST_MILLIS, BASE_MILLIS * 2 ** (times - 1));
    this.#holds.set(kind, { until: this.#clock.monotonic() + millis, times });
  }
}

function kindOf(pod: Pod): string {
  return pod.owner === undefined ? podKey(pod) : `${pod.owner.kind} ${pod.namespace}/${pod.owner.name}`;
}
