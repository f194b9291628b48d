/**
 * CapacityBuffers: keeps nodes with free room for the pods that they ask for. Those pods are planned like any other, of the lowest
 * priority, but nothing is reserved for them: any pod that fits takes the room, which is then made good. What has no room on nodes gets
 * NodeClaims; killed after any of them, the next look finds these on their way.
 */
import { isDeepStrictEqual } from 'node:util';
import { BUFFER_ANNOTATION, LAUNCH_GROUP_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { namedBuffers, type BufferDemand, type CapacityBuffer } from '../../domain/pods/capacity-buffer.js';
import { podKey } from '../../domain/pods/pod.js';
import type { Plan } from '../../planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../planning/plan-options.js';
import { typesOffered, type PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Planner } from '../../ports/planner.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { inParallel } from '../../runtime/concurrency/in-parallel.js';
import { INTERRUPTED, Mutex } from '../../runtime/concurrency/mutex.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Change } from '../../state/cluster/store.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Workload } from '../../domain/pods/workload.js';
import { targetState } from '../../state/nodes/node-state.js';
import { isNewsForPlanning } from '../../state/planning/node-news.js';
import { PLANNED_KINDS, plannedTarget } from '../../state/planning/plan-input.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import { ClusterWriter } from '../cluster-writer.js';
import { hashAnnotations } from '../fingerprint/template-hash.js';
import { draftClaims, type ClaimDraft } from '../provisioning/draft-claims.js';
import { PoolOffers, type PoolOffersOptions } from '../provisioning/pool-offers.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import { placesOf, statusOf, targetsOf, type BufferPlaces } from './buffer-status.js';
import { READ_AGAIN_MILLIS, type ResolvedBuffers } from './resolved-buffers.js';
import { tellCreated } from '../provisioning/tell-created.js';

export interface CapacityBuffersControllerOptions extends PoolOffersOptions {
  readonly kube: KubeWriter;
  readonly planner: Planner;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly safeguards: Safeguards;
  /** Shared with disruption, which leaves the buffers their room. */
  readonly buffers: ResolvedBuffers;
  readonly planOptions?: PlanOptions | undefined;
  /** Shared with provisioning and disruption: batches of pods come first. */
  readonly mutex?: Mutex | undefined;
}

const KINDS: readonly ObservedKind[] = [...PLANNED_KINDS, 'Workload', 'CapacityBuffer'];
/** All buffers are planned together. */
const ALL = 'all';
/** What the user changes is looked at soon; pods that come and go are waited for a while, and longer where planning takes long. */
const SOON_MILLIS = 250;
const SETTLE_MILLIS = 2000;
const SHARE_OF_TIME = 10;
/** The turn may be a batch of pods, which may take its time. */
const TIMEOUT_MILLIS = 180_000;

export class CapacityBuffersController {
  readonly #options: CapacityBuffersControllerOptions;
  readonly #offers: PoolOffers;
  readonly #writer: ClusterWriter;
  readonly #mutex: Mutex;
  readonly #queue: WorkQueue;
  /** What the last plan took. */
  #planMillis = 0;

  constructor(options: CapacityBuffersControllerOptions) {
    this.#options = options;
    this.#offers = new PoolOffers(options);
    this.#writer = new ClusterWriter(options);
    this.#mutex = options.mutex ?? new Mutex();
    this.#queue = new WorkQueue({
      ...options,
      name: 'capacity-buffers',
      handle: (_key, signal) => this.reconcile(signal),
      concurrency: 1,
      timeoutMillis: TIMEOUT_MILLIS,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const soon = (): void => {
      this.#queue.addAfter(ALL, SOON_MILLIS);
    };
    const later = (): void => {
      if (cluster.capacityBuffers.size === 0) return;
      this.#queue.addAfter(ALL, Math.max(SETTLE_MILLIS, SHARE_OF_TIME * this.#planMillis));
    };
    const subscribe = (): readonly (() => void)[] => [
      cluster.capacityBuffers.subscribe(({ before, after }) => {
        if (before?.uid !== after?.uid || before?.generation !== after?.generation) soon();
      }),
      cluster.workloads.subscribe((change) => {
        if (cluster.capacityBuffers.size > 0 && this.#changes(change)) soon();
      }),
      cluster.pods.subscribe((change) => {
        if (changesRoom(change)) later();
      }),
      cluster.nodes.subscribe((change) => {
        if (cluster.capacityBuffers.size > 0 && isNewsForPlanning(change)) later();
      }),
      cluster.nodeClaims.subscribe(later),
      cluster.policyStatuses.subscribe(later),
    ];
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      this.#queue.add(ALL);
      await this.#queue.run(signal);
    });
  }

  /** Whether buffers are made for the workload, or for the Deployment that has it. */
  #changes({ before, after }: Change<Workload>): boolean {
    const workload = after ?? before;
    if (workload === undefined || before?.wantedPods === after?.wantedPods) return false;
    const { kind, namespace, name, deployment } = workload;
    const own = this.#options.buffers.changed({ kind, namespace, name });
    if (deployment === undefined) return own;
    const owner = deployment.slice(namespace.length + 1);
    return this.#options.buffers.changed({ kind: 'Deployment', namespace, name: owner }) || own;
  }

  /** One look at all buffers. @throws PortError, when something could not be written. */
  async reconcile(signal: AbortSignal): Promise<Requeue | undefined> {
    const { buffers } = this.#options;
    try {
      await buffers.refresh(signal);
      return await this.#look(signal);
    } finally {
      buffers.looked(undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<Requeue | undefined> {
    const { buffers, safeguards } = this.#options;
    const kept = buffers.buffers();
    if (kept.length === 0) return undefined;
    if (safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
    const specs = buffers.demand().map(({ spec }) => spec);
    const pools = await this.#offers.now(signal, specs);
    const places = await this.#mutex.runInterruptibly(signal, (own) =>
      this.#provide(buffers.demand(), pools, { planning: own, writing: signal }),
    );
    if (places === INTERRUPTED) return { requeueAfterMillis: SETTLE_MILLIS };
    await inParallel(kept, (buffer) => this.#tell(buffer, places.get(podKey(buffer)), signal), { signal });
    return { requeueAfterMillis: READ_AGAIN_MILLIS };
  }

  /** Launches what is missing; answers where the pods of each buffer are. */
  async #provide(
    demand: readonly BufferDemand[],
    pools: readonly PoolOffer[],
    { planning, writing }: { readonly planning: AbortSignal; readonly writing: AbortSignal },
  ): Promise<ReadonlyMap<string, BufferPlaces>> {
    const {
      buffers,
      cluster,
      planner,
      clock,
      safeguards,
      planOptions: options = DEFAULT_PLAN_OPTIONS,
    } = this.#options;
    if (demand.length === 0) return new Map();
    const typesOf: PoolOffers['typesOf'] = (claim) => this.#offers.typesOf(claim);
    const now = clock.now();
    const question = { demand: [], buffers: demand, pools, typesOf, now, options };
    const { plan, millis } = await planner.plan(question, planning);
    this.#planMillis = millis;
    buffers.looked(targetsOf(plan, (nodeName) => plannedTarget(cluster, nodeName)));
    if (!safeguards.isPaused()) await this.#launch(plan, pools, writing);
    return placesOf(plan, (nodeName) => {
      const target = plannedTarget(cluster, nodeName);
      return target !== undefined && targetState(cluster, target).isUsable;
    });
  }

  async #launch({ claims }: Plan, pools: readonly PoolOffer[], signal: AbortSignal): Promise<void> {
    const { cluster, random } = this.#options;
    const offers = new Map(pools.map((offer) => [offer.pool.name, offer]));
    const wanted = claims.flatMap((planned) => {
      const offer = offers.get(planned.nodePool);
      if (offer === undefined) return [];
      const { pool } = offer;
      const types = typesOffered(offer, planned.chosenLabels);
      const source = acceptedNodeClass(cluster, pool.template.nodeClassRef);
      const buffered = [BUFFER_ANNOTATION, namedBuffers(planned.pods)] as const;
      const annotations = new Map([...hashAnnotations(pool, source), buffered]);
      return [{ planned, pool, types, pods: [], annotations }];
    });
    const drafts = draftClaims(wanted, random, (name) => cluster.nodeClaims.get(name) !== undefined);
    const create = async (draft: ClaimDraft): Promise<void> => {
      this.#created(await this.#writer.createClaim(draft.claim, signal), draft);
    };
    await inParallel(drafts, create, { signal });
  }

  #created(claim: NodeClaim, { planned }: ClaimDraft): void {
    const buffers = namedBuffers(planned.pods);
    const launchGroup = claim.annotations.get(LAUNCH_GROUP_ANNOTATION);
    this.#options.logger.info('Created NodeClaim for CapacityBuffers', {
      nodeClaim: claim.name,
      buffers,
      launchGroup,
    });
    const why = ` for CapacityBuffer ${buffers}`;
    tellCreated(this.#options, claim, planned, { why, trigger: 'capacity-buffers' });
  }

  /** Writes the buffer's status, where it says something else. One that has changed meanwhile is looked at again anyhow. */
  async #tell(buffer: CapacityBuffer, places: BufferPlaces | undefined, signal: AbortSignal): Promise<void> {
    const { buffers, clock, cluster, kube } = this.#options;
    const resolution = buffers.resolution(buffer);
    if (resolution === undefined) return;
    const status = statusOf(buffer, resolution, places, clock.now());
    if (isDeepStrictEqual(status, buffer.status)) return;
    try {
      cluster.put('CapacityBuffer', await kube.putBufferStatus(buffer, status, signal));
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}

/** Whether a pod took room on a node, or gave it back. */
function changesRoom({ before, after }: Change<ObservedPod>): boolean {
  return before?.nodeName !== after?.nodeName || before?.phase !== after?.phase;
}
