/**
 * ProvisioningRequests: finds and holds room for pods that do not exist yet, for all of a request or for none. Of the class
 * check-capacity it has to be there, of best-effort-atomic-scale-up it is launched where it is not. Room is held by Reservations in
 * the name of the request before the request says so, and until its pods have come or ten minutes are over.
 */
import {
  ATOMIC_SCALE_UP,
  BOOKED_MILLIS,
  CHECK_CAPACITY,
  isAnsweredBy,
  requestOwner,
  requestStage,
  type ProvisioningRequest,
} from '../../domain/pods/provisioning-request.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { ReservationOwner, ReservationTarget } from '../../domain/records/reservation.js';
import { conditionsText, withCondition } from '../../domain/values/condition.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../planning/plan-options.js';
import type { Plan } from '../../planning/plan.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Planner } from '../../ports/planner.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import type { Mutex } from '../../runtime/concurrency/mutex.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { ClaimsInWork } from '../claims-in-work.js';
import { ClusterWriter } from '../cluster-writer.js';
import { carryOut } from '../provisioning/carry-out.js';
import { PoolOffers, type PoolOffersOptions } from '../provisioning/pool-offers.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import { bookedRoom, releaseRoom, requestsOf } from './bookings.js';
import {
  ACCEPTED,
  BOOKING_EXPIRED,
  capacityRevoked,
  EXPIRED,
  notFound,
  notLaunchedYet,
  partlyFound,
  podsRefused,
  provisioned,
  templateMissing,
  type Told,
} from './request-conditions.js';
import { fittingSets } from './partial-capacity.js';
import { bookedEntries, requestedPods } from './requested-pods.js';
import { podKey } from '../../domain/pods/pod.js';
import { tellCreated } from '../provisioning/tell-created.js';
import { PLANNED_KINDS } from '../../state/planning/plan-input.js';

export interface ProvisioningRequestsControllerOptions extends PoolOffersOptions {
  readonly kube: KubeWriter;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly safeguards: Safeguards;
  readonly planner: Planner;
  readonly planOptions?: PlanOptions | undefined;
  /** Shared with provisioning and disruption: only one of them plans and reserves room at a time. */
  readonly mutex: Mutex;
  readonly claimsInWork: ClaimsInWork;
  /** Whether launches wait for approval: then none is made for a request. */
  readonly needsApproval: boolean;
  /** Name of this instance: it answers checks of capacity that name it, and nothing else; '' answers all that name none. */
  readonly processorInstance: string;
}

type PodSets = readonly (readonly ObservedPod[])[];

const KINDS: readonly ObservedKind[] = [...PLANNED_KINDS, 'ProvisioningRequest', 'PodTemplate'];
/** Kueue creates the templates right after the request. */
const TEMPLATE_MILLIS = 10_000;
/** Between looks for room that was not there. */
const AGAIN = { baseMillis: 10_000, maxMillis: 60_000 };
/** Room goes when this is over, should no process let it go before: a launch with its boot, and the ten minutes after. */
const LONGEST_MILLIS = 3_600_000;
/** A look that nothing else asks for. */
const DAY_MILLIS = 86_400_000;
/** The turn may be a batch of pods, which may take its time. */
const TIMEOUT_MILLIS = 180_000;

export class ProvisioningRequestsController {
  readonly #options: ProvisioningRequestsControllerOptions;
  readonly #offers: PoolOffers;
  readonly #writer: ClusterWriter;
  readonly #queue: WorkQueue;
  /** Uid of a request → how often there was no room for it. */
  readonly #attempts = new Map<string, number>();

  constructor(options: ProvisioningRequestsControllerOptions) {
    this.#options = options;
    this.#offers = new PoolOffers(options);
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'provisioning-requests',
      handle: (key, signal) => this.reconcile(key, signal),
      concurrency: 1,
      timeoutMillis: TIMEOUT_MILLIS,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe();
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const request of cluster.provisioningRequests.values()) this.#queue.add(podKey(request));
      // Of requests that were deleted while no process followed them, too.
      for (const reservation of cluster.reservations.values())
        for (const key of requestsOf(reservation)) this.#queue.add(key);
      await this.#queue.run(signal);
    });
  }

  /** One step of the request `namespace/name`. @throws PortError, when it could not be planned or written. */
  async reconcile(key: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const request = this.#options.cluster.provisioningRequests.get(key);
    const isOurs = request !== undefined && isAnsweredBy(request, this.#options.processorInstance);
    const stage = isOurs ? requestStage(request) : 'Ended';
    if (request === undefined || stage === 'Ended') {
      const [namespace = '', name = ''] = key.split('/');
      await this.#release(requestOwner({ namespace, name }), signal);
      if (request !== undefined) this.#attempts.delete(request.uid);
      return undefined;
    }
    return stage === 'Provisioned' ? this.#keep(request, signal) : this.#provide(request, signal);
  }

  /** To be called before room of the request that its pods have not taken is let go because its node is lost. */
  readonly roomLost = async (
    { namespace, name }: ReservationOwner,
    target: ReservationTarget,
    signal: AbortSignal,
  ): Promise<void> => {
    const request = this.#options.cluster.provisioningRequests.get(`${namespace}/${name}`);
    if (request === undefined || requestStage(request) !== 'Provisioned') return;
    await this.#tell(request, [capacityRevoked(`${target.kind} ${target.name}`)], signal);
  };

  /** Room is held until its time is over. */
  async #keep(request: ProvisioningRequest, signal: AbortSignal): Promise<Requeue | undefined> {
    const { clock } = this.#options;
    const since = request.conditions.find(({ type }) => type === 'Provisioned')?.lastTransitionTime ?? 0;
    const left = since + BOOKED_MILLIS - clock.now();
    if (left > 0) return { requeueAfterMillis: left };
    await this.#release(requestOwner(request), signal);
    await this.#tell(request, [BOOKING_EXPIRED], signal);
    return undefined;
  }

  async #provide(request: ProvisioningRequest, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, clock } = this.#options;
    const left = request.createdAt + request.validSeconds * 1000 - clock.now();
    if (left <= 0) return this.#end(request, EXPIRED, signal);
    const asked = requestedPods(request, (key) => cluster.podTemplates.get(key));
    if (asked.kind === 'refused') return this.#end(request, podsRefused(asked.why), signal);
    const again =
      asked.kind === 'missing'
        ? await this.#awaitTemplate(request, asked.template, signal)
        : await this.#findRoom(request, asked.sets, signal);
    return again === undefined ? undefined : { requeueAfterMillis: Math.min(again, left, DAY_MILLIS) };
  }

  /** Answers when to look again, in milliseconds: as #findRoom. */
  async #awaitTemplate(request: ProvisioningRequest, template: string, signal: AbortSignal): Promise<number> {
    const left = request.createdAt + TEMPLATE_MILLIS - this.#options.clock.now();
    if (left > 0) return left;
    await this.#tell(request, [templateMissing(template)], signal);
    return Infinity;
  }

  async #findRoom(
    request: ProvisioningRequest,
    sets: PodSets,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { cluster, safeguards } = this.#options;
    const pods = sets.flat();
    const owner = requestOwner(request);
    const booked = bookedRoom(cluster, owner);
    // Another process may have ended between holding the room and telling so.
    if (booked.pods === pods.length) return this.#tellBooked(request, pods.length, signal);
    await this.#release(owner, signal);
    if (request.className === CHECK_CAPACITY && request.partialCheck !== undefined)
      return this.#findPart(request, sets, signal);
    const mayLaunch = request.className === ATOMIC_SCALE_UP && !this.#options.needsApproval;
    if (mayLaunch && safeguards.isPaused()) return PAUSE_LOOK_MILLIS;
    const specs = pods.map(({ spec }) => spec);
    const pools = mayLaunch ? await this.#offers.now(signal, specs) : [];
    const plan = await this.#options.mutex.runExclusive(signal, async () => {
      const planned = await this.#plan(pods, pools, signal);
      const isWhole = planned.placements.length === pods.length;
      if (isWhole) await this.#book(request, { pods, pools, plan: planned }, signal);
      return isWhole ? undefined : planned;
    });
    if (plan === undefined) return this.#tellBooked(request, pods.length, signal);
    return this.#tellNotFound(request, { plan, pods: pods.length }, signal);
  }

  /** As #findRoom, for each pod set by itself, on the nodes that there are. */
  async #findPart(
    request: ProvisioningRequest,
    all: PodSets,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { mutex } = this.#options;
    const found = await mutex.runExclusive(signal, async () => {
      const { plan, refused, ...fitting } = await fittingSets(all, (pods) => this.#plan(pods, [], signal));
      const isBooked = refused === undefined || request.partialCheck === 'bookPartial';
      if (isBooked && plan !== undefined) await this.#book(request, { ...fitting, pools: [], plan }, signal);
      return { ...fitting, refused, isBooked };
    });
    const { sets, pods, refused, isBooked } = found;
    if (refused === undefined) return this.#tellBooked(request, pods.length, signal);
    if (sets.length === 0)
      return this.#tellNotFound(request, { plan: refused, pods: all.flat().length }, signal);
    const fitting = request.podSets.flatMap(({ template }, set) => (sets.includes(set) ? [template] : []));
    await this.#tell(request, [ACCEPTED, partlyFound(fitting, pods.length, isBooked)], signal, fitting);
    return isBooked ? BOOKED_MILLIS : this.#again(request);
  }

  async #plan(pods: readonly ObservedPod[], pools: readonly PoolOffer[], signal: AbortSignal): Promise<Plan> {
    const { planner, planOptions = DEFAULT_PLAN_OPTIONS } = this.#options;
    const { plan } = await planner.plan(
      {
        demand: [],
        virtual: pods,
        pools,
        typesOf: (claim) => this.#offers.typesOf(claim),
        now: this.#options.clock.now(),
        options: planOptions,
      },
      signal,
    );
    return plan;
  }

  /** Holds the room that the plan has for the pods. @throws what kept some of it from being held. */
  async #book(
    request: ProvisioningRequest,
    booked: {
      readonly pods: readonly ObservedPod[];
      readonly pools: readonly PoolOffer[];
      readonly plan: Plan;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { pods, pools, plan } = booked;
    const { clock } = this.#options;
    const expiresAt = clock.now() + LONGEST_MILLIS;
    const failed = await carryOut(
      {
        ...this.#options,
        writer: this.#writer,
        bookedFor: (own) => bookedEntries(request, own, expiresAt),
        onCreated: (claim, draft) => {
          const why = ` for ProvisioningRequest ${podKey(request)}`;
          tellCreated(this.#options, claim, draft.planned, { why, trigger: 'provisioning-request' });
        },
      },
      { plan, demand: pods, pools },
      signal,
    );
    // What is held already is let go, and all of it planned again.
    for (const { error } of failed) throw error;
  }

  /** Answers when to look again, as #findRoom. `pods`: how many are asked for. */
  async #tellNotFound(
    request: ProvisioningRequest,
    { plan, pods }: { readonly plan: Plan; readonly pods: number },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const why = notFound(request, plan, pods, this.#options.needsApproval);
    await this.#tell(request, [ACCEPTED, why], signal, []);
    return why.type === 'Failed' ? undefined : this.#again(request);
  }

  /** The room is held: says so once its instances are there. Answers when to look again. */
  async #tellBooked(
    request: ProvisioningRequest,
    pods: number,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { cluster } = this.#options;
    const { isLaunched } = bookedRoom(cluster, requestOwner(request));
    const before = request.conditions.find(({ type }) => type === 'Provisioned');
    const waits = !isLaunched && request.className === ATOMIC_SCALE_UP;
    const hasLaunched = before?.reason === notLaunchedYet(pods).reason;
    await this.#tell(
      request,
      [ACCEPTED, waits ? notLaunchedYet(pods) : provisioned(pods, hasLaunched)],
      signal,
      waits ? undefined : request.podSets.map(({ template }) => template),
    );
    if (!waits) this.#attempts.delete(request.uid);
    return waits ? Infinity : BOOKED_MILLIS;
  }

  async #end(request: ProvisioningRequest, why: Told, signal: AbortSignal): Promise<undefined> {
    await this.#release(requestOwner(request), signal);
    await this.#tell(request, [why], signal);
  }

  async #release(owner: ReservationOwner, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    await releaseRoom({ cluster, writer: this.#writer }, owner, signal);
  }

  /** `fitting`: templates that there is room for; undefined leaves what the status says of them. */
  async #tell(
    request: ProvisioningRequest,
    told: readonly Told[],
    signal: AbortSignal,
    fitting?: readonly string[],
  ): Promise<void> {
    const { clock, logger } = this.#options;
    const lastTransitionTime = clock.now();
    const all = told.reduce(
      (conditions, condition) => withCondition(conditions, { ...condition, lastTransitionTime }),
      request.conditions,
    );
    const sets = fitting?.length === 0 ? undefined : JSON.stringify(fitting);
    const schedulablePodSets = fitting === undefined ? request.schedulablePodSets : sets;
    if (
      conditionsText(all) === conditionsText(request.conditions) &&
      schedulablePodSets === request.schedulablePodSets
    )
      return;
    await this.#writer.setRequestStatus(request, { conditions: all, schedulablePodSets }, signal);
    const { type, status, reason, message } = told[told.length - 1] ?? ACCEPTED;
    logger.info('Answered ProvisioningRequest', {
      ...{ namespace: request.namespace, request: request.name },
      ...{ condition: type, status, reason, message },
    });
  }

  /** In milliseconds. */
  #again({ uid }: ProvisioningRequest): number {
    const attempt = (this.#attempts.get(uid) ?? 0) + 1;
    this.#attempts.set(uid, attempt);
    return backoffMillis({ attempt, ...AGAIN, random: this.#options.random });
  }

  #subscribe(): readonly (() => void)[] {
    const { cluster } = this.#options;
    const look = (keys: Iterable<string>): void => {
      for (const key of keys) this.#queue.add(key);
    };
    return [
      cluster.provisioningRequests.subscribe(({ key, before, after }) => {
        if (after === undefined && before !== undefined) this.#attempts.delete(before.uid);
        this.#queue.add(key);
      }),
      cluster.podTemplates.subscribe(({ before, after }) => {
        const { namespace, name } = after ?? before ?? { namespace: '', name: '' };
        for (const request of cluster.provisioningRequests.values())
          if (request.namespace === namespace && request.podSets.some(({ template }) => template === name))
            look([podKey(request)]);
      }),
      cluster.reservations.subscribe(({ before }) => {
        look(requestsOf(before));
      }),
      cluster.nodeClaims.subscribe(({ key, before, after }) => {
        if (before?.status.providerID === after?.status.providerID) return;
        look(requestsOf(cluster.reservations.get(`nodeclaim.${key}`)));
      }),
    ];
  }
}
