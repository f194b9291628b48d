/**
 * Evicts pods whose in-place resize is Deferred and that ask to move for it, once room for what they ask for is held on another node:
 * provisioning plans and holds it (resizeMoves). One pod of an owner after the other, as its PodDisruptionBudget lets it. The pod that comes
 * in its place is annotated with what it was moved for, so that it is not moved for the same again.
 */
import { asksToMove, MOVED_FOR_ANNOTATION, movedForText } from '../../domain/pods/deferred-resize.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isFinished, podKey } from '../../domain/pods/pod.js';
import type { ReservationTarget } from '../../domain/records/reservation.js';
import { isWithin } from '../../domain/values/resources.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { Mutex } from '../../runtime/concurrency/mutex.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Change } from '../../state/cluster/store.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { ownerKeyOf } from '../../state/cluster/owner-key.js';
import { takenEntries } from '../../state/ledger/owner-room.js';
import { canBind, targetState } from '../../state/nodes/node-state.js';
import { movesForResize } from '../../state/planning/resize-moves.js';
import { ClusterWriter } from '../cluster-writer.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';

export interface ResizesControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  /** Without them nothing pauses it. */
  readonly safeguards?: Safeguards | undefined;
  /** Shared with provisioning and disruption: while a pod is evicted for room that is held, none of it is given away. */
  readonly mutex?: Mutex | undefined;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PolicyStatus'];
/** From one look to the next at a pod that waits for room, for others of its owner, or for what forbids its eviction. */
const LOOK_MILLIS = 2000;
/** Its PodDisruptionBudget forbids it. */
const BLOCKED_MILLIS = 10_000;
/** The turn may be a batch of pods, which may take its time. */
const TIMEOUT_MILLIS = 180_000;

/** A pod that does not come in the place of an evicted one by then comes for another reason. */
const COMES_WITHIN_MILLIS = 600_000;

/** A pod that was evicted. */
interface Evicted {
  /** What it asked for, as its successor is annotated with. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class ResizesController {
  readonly #options: ResizesControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #mutex: Mutex;
  readonly #queue: WorkQueue;
  /** Owner and template → what pods asked for that were evicted, and in whose place none has come yet. */
  readonly #evicted = new Map<string, Evicted[]>();
  /** Uid of a pod that has come in the place of one → what that one asked for, until it is written to it. */
  readonly #successors = new Map<string, string>();

  constructor(options: ResizesControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#mutex = options.mutex ?? new Mutex();
    this.#queue = new WorkQueue({
      ...options,
      name: 'resizes',
      handle: (key, signal) => this.reconcile(key, signal),
      concurrency: 2,
      timeoutMillis: TIMEOUT_MILLIS,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => [
      cluster.pods.subscribe((change) => {
        if (this.#isSuccessor(change) || isAsking(change)) this.#queue.add(change.key);
        if (change.after === undefined) this.#successors.delete(change.before?.uid ?? '');
      }),
    ];
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const pod of cluster.podsAskingToMove()) this.#queue.add(podKey(pod));
      await this.#queue.run(signal);
    });
  }

  /** One step of the pod `namespace/name`. @throws PortError, when something could not be written. */
  async reconcile(key: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, safeguards } = this.#options;
    const pod = cluster.pods.get(key);
    if (pod === undefined) return undefined;
    await this.#tell(pod, signal);
    if (!asksToMove(pod) || pod.terminating) return undefined;
    if (safeguards?.isPaused() === true) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
    if (this.#room(pod) === undefined) return { requeueAfterMillis: LOOK_MILLIS };
    return this.#mutex.runExclusive(signal, () => this.#move(key, signal));
  }

  /** What was seen before the turn came may be otherwise by now. */
  async #move(key: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const pod = this.#options.cluster.pods.get(key);
    if (pod === undefined || !asksToMove(pod) || pod.terminating) return undefined;
    const target = this.#room(pod);
    if (target === undefined) return { requeueAfterMillis: LOOK_MILLIS };
    const owner = ownerKeyOf(pod) ?? '';
    const evicted = this.#evicted.get(owner) ?? [];
    // Before the eviction: its successor may be seen before the answer is.
    const one = { text: movedForText(pod.spec.requests), at: this.#options.clock.now() };
    this.#evicted.set(owner, [...evicted, one]);
    try {
      if (await this.#writer.evictPod(pod, signal)) this.#record(pod, target);
      return undefined;
    } catch (error) {
      this.#evicted.set(owner, evicted);
      if (!hasCode(error, 'Blocked')) throw error;
      this.#options.metrics.evictionRequests.inc({ code: '429' });
      return { requeueAfterMillis: BLOCKED_MILLIS };
    }
  }

  /** Where room is held for the pod that will come in its place, which could be bound there now; undefined while it has to wait. */
  #room(pod: ObservedPod): ReservationTarget | undefined {
    const { cluster, clock } = this.#options;
    const owner = ownerKeyOf(pod);
    if (owner === undefined || !movesForResize(cluster, pod, clock.now())) return undefined;
    const isUnsettled = ({ uid, terminating, nodeName }: ObservedPod): boolean =>
      uid !== pod.uid && (terminating || nodeName === undefined);
    if (cluster.podsOf(owner).some((other) => !isFinished(other) && isUnsettled(other))) return undefined;
    return takenEntries(cluster, owner).find(({ reservation: { target }, entry, pods }) => {
      const state = targetState(cluster, target);
      const isFree = entry.count > pods.length && isWithin(pod.spec.requests, entry.requests);
      return isFree && canBind(state, entry.requests) && state.node?.name !== pod.nodeName;
    })?.reservation.target;
  }

  #record(pod: ObservedPod, { kind, name }: ReservationTarget): void {
    const { metrics, recorder } = this.#options;
    metrics.evictionRequests.inc({ code: '200' });
    recorder.record({
      subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
      action: 'Disrupt',
      reason: 'EvictedForResize',
      message: `its in-place resize is Deferred: node ${pod.nodeName ?? ''} has no room for it; room for what it asks for is held on ${kind} ${name}`,
      trigger: 'resizes',
      considered: '',
      saving: undefined,
      related: [{ kind, namespace: '', name }],
      event: { type: 'Normal', reason: 'EvictedForResize' },
    });
  }

  /** Whether the pod has come in the place of one that was evicted. */
  #isSuccessor({ before, after }: Change<ObservedPod>): boolean {
    if (before?.uid === after?.uid || after === undefined || after.terminating) return false;
    const owner = this.#evicted.size === 0 ? undefined : ownerKeyOf(after);
    if (owner === undefined) return false;
    const earliest = this.#options.clock.now() - COMES_WITHIN_MILLIS;
    const [first, ...others] = (this.#evicted.get(owner) ?? []).filter(({ at }) => at >= earliest);
    if (others.length > 0) this.#evicted.set(owner, others);
    else this.#evicted.delete(owner);
    if (first !== undefined) this.#successors.set(after.uid, first.text);
    return first !== undefined;
  }

  async #tell(pod: ObservedPod, signal: AbortSignal): Promise<void> {
    const text = this.#successors.get(pod.uid);
    if (text === undefined) return;
    await this.#writer.annotatePod(pod, { [MOVED_FOR_ANNOTATION]: text }, signal);
    this.#successors.delete(pod.uid);
  }
}

function isAsking({ before, after }: Change<ObservedPod>): boolean {
  if (after === undefined || !asksToMove(after) || after.terminating) return false;
  return before === undefined || !asksToMove(before);
}
