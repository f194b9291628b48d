/**
 * Tells kube-scheduler where a pod is planned, through status.nominatedNodeName: it then tries that node first, and the
 * write wakes the pod. What others nominated is left alone.
 *
 * Pods that are planned on nodes which are there are nominated, too: kube-scheduler has put them aside, a Reservation is no
 * event for it, and without any it looks at them again after five minutes only. No launch waits for them, and where an
 * event has come in between the pod is bound already: these nominations let other writes go first.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import { reservationName } from '../../domain/records/reservation.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { waitsForOthers } from '../../state/ledger/bind-turn.js';
import { canBind, targetState } from '../../state/nodes/node-state.js';
import { ClusterWriter } from '../cluster-writer.js';
import { whileObserving } from '../while-observing.js';
import { onPlannedPods, podsOf } from './planned-pods.js';

export interface NominationControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation'];
const CONCURRENCY = 8;
/** A node's registration waits no longer than this for the hints of its pods. */
const NOMINATE_MILLIS = 15_000;
/** A new pod whose node is there is bound by then, as our extender leaves kube-scheduler no other: it needs no hint. */
const FIRST_TRY_MILLIS = 2000;

export class NominationController {
  readonly #options: NominationControllerOptions;
  readonly #writer: ClusterWriter;
  /** Keys are uids of pods. */
  readonly #queue: WorkQueue;
  /** Pod uid → the node that we nominated it to. */
  readonly #hinted = new Map<string, string>();

  constructor(options: NominationControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'nomination',
      handle: (podUID, signal) => this.reconcile(podUID, signal),
      concurrency: CONCURRENCY,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const reservation of cluster.reservations.values())
        for (const podUID of podsOf(reservation)) this.#queue.add(podUID);
      await this.#queue.run(signal);
    });
  }

  /**
   * Nominates the pods that are planned on the claim to its node, which need not be usable yet. A hint that cannot be
   * given is no reason not to go on: it never fails but by the signal, and not later than after 15 seconds.
   * @throws PortError Cancelled.
   */
  async nominatePods(claim: NodeClaim, nodeName: string, signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    const reservation = cluster.reservations.get(reservationName({ kind: 'NodeClaim', name: claim.name }));
    const uids = podsOf(reservation).filter((podUID) => !waitsForOthers(cluster, podUID));
    const operation = `nominate the pods of ${claim.name}`;
    try {
      await withDeadline({ clock, millis: NOMINATE_MILLIS, signal, operation }, async (own) => {
        const nominate = (podUID: string): Promise<void> => this.#nominate(podUID, nodeName, own);
        const failures = await tryInParallel(uids, nominate, { atOnce: CONCURRENCY, signal: own });
        for (const error of failures) {
          // A pod that is bound, or nominated by another component, needs no nomination.
          const level = hasCode(error, 'Conflict') ? 'debug' : 'info';
          logger[level]('Failed to nominate a pod', { nodeClaim: claim.name, error });
        }
      });
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn('Failed to nominate all pods in time', { nodeClaim: claim.name, error });
    }
  }

  /** Nominates the pod when its node has what it needs; takes our nomination back when it is planned there no more. */
  async reconcile(podUID: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster } = this.#options;
    const pod = waiting(cluster, podUID);
    const [held] = cluster.entriesOfPod(podUID);
    if (pod === undefined) {
      this.#hinted.delete(podUID);
      return undefined;
    }
    const target = held && targetState(cluster, held.reservation.target);
    const hinted = this.#hinted.get(podUID);
    if (hinted !== undefined && hinted !== target?.node?.name) await this.#takeBack(pod, hinted, signal);
    const node = target?.node?.name;
    if (node === undefined || node === this.#hinted.get(podUID)) return undefined;
    return this.#hint(pod, node, signal);
  }

  /** Nominates the pod to its node once it needs that. */
  async #hint(pod: ObservedPod, node: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, clock } = this.#options;
    const isLate = isOnNode(cluster.entriesOfPod(pod.uid)[0]);
    const wait = isLate ? firstTryMillis(pod, clock.now()) : 0;
    if (wait > 0) return { requeueAfterMillis: wait };
    if (this.#isInTurn(pod.uid)) await this.#nominate(pod.uid, node, signal, isLate);
    return undefined;
  }

  /** Whether its node can take the pod, and it is not refused until others are bound: being nominated then wakes it. */
  #isInTurn(podUID: string): boolean {
    const { cluster } = this.#options;
    const [held] = cluster.entriesOfPod(podUID);
    if (held === undefined || waitsForOthers(cluster, podUID)) return false;
    return canBind(targetState(cluster, held.reservation.target), held.entry.requests);
  }

  async #nominate(podUID: string, nodeName: string, signal: AbortSignal, isLate = false): Promise<void> {
    const { cluster, logger } = this.#options;
    const pod = waiting(cluster, podUID);
    if (pod === undefined || this.#isOthers(pod, nodeName)) return;
    if (pod.nominatedNodeName !== nodeName) {
      if (!(await this.#writer.nominatePod(pod, nodeName, signal, isLate))) return;
      logger.debug('Nominated pod', { pod: podKey(pod), node: nodeName });
    }
    this.#hinted.set(podUID, nodeName);
  }

  async #takeBack(pod: ObservedPod, hinted: string, signal: AbortSignal): Promise<void> {
    if (pod.nominatedNodeName === hinted) await this.#writer.nominatePod(pod, undefined, signal);
    this.#hinted.delete(pod.uid);
  }

  /** Nominated to a node that is there, and not by us as far as we know. */
  #isOthers({ uid, nominatedNodeName }: ObservedPod, nodeName: string): boolean {
    if (nominatedNodeName === undefined || nominatedNodeName === nodeName) return false;
    if (this.#options.cluster.nodes.get(nominatedNodeName) === undefined) return false;
    return nominatedNodeName !== this.#hinted.get(uid);
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      ...onPlannedPods(cluster, (podUID) => {
        this.#queue.add(podUID);
      }),
      cluster.pods.subscribe(({ before, after }) => {
        if (before !== undefined && after?.uid !== before.uid) this.#hinted.delete(before.uid);
        else if (before?.scheduled === undefined && after?.scheduled !== undefined)
          this.#queue.add(after.uid);
      }),
    ];
  }
}

/** Whether room is held for it on a node that is there, and not on one that was launched for it. */
function isOnNode(held: ReturnType<Cluster['entriesOfPod']>[number] | undefined): boolean {
  return held?.reservation.target.kind === 'Node';
}

/** How long kube-scheduler, which has not judged the pod yet, is given for its first attempt. */
function firstTryMillis({ scheduled, createdAt }: ObservedPod, now: number): number {
  if (scheduled !== undefined) return 0;
  return Math.min(FIRST_TRY_MILLIS, Math.max(0, createdAt + FIRST_TRY_MILLIS - now));
}

function waiting(cluster: Cluster, podUID: string): ObservedPod | undefined {
  const pod = cluster.podByUID(podUID);
  return pod === undefined || pod.nodeName !== undefined || pod.terminating ? undefined : pod;
}
