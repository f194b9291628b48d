/**
 * Lets go of room that is no longer to be held: entries whose pods are bound, finished, gone or refused by kube-scheduler
 * for long, and reservations whose target is lost. Their pods rejoin the next batch.
 */
import type { ObservedNode } from '../../domain/observed-node.js';
import { reservationName, type Reservation, type ReservationEntry } from '../../domain/reservation.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Metrics } from '../../runtime/metrics.js';
import { WorkQueue, type Requeue } from '../../runtime/work-queue.js';
import type { Cluster } from '../../state/cluster.js';
import { verdictOn } from '../../state/demand.js';
import { targetState, type TargetState } from '../../state/node-state.js';
import { ClusterWriter } from '../cluster-writer.js';
import { whileObserving } from '../while-observing.js';
import { releaseOf } from './entry-fate.js';
import { Patience } from './patience.js';

export interface ReservationsControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Schedulers whose pods are planned; without it, OWN_SCHEDULERS. */
  readonly schedulers?: readonly string[] | undefined;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation'];
/** The pods of a node are bound one after the other: their entries go together. */
const GATHER_MILLIS = 250;

export class ReservationsController {
  readonly #options: ReservationsControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #queue: WorkQueue;
  readonly #patience = new Patience();

  constructor(options: ReservationsControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'reservations',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: 4,
      baseDelayMillis: 100,
      maxDelayMillis: 30_000,
      timeoutMillis: 30_000,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const { name } of cluster.reservations.values()) this.#queue.add(name);
      await this.#queue.run(signal);
    });
  }

  /** Lets go of what the reservation of this name holds for nothing. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, logger } = this.#options;
    const reservation = cluster.reservations.get(name);
    if (reservation === undefined) return undefined;
    const target = targetState(cluster, reservation.target);
    const kept = target.isLost ? [] : this.#kept(reservation, target);
    if (kept.length === 0) {
      if (await this.#writer.deleteReservation(reservation, signal))
        logger.info('reservation released', { reservation: name, targetLost: target.isLost });
      return undefined;
    }
    if (kept.length < reservation.entries.length)
      await this.#writer.reserve(reservation.target, kept, { known: reservation, signal });
    return this.#nextLook(reservation.name, kept, target);
  }

  #kept(reservation: Reservation, target: TargetState): readonly ReservationEntry[] {
    const { cluster, clock, logger } = this.#options;
    const { isUsable: isOpen } = target;
    return reservation.entries.filter((entry) => {
      if (releaseOf(cluster, reservation.name, entry, clock.now()) !== undefined) return false;
      if (!isOpen && entry.podUID !== undefined) this.#patience.restart(entry.podUID);
      if (!isOpen || this.#patienceLeft(reservation.name, entry, target) > 0) return true;
      if (entry.podUID !== undefined) this.#patience.giveUp(entry.podUID);
      logger.warn('kube-scheduler does not bind a pod where it is planned', {
        reservation: reservation.name,
        podUID: entry.podUID,
      });
      return false;
    });
  }

  /**
   * For how long a pod that could be bound is still left where it is planned. kube-scheduler takes a nomination away when
   * it has tried in vain: until then it has not come to the pod.
   */
  #patienceLeft(reservation: string, { podUID }: ReservationEntry, { node }: TargetState): number {
    const { cluster, clock } = this.#options;
    const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
    if (pod === undefined || verdictOn(pod, this.#options.schedulers) !== 'Unschedulable') return Infinity;
    if (node !== undefined && pod.nominatedNodeName === node.name) return Infinity;
    return this.#patience.left(pod.uid, reservation, clock.monotonic());
  }

  #nextLook(name: string, entries: readonly ReservationEntry[], target: TargetState): Requeue | undefined {
    const { clock } = this.#options;
    const { isUsable: isOpen } = target;
    const waits = entries.flatMap((entry) => [
      entry.expiresAt === undefined ? Infinity : entry.expiresAt - clock.now(),
      isOpen ? this.#patienceLeft(name, entry, target) : Infinity,
    ]);
    const soonest = Math.min(...waits);
    return soonest === Infinity ? undefined : { requeueAfterMillis: Math.max(soonest, GATHER_MILLIS) };
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.reservations.subscribe(({ key, after }) => {
        if (after !== undefined) this.#queue.add(key);
      }),
      cluster.pods.subscribe(({ before, after }) => {
        for (const pod of [before, after]) {
          if (pod === undefined || (pod === before && pod.uid === after?.uid)) continue;
          if (after === undefined || pod.nodeName !== undefined) this.#patience.forget(pod.uid);
          else if (before?.nominatedNodeName !== after.nominatedNodeName) this.#patience.restart(pod.uid);
          for (const { reservation } of cluster.entriesOfPod(pod.uid))
            this.#queue.addAfter(reservation.name, GATHER_MILLIS);
        }
      }),
      cluster.nodeClaims.subscribe(({ key }) => {
        this.#targetChanged(reservationName({ kind: 'NodeClaim', name: key }));
      }),
      cluster.nodes.subscribe(({ before, after }) => {
        for (const node of [before, after]) if (node !== undefined) this.#nodeChanged(node);
      }),
    ];
  }

  #nodeChanged({ name, providerID }: ObservedNode): void {
    this.#targetChanged(reservationName({ kind: 'Node', name }));
    const claim = providerID === undefined ? undefined : this.#options.cluster.claimByProviderID(providerID);
    if (claim !== undefined) this.#targetChanged(reservationName({ kind: 'NodeClaim', name: claim.name }));
  }

  #targetChanged(name: string): void {
    if (this.#options.cluster.reservations.get(name) !== undefined) this.#queue.add(name);
  }
}
