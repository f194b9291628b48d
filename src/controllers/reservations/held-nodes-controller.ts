/**
 * Nodes with the taint berth.sh/held: the pods that are planned there get a toleration for it once they can be bound, which is
 * also what wakes them, and them alone, at kube-scheduler. The taint goes when nothing is planned there any more.
 */
import { isHeldTaint } from '../../domain/nodes/held-taint.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import {
  reservationName,
  type ReservationEntry,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import type { Taint } from '../../domain/values/taint.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import { inParallel } from '../../runtime/concurrency/in-parallel.js';
import { WorkQueue, type Requeue } from '../../runtime/concurrency/work-queue.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { waitsForOthers } from '../../state/ledger/bind-turn.js';
import { canBind, targetState } from '../../state/nodes/node-state.js';
import { ClusterWriter } from '../cluster-writer.js';
import { whileObserving } from '../while-observing.js';
import { onPlannedPods } from './planned-pods.js';

export interface HeldNodesControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Whether new nodes get the taint. Where they do not, it is taken from those that have it. */
  readonly isOn: boolean;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation'];
const CONCURRENCY = 8;
/**
 * A usable node keeps the taint for no longer: pods of DaemonSets that do not tolerate it wait for its end, and what is planned
 * there may wait for them.
 */
const LONGEST_MILLIS = 120_000;
/** Tolerations are never taken away: a pod that is planned again and again gets no more than these. */
const MOST_TOLERATIONS = 8;

type Cause = 'settled' | 'late' | 'full' | 'off';

export class HeldNodesController {
  readonly #options: HeldNodesControllerOptions;
  readonly #writer: ClusterWriter;
  /** Keys are names of nodes. */
  readonly #queue: WorkQueue;
  /** By name, of nodes with the taint; monotonic. */
  readonly #usableSince = new Map<string, number>();

  constructor(options: HeldNodesControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'held-nodes',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: CONCURRENCY,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const { name } of cluster.nodes.values()) this.#add(name);
      await this.#queue.run(signal);
    });
  }

  /** Gives tolerations to pods that can be bound to the node, or takes its taint away. @throws PortError */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const taint = this.#taintOf(name);
    if (taint === undefined) {
      this.#usableSince.delete(name);
      return undefined;
    }
    const entries = this.#entriesOn(name);
    if (!this.#options.isOn) return this.#lift(name, taint, 'off', signal);
    if (entries.length === 0) return this.#lift(name, taint, 'settled', signal);
    const { cluster, clock } = this.#options;
    const target = targetState(cluster, { kind: 'Node', name });
    if (!target.isUsable) return undefined;
    const since = this.#usableSince.get(name) ?? clock.monotonic();
    this.#usableSince.set(name, since);
    const left = since + LONGEST_MILLIS - clock.monotonic();
    if (left <= 0) return this.#lift(name, taint, 'late', signal);
    const pods = entries
      .filter(({ requests }) => canBind(target, requests))
      .flatMap(({ podUID }) => (podUID === undefined ? [] : (waitingPod(cluster, podUID) ?? [])))
      .filter(({ toleratedHolds }) => !toleratedHolds.includes(taint.value));
    if (pods.some(({ toleratedHolds }) => toleratedHolds.length >= MOST_TOLERATIONS))
      return this.#lift(name, taint, 'full', signal);
    await this.#tolerate(pods, taint, signal);
    return { requeueAfterMillis: left };
  }

  async #tolerate(pods: readonly ObservedPod[], { value }: Taint, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const tolerate = async (pod: ObservedPod): Promise<void> => {
      if (await this.#writer.toleratePod(pod, value, signal))
        logger.debug('Added the toleration of a held node', { pod: podKey(pod) });
    };
    await inParallel(pods, tolerate, { atOnce: CONCURRENCY, signal });
  }

  async #lift(name: string, taint: Taint, reason: Cause, signal: AbortSignal): Promise<undefined> {
    const { cluster, logger, metrics } = this.#options;
    const node = cluster.nodes.get(name);
    if (node === undefined) return;
    if (!(await this.#writer.patchNode(node, { taints: { remove: [taint] } }, signal))) return;
    metrics.heldTaintsRemoved.inc({ reason });
    const isExpected = reason === 'settled' || reason === 'off';
    logger[isExpected ? 'debug' : 'info']('Removed the taint of a held node', { node: name, reason });
  }

  #taintOf(name: string): Taint | undefined {
    return this.#options.cluster.nodes.get(name)?.taints.find(isHeldTaint);
  }

  /** What is planned on the node, by its claim's name or by its own. */
  #entriesOn(name: string): readonly ReservationEntry[] {
    const { cluster } = this.#options;
    const claim = cluster.claimOfNode(name);
    const targets: readonly ReservationTarget[] = [
      { kind: 'Node', name },
      ...(claim === undefined ? [] : [{ kind: 'NodeClaim', name: claim.name } as const]),
    ];
    return targets.flatMap((target) => cluster.reservations.get(reservationName(target))?.entries ?? []);
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.nodes.subscribe(({ key }) => {
        this.#add(key);
      }),
      cluster.reservations.subscribe(({ before, after }) => {
        for (const reservation of [before, after])
          if (reservation !== undefined) this.#addTarget(reservation.target);
      }),
      ...onPlannedPods(cluster, (podUID) => {
        for (const { reservation } of cluster.entriesOfPod(podUID)) this.#addTarget(reservation.target);
      }),
    ];
  }

  #addTarget({ kind, name }: ReservationTarget): void {
    const node = kind === 'Node' ? name : this.#options.cluster.nodeOfClaim(name)?.name;
    if (node !== undefined) this.#add(node);
  }

  #add(name: string): void {
    if (this.#taintOf(name) !== undefined || this.#usableSince.has(name)) this.#queue.add(name);
  }
}

/** A pod that may be bound now, as far as others are concerned that have to be bound before it. */
function waitingPod(cluster: Cluster, podUID: string): ObservedPod | undefined {
  const pod = cluster.podByUID(podUID);
  if (pod === undefined || pod.nodeName !== undefined || pod.terminating) return undefined;
  return waitsForOthers(cluster, podUID) ? undefined : pod;
}
