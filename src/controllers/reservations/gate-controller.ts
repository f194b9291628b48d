/**
 * Takes Berth's scheduling gate from pods (level L1): where a pod's node is ready, together with a node selector for that node,
 * in one write, so that from then on neither another scheduler nor Berth's absence can put the pod elsewhere. Kubernetes
 * lets a node selector be narrowed while a pod has a gate, and never after (KEP-3838).
 *
 * So a pod that was let go to a node and lost its room there can be scheduled no more. It is evicted, and its controller
 * replaces it by one that is planned again.
 */
import { demandStatus } from '../../domain/pods/demand.js';
import { PINNED_ANNOTATION } from '../../domain/pods/gate.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isFinished, podKey } from '../../domain/pods/pod.js';
import type { EventType } from '../../domain/records/event-reasons.js';
import { HOSTNAME } from '../../domain/values/labels.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { WorkQueue, type Requeue } from '../../runtime/concurrency/work-queue.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { waitsForOthers } from '../../state/ledger/bind-turn.js';
import { waitsForGang } from '../../state/nodes/gang-readiness.js';
import { canBind, targetState } from '../../state/nodes/node-state.js';
import { ClusterWriter } from '../cluster-writer.js';
import { whileObserving } from '../while-observing.js';
import { onPlannedPods } from './planned-pods.js';

export interface GateControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PodGroup'];
/**
 * No pod is kept by this gate alone for longer, while Berth leads: as long as an instance may take to register. Then any scheduler
 * may have it.
 */
const LONGEST_MILLIS = 15 * 60_000;
/** Members of a gang look so often whether the others' nodes are ready. */
const GANG_LOOK_MILLIS = 2000;
/** A pod whose room is gone may have been bound a moment ago: it is evicted when it is still there after this. */
const LOST_MILLIS = 3000;

export class GateController {
  readonly #options: GateControllerOptions;
  readonly #writer: ClusterWriter;
  /** Keys are uids of pods. */
  readonly #queue: WorkQueue;
  /** Pods that nothing else keeps, by uid, and since when that is known; monotonic. */
  readonly #gatedSince = new Map<string, number>();
  /** Pinned pods without room, by uid, and since when; monotonic. */
  readonly #lostSince = new Map<string, number>();

  constructor(options: GateControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'gates',
      handle: (podUID, signal) => this.reconcile(podUID, signal),
      concurrency: 8,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const pod of cluster.pods.values()) if (isConcerned(pod)) this.#queue.add(pod.uid);
      await this.#queue.run(signal);
    });
  }

  /** Takes the gate away when it is time; evicts a pod that has lost the only place where it may go. */
  async reconcile(podUID: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const pod = this.#options.cluster.podByUID(podUID);
    if (pod?.awaitsPlace !== true) this.#gatedSince.delete(podUID);
    if (pod === undefined || !isConcerned(pod)) {
      this.#gatedSince.delete(podUID);
      this.#lostSince.delete(podUID);
      return undefined;
    }
    return pod.awaitsPlace ? this.#gated(pod, signal) : this.#pinned(pod, signal);
  }

  async #gated(pod: ObservedPod, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, clock } = this.#options;
    if (demandStatus(pod, this.#options.cluster.demandTerms) !== 'demand') {
      await this.#letGo(pod, 'Berth does not plan it', signal);
      return undefined;
    }
    const [held] = cluster.entriesOfPod(pod.uid);
    const target = held && targetState(cluster, held.reservation.target);
    const isReady = held !== undefined && target !== undefined && canBind(target, held.entry.requests);
    if (isReady && target.node !== undefined && !waitsForOthers(cluster, pod.uid)) {
      if (waitsForGang(cluster, pod)) return { requeueAfterMillis: GANG_LOOK_MILLIS };
      await this.#letGoTo(pod, target.node, signal);
      return undefined;
    }
    const since = this.#gatedSince.get(pod.uid) ?? clock.monotonic();
    this.#gatedSince.set(pod.uid, since);
    const left = since + LONGEST_MILLIS - clock.monotonic();
    if (left > 0) return { requeueAfterMillis: left };
    const why = held === undefined ? 'it has no place' : 'its node is not ready';
    await this.#letGo(pod, `${why} after ${String(LONGEST_MILLIS / 60_000)} minutes`, signal);
    return undefined;
  }

  /** A node without the label is none that a selector can name: its pods are let go as they are. */
  async #letGoTo(pod: ObservedPod, node: ObservedNode, signal: AbortSignal): Promise<void> {
    const { logger, metrics } = this.#options;
    const hostname = node.labels.get(HOSTNAME);
    const isNamed = hostname === undefined || pod.spec.nodeSelector.has(HOSTNAME);
    const change = isNamed
      ? { annotations: {} }
      : { hostname, annotations: { [PINNED_ANNOTATION]: hostname } };
    if (!(await this.#writer.ungatePod(pod, change, signal))) return;
    metrics.gatesRemoved.inc({ reason: 'planned' });
    logger.debug('Removed scheduling gate', { pod: podKey(pod), node: node.name });
  }

  async #letGo(pod: ObservedPod, why: string, signal: AbortSignal): Promise<void> {
    const { metrics } = this.#options;
    if (!(await this.#writer.ungatePod(pod, { annotations: {} }, signal))) return;
    metrics.gatesRemoved.inc({ reason: 'unplanned' });
    this.#tell(pod, `removed the scheduling gate, for no node: ${why}`, 'Warning');
  }

  async #pinned(pod: ObservedPod, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, clock, metrics } = this.#options;
    if (cluster.entriesOfPod(pod.uid).length > 0) {
      this.#lostSince.delete(pod.uid);
      return undefined;
    }
    const since = this.#lostSince.get(pod.uid) ?? clock.monotonic();
    this.#lostSince.set(pod.uid, since);
    const left = since + LOST_MILLIS - clock.monotonic();
    if (left > 0) return { requeueAfterMillis: left };
    const what = `may only go to ${pod.pinnedTo ?? ''}, where its room is gone`;
    if (pod.owner === undefined) {
      this.#tell(
        pod,
        `${what}, and no controller would replace it: delete it, and create it again`,
        'Warning',
      );
      return undefined;
    }
    if (!(await this.#writer.evictPod(pod, signal))) return undefined;
    metrics.pinnedPodsReplaced.inc();
    this.#tell(pod, `${what}; evicted, so that its ${pod.owner.kind} replaces it`, 'Normal');
    return undefined;
  }

  #tell({ namespace, name, uid }: ObservedPod, message: string, type: EventType): void {
    this.#options.recorder.record({
      subject: { kind: 'Pod', namespace, name, uid },
      action: 'Place',
      reason: 'SchedulingGateRemoved',
      message,
      trigger: 'gate',
      considered: '',
      saving: undefined,
      event: { type, reason: 'SchedulingGateRemoved' },
    });
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.pods.subscribe(({ before, after }) => {
        if (before !== undefined && isConcerned(before)) this.#queue.add(before.uid);
        if (after !== undefined && isConcerned(after)) this.#queue.add(after.uid);
      }),
      ...onPlannedPods(cluster, (podUID) => {
        const pod = cluster.podByUID(podUID);
        if (pod !== undefined && isConcerned(pod)) this.#queue.add(podUID);
      }),
    ];
  }
}

/** Whether it has Berth's gate, or had it and is not bound yet. */
function isConcerned(pod: ObservedPod): boolean {
  if (pod.nodeName !== undefined || pod.terminating || isFinished(pod)) return false;
  return pod.awaitsPlace || pod.pinnedTo !== undefined;
}
