/** One batch: the pods that want a place are planned, and the plan is made durable. */
import { listed } from '../../domain/values/text.js';
import { MIN_VALUES_RELAXED_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import type { ProposedDecision } from '../../domain/records/decision.js';
import type { Labels } from '../../domain/values/labels.js';
import { describeWhy } from '../../planning/describe-reason.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../planning/plan-options.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Clock } from '../../ports/clock.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Plan, PlannedClaim } from '../../planning/plan.js';
import type { PlanAnswer, Planner, PlanQuestion } from '../../ports/planner.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { PROVISIONER } from '../../runtime/metrics/scheduler-metrics.js';
import { Mutex } from '../../runtime/concurrency/mutex.js';
import { deadlineSignal, untilAborted } from '../../runtime/time/deadline.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { leavingDemand } from '../../state/planning/leaving-demand.js';
import { demandOf, verdictOn } from '../../state/planning/demand.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import {
  approvalAnnotations,
  type ApprovalTurn,
  type LaunchApprovals,
} from '../approval/launch-approvals.js';
import type { LaunchUnit } from '../approval/split-plan.js';
import { ClaimsInWork } from '../claims-in-work.js';
import { ClusterWriter } from '../cluster-writer.js';
import type { ResolvedNodeClasses } from '../policies/resolved-node-classes.js';
import type { PlannedPods } from '../measuring/pod-times.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../safeguards/safeguards.js';
import { carryOut, type CarryOutOptions, type FailedPlace } from './carry-out.js';
import type { ClaimDraft } from './draft-claims.js';
import { FailedPlaces } from './failed-places.js';
import { HELD_AGAIN_MILLIS, HeldRefusals } from './held-refusals.js';
import { PoolOffers } from './pool-offers.js';
import {
  failedPlaceDecision,
  pausedDecision,
  noteDecisions,
  refusalDecision,
  refusedPods,
  type RefusedPod,
} from './refusals.js';
import { type MinValuesPolicy, RelaxedMinValues, withoutMinValues } from './relaxed-min-values.js';
import { takeRoomInFlight } from './room-in-flight.js';
import { Waking } from './waking.js';
import { tellCreated } from './tell-created.js';

export interface ProvisionerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly planner: Planner;
  readonly catalogue: () => InstanceCatalogue;
  readonly resolved: ResolvedNodeClasses;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Without them nothing pauses it. */
  readonly safeguards?: Safeguards | undefined;
  readonly planOptions?: PlanOptions | undefined;
  /** Hears which pods were planned. */
  readonly podTimes?: PlannedPods | undefined;
  /** Knows which pods kube-scheduler is about to bind, and keeps it from binding others; without it, none. */
  readonly ledger?: CarryOutOptions['ledger'];
  /** Shared with disruption: only one of them may plan and reserve room at a time, and provisioning comes first. */
  readonly mutex?: Mutex | undefined;
  /** Shared with the loop that gives up claims without a Reservation. */
  readonly claimsInWork?: ClaimsInWork | undefined;
  /** Without it no launch waits for approval. */
  readonly launchApprovals?: LaunchApprovals | undefined;
  /** Strict unless given. Launches that wait for approval keep minValues. */
  readonly minValuesPolicy?: MinValuesPolicy | undefined;
}

/** What a batch came to. */
export interface BatchOutcome {
  /** Pods without a place. */
  readonly refused: number;
  /** What went wrong with the batch as a whole; all its pods still want a place. */
  readonly failures: readonly unknown[];
  /** When pods that wait after a failure of their own are to be planned, in milliseconds from now. */
  readonly againMillis?: number | undefined;
}

/** A plan that is to be carried out. */
interface PlannedBatch {
  readonly kind: 'planned';
  readonly question: PlanQuestion;
  /** As they are, where the question has them without minValues. */
  readonly pools: readonly PoolOffer[];
  /** Whether it has. */
  readonly relaxes: boolean;
  readonly answer: PlanAnswer;
  /** Launches of the plan that wait for approval; `answer` is without them. */
  readonly waiting: readonly LaunchUnit[];
  /** The approval under which it is launched. */
  readonly approved: ProposedDecision | undefined;
  /** When pods that are not in it are to be planned, in milliseconds from now. */
  readonly againMillis: number | undefined;
}

type Batch = PlannedBatch | { readonly kind: 'nothing'; readonly outcome: BatchOutcome };

const PAUSED: Batch = {
  kind: 'nothing',
  outcome: { refused: 0, failures: [], againMillis: PAUSE_LOOK_MILLIS },
};
const AT_ONCE: Batch = { kind: 'nothing', outcome: { refused: 0, failures: [], againMillis: 0 } };
/** Claims of larger batches are planned without their reasons, for which there is no time. */
const MOST_EXPLAINED = 1_000;
/** Pods that are about to be bound are looked at again after so long. */
const ON_ITS_WAY_AGAIN_MILLIS = 5000;
/** Pods whose resize is Deferred are looked at again after so long. */
const RESIZES_AGAIN_MILLIS = 20_000;
/** Pods and types named in a message. */
const FEW = 5;

export class Provisioner {
  readonly #options: ProvisionerOptions;
  readonly #writer: ClusterWriter;
  readonly #offers: PoolOffers;
  readonly #mutex: Mutex;
  readonly #claimsInWork: ClaimsInWork;
  readonly #failedPlaces: FailedPlaces;
  readonly #heldRefusals: HeldRefusals;
  readonly #relaxedMinValues: RelaxedMinValues;
  readonly #waking: Waking;

  constructor(options: ProvisionerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#offers = new PoolOffers(options);
    this.#mutex = options.mutex ?? new Mutex();
    this.#claimsInWork = options.claimsInWork ?? new ClaimsInWork();
    this.#failedPlaces = new FailedPlaces(options);
    this.#heldRefusals = new HeldRefusals(options);
    this.#relaxedMinValues = new RelaxedMinValues(options.minValuesPolicy ?? 'Strict');
    this.#waking = new Waking({ ...options, writer: this.#writer });
  }

  /** Pods that want a place now, and those that are planned with them: of deleted nodes before they are evicted. */
  demand(): readonly ObservedPod[] {
    const { clock, cluster, launchApprovals } = this.#options;
    const now = clock.now();
    const waiting = demandOf(cluster, now);
    // A launch is proposed for pods that wait, and for as long as they do.
    return launchApprovals === undefined ? [...waiting, ...leavingDemand(cluster, now)] : waiting;
  }

  /** Budgets and freezes open with time alone, for pods that ask to move for their resize. */
  #resizesAgain(): number | undefined {
    return this.#options.cluster.podsAskingToMove().length > 0 ? RESIZES_AGAIN_MILLIS : undefined;
  }

  /** A pod that is about to be bound would be bound elsewhere than planned. */
  #isOnItsWay(uid: string): boolean {
    return this.#options.ledger?.isOnItsWay(uid) === true;
  }

  /** A policy ConfigMap has changed. */
  policiesChanged(): void {
    this.#heldRefusals.policiesChanged();
  }

  /**
   * Plans all demand and carries the plan out, until the signal is aborted. Only planning has to end within `planMillis`, from
   * now on and with the waiting for its turn: what is being written has a time-out for each write, and to stop in the middle
   * would have it all planned again.
   * @throws PortError, when there is no plan; nothing is written then.
   */
  async provision(planMillis: number, signal: AbortSignal): Promise<BatchOutcome> {
    const { clock } = this.#options;
    const operation = 'plan a batch';
    const start = clock.monotonic();
    const planning = deadlineSignal({ clock, millis: planMillis, signal, operation });
    try {
      const pools = await untilAborted(planning.signal, operation, (own) => this.#offers.now(own));
      return await this.#mutex.runFirst(planning.signal, async () => {
        const batch = await untilAborted(planning.signal, operation, (own) => this.#plan(pools, start, own));
        planning.callOff();
        return batch.kind === 'planned' ? this.#carryOut(batch, signal) : batch.outcome;
      });
    } finally {
      planning.callOff();
    }
  }

  /** Refuted plans are not carried out; each is a defect of planning. */
  #tellRepairs({ repairs = [] }: Plan): void {
    const { logger, metrics } = this.#options;
    for (const { rule, remedy, detail } of repairs) {
      metrics.planRepairs.inc({ rule, remedy });
      logger.warn('Replaced a plan that failed verification', { rule, remedy, detail });
    }
  }

  #planOptions(pods: number): PlanOptions {
    const { planOptions = DEFAULT_PLAN_OPTIONS } = this.#options;
    return pods > MOST_EXPLAINED ? planOptions : { ...planOptions, explainClaims: true };
  }

  async #plan(pools: readonly PoolOffer[], start: number, signal: AbortSignal): Promise<Batch> {
    const { clock, metrics } = this.#options;
    const all = this.demand();
    metrics.schedulerQueueDepth.set({ controller: PROVISIONER }, all.length);
    const here = all.filter(({ uid }) => !this.#isOnItsWay(uid));
    const { pods: demand, approved, relaxes, againMillis: later } = this.#turn(here);
    const onItsWay = here.length < all.length ? ON_ITS_WAY_AGAIN_MILLIS : undefined;
    const againMillis = [later, onItsWay, this.#resizesAgain()].reduce(least);
    if (demand.length === 0) return { kind: 'nothing', outcome: { refused: 0, failures: [], againMillis } };
    if (await this.#isPaused(demand, signal)) return PAUSED;
    const question: PlanQuestion = {
      demand,
      pools: relaxes ? withoutMinValues(pools) : pools,
      typesOf: (claim) => this.#offers.typesOf(claim),
      options: this.#planOptions(demand.length),
    };
    const answer = await this.#ask(question, signal);
    const { plan, millis } = answer;
    const { ahead, waiting } = this.#split(plan, demand, approved);
    this.#options.podTimes?.planned(demand, unplacedPods(plan, waiting, demand));
    metrics.planDuration.observe(millis / 1000);
    metrics.schedulingDuration.observe({ controller: PROVISIONER }, (clock.monotonic() - start) / 1000);
    metrics.planPods.set(demand.length);
    metrics.earlyPods.inc(waitingOf(demand).filter((pod) => !this.#isJudged(pod)).length);
    metrics.planHourlyPrice.set(plan.cost.hourly);
    this.#tellRepairs(plan);
    for (const note of noteDecisions(plan, demand)) this.#options.recorder.record(note);
    if (await this.#isPaused(demand, signal)) return PAUSED;
    if (approved !== undefined && (await this.#isSuperseded(approved, plan, signal))) return AT_ONCE;
    const made = { question, pools, relaxes, answer: { ...answer, plan: ahead } };
    return { kind: 'planned', ...made, waiting, approved, againMillis };
  }

  /** Which pods are planned now: of those that failed, those that wait for approval and those that lack values, some wait. */
  #turn(all: readonly ObservedPod[]): ApprovalTurn & { readonly relaxes: boolean } {
    const { pods, againMillis } = this.#failedPlaces.turn(all);
    const turn = this.#options.launchApprovals?.turn(pods);
    if (turn !== undefined)
      return { ...turn, relaxes: false, againMillis: least(againMillis, turn.againMillis) };
    const relaxed = this.#relaxedMinValues.turn(pods);
    return { ...relaxed, approved: undefined, againMillis: least(againMillis, relaxed.againMillis) };
  }

  #split(
    plan: Plan,
    demand: readonly ObservedPod[],
    approved: ProposedDecision | undefined,
  ): { readonly ahead: Plan; readonly waiting: readonly LaunchUnit[] } {
    const { launchApprovals } = this.#options;
    if (launchApprovals === undefined || approved !== undefined) return { ahead: plan, waiting: [] };
    const { plan: ahead, waiting } = launchApprovals.split(plan, demand);
    return { ahead, waiting };
  }

  /** Answers whether what was approved no longer holds: its pods are planned without the approval then. */
  async #isSuperseded(approved: ProposedDecision, plan: Plan, signal: AbortSignal): Promise<boolean> {
    const { launchApprovals } = this.#options;
    const why = launchApprovals?.problem(approved, plan);
    if (why === undefined) return false;
    await launchApprovals?.supersede(approved, why, signal);
    return true;
  }

  async #ask(question: PlanQuestion, signal: AbortSignal): Promise<PlanAnswer> {
    const { planner, clock, metrics } = this.#options;
    const start = clock.monotonic();
    const labels = { controller: PROVISIONER };
    const stop = metrics.onScrape(() => {
      metrics.schedulerUnfinishedWork.set(labels, (clock.monotonic() - start) / 1000);
    });
    try {
      return await planner.plan({ ...question, now: clock.now() }, signal);
    } finally {
      stop();
      metrics.schedulerUnfinishedWork.set(labels, 0);
    }
  }

  async #carryOut(batch: PlannedBatch, signal: AbortSignal): Promise<BatchOutcome> {
    const { question, pools, relaxes, answer, waiting, approved, againMillis } = batch;
    const { plan, millis, draft } = answer;
    const { demand } = question;
    const crowdedOut = await this.#propose(waiting, demand, signal);
    const annotationsOf = approved && ((claim: PlannedClaim): Labels => approvalAnnotations(approved, claim));
    const failed = await carryOut(
      this.#carrying(),
      { plan, demand, pools, annotationsOf, relaxesMinValues: relaxes },
      signal,
    );
    this.#putOff(failed);
    const unplanned = refusedPods(plan, demand);
    const judged = unplanned.filter(({ pod }) => this.#isJudged(pod));
    const unplaced = this.#putOffForValues(judged, batch);
    const refused = await this.#withoutPlace(question, unplaced, signal);
    const isHeld = await this.#refuse(refused, signal);
    if (draft !== undefined)
      this.#options.logger.warn('Planning stopped early; using its draft', { ...draft });
    this.#log({ demand, plan, millis, refused });
    const wanting = this.demand();
    const left = this.#failedPlaces.againMillis(wanting);
    const onTheirWay = wanting.some(({ uid }) => this.#isOnItsWay(uid)) ? ON_ITS_WAY_AGAIN_MILLIS : undefined;
    const later = unplaced.length < judged.length ? 0 : isHeld ? HELD_AGAIN_MILLIS : undefined;
    const again = [againMillis, left, onTheirWay, later].reduce(least);
    // Pods that still run get no event: they are tried again, and are refused once they wait.
    const leaving = unplanned.filter(({ pod }) => pod.nodeName !== undefined).length;
    return { refused: refused.length + crowdedOut + leaving, failures: [], againMillis: again };
  }

  /** Answers those of the pods without a place that fewer values would not help, or may not: see RelaxedMinValues. */
  #putOffForValues(unplaced: readonly RefusedPod[], { relaxes }: PlannedBatch): readonly RefusedPod[] {
    const isAllowed = !relaxes && this.#options.launchApprovals === undefined;
    return isAllowed ? this.#relaxedMinValues.putOff(unplaced) : unplaced;
  }

  /** Answers how many pods there was no room for among the proposals. */
  async #propose(
    units: readonly LaunchUnit[],
    demand: readonly ObservedPod[],
    signal: AbortSignal,
  ): Promise<number> {
    const proposed = await this.#options.launchApprovals?.propose(units, demand, signal);
    if (proposed === undefined) return 0;
    const { waiting, crowdedOut, failed } = proposed;
    this.#putOff(failed);
    await this.#waking.wake([...waiting, ...crowdedOut], true, signal);
    return crowdedOut.length;
  }

  /** kube-scheduler may find a node yet for a pod that it has not judged. Pods that still run are not judged either. */
  #isJudged(pod: ObservedPod): boolean {
    return pod.nodeName === undefined && verdictOn(pod, this.#options.cluster.demandTerms) !== 'Unjudged';
  }

  /** Answers whether it is, which ends the wait of the pods for a plan. */
  async #isPaused(demand: readonly ObservedPod[], signal: AbortSignal): Promise<boolean> {
    const { recorder, safeguards } = this.#options;
    const pause = safeguards?.pause();
    if (pause === undefined) return false;
    const waiting = waitingOf(demand);
    for (const pod of waiting) recorder.record(pausedDecision(pod, pause));
    await this.#waking.wake(waiting, true, signal);
    return true;
  }

  /** A claim that cannot be created delays its own pods; they get an event with the reason. */
  #putOff(failed: readonly FailedPlace[]): void {
    const { logger, metrics, recorder } = this.#options;
    this.#failedPlaces.add(failed);
    for (const { what, pods, error } of failed) {
      metrics.apiErrors.inc({
        operation: 'provision',
        code: error instanceof PortError ? error.code : 'Unknown',
      });
      logger.warn('Failed to write a NodeClaim or Reservation; its pods will be planned again', {
        what,
        pods: pods.length,
        error,
      });
      if (hasCode(error, 'Cancelled')) continue;
      for (const pod of pods) recorder.record(failedPlaceDecision(pod, what, error));
    }
  }

  #carrying(): Parameters<typeof carryOut>[0] {
    const { cluster, random, clock } = this.#options;
    return {
      cluster,
      clock,
      writer: this.#writer,
      claimsInWork: this.#claimsInWork,
      random,
      ledger: this.#options.ledger,
      onCreated: (claim, draft) => {
        this.#created(claim, draft);
      },
    };
  }

  #created(claim: NodeClaim, { planned, pods }: ClaimDraft): void {
    const isRelaxed = claim.annotations.get(MIN_VALUES_RELAXED_ANNOTATION) === 'true';
    const named = listed(pods.map(podKey), FEW);
    const reasons = planned.why === undefined ? '' : `; ${describeWhy(planned.why)}`;
    const why = isRelaxed ? `${reasons}; with fewer values than minValues asks for` : reasons;
    tellCreated(this.#options, claim, planned, {
      why: ` for ${named}${why}`,
      trigger: 'batch',
      related: pods.slice(0, FEW).map(({ namespace, name }) => ({ kind: 'Pod', namespace, name })),
    });
  }

  /** Those of the refused pods that no room in flight can be given to, either. */
  async #withoutPlace(
    question: PlanQuestion,
    refused: readonly RefusedPod[],
    signal: AbortSignal,
  ): Promise<readonly RefusedPod[]> {
    const { logger } = this.#options;
    try {
      const taking = { ...this.#options, writer: this.#writer };
      return await takeRoomInFlight(taking, { question, refused }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn('Failed to give room in flight to pods of higher priority', { error });
      return refused;
    }
  }

  /** Publishes why pods have no place, and answers whether that was held back because policies are not ready yet. */
  async #refuse(refused: readonly RefusedPod[], signal: AbortSignal): Promise<boolean> {
    const { metrics, recorder } = this.#options;
    metrics.schedulerUnschedulablePods.set({ controller: PROVISIONER }, refused.length);
    const pods = refused.map(({ pod }) => pod);
    const { hold, unready } = this.#heldRefusals.turn(pods);
    if (!hold) for (const refusal of refused) recorder.record(refusalDecision(refusal, unready));
    await this.#waking.wake(pods, !hold, signal);
    return hold && refused.length > 0;
  }

  #log({
    demand,
    plan,
    millis,
    refused,
  }: {
    readonly demand: readonly ObservedPod[];
    readonly plan: { readonly claims: readonly unknown[]; readonly cost: { readonly hourly: number } };
    readonly millis: number;
    readonly refused: readonly RefusedPod[];
  }): void {
    this.#options.logger.info('Planned batch', {
      pods: demand.length,
      nodeClaims: plan.claims.length,
      refused: refused.length,
      hourlyPrice: plan.cost.hourly,
      planMillis: Math.round(millis),
    });
  }
}

/** Those that wait for a node: the others still run on nodes that go. */
function waitingOf(demand: readonly ObservedPod[]): readonly ObservedPod[] {
  return demand.filter(({ nodeName }) => nodeName === undefined);
}

/** UIDs of the pods that have no place by the plan, or only one that waits for approval. */
function unplacedPods(
  plan: Plan,
  waiting: readonly LaunchUnit[],
  demand: readonly ObservedPod[],
): ReadonlySet<string> {
  const unplaced = new Set(refusedPods(plan, demand).map(({ pod }) => pod.uid));
  const held = new Set(waiting.flatMap(({ pods }) => pods));
  if (held.size > 0) for (const pod of demand) if (held.has(podKey(pod))) unplaced.add(pod.uid);
  return unplaced;
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}
