/**
 * Lets go of room that is no longer to be held: entries whose pods are bound, finished, gone or refused by kube-scheduler
 * for long, whose node is not Ready any more, or whose room was taken by others, and reservations whose target is lost. Their
 * pods rejoin the next batch. Room that is held for an owner goes over to its pods as they appear.
 */
import { currentReboot } from '../../domain/nodes/claim-reboot.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isRequestOwner } from '../../domain/pods/provisioning-request.js';
import {
  type Reservation,
  type ReservationEntry,
  reservationName,
  type ReservationOwner,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import { isTrue } from '../../domain/values/condition.js';
import { REFUSALS } from '../../planning/placement/refusal.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { waitsForOthers } from '../../state/ledger/bind-turn.js';
import { verdictOn } from '../../state/planning/demand.js';
import { isGangComing } from '../../state/nodes/gang-readiness.js';
import { canBind, isInterrupted, targetState, type TargetState } from '../../state/nodes/node-state.js';
import { ownerKey } from '../../state/cluster/owner-key.js';
import { takesOwnersRoom } from '../../state/ledger/owner-room.js';
import { ClusterWriter } from '../cluster-writer.js';
import { whileObserving } from '../while-observing.js';
import type { Change } from '../../state/cluster/store.js';
import { Arrivals, ownerEntryFate, ownerEntryLook } from './owner-entries.js';
import { roomLeft, takenBy, takenDecision } from './taken-room.js';
import { isFinished } from '../../domain/pods/pod.js';

/** kube-scheduler leaves a pod alone for up to 10 s after a failure (podMaxBackoffSeconds); then there may be a queue. */
const FIRST_MILLIS = 30_000;
/** For a pod that kube-scheduler has not come to since its node can take it: a queue of thousands of pods takes minutes. */
const QUEUED_MILLIS = 120_000;
const LONGEST_MILLIS = 300_000;

export interface ReservationsControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  /** Called before room of a ProvisioningRequest is let go because its node is lost, or the room was taken by others. */
  readonly roomLost?:
    ((owner: ReservationOwner, target: ReservationTarget, signal: AbortSignal) => Promise<void>) | undefined;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation'];
interface KeptEntries {
  readonly kept: readonly ReservationEntry[];
  /** What has been written needs no second writing. */
  readonly settle: () => void;
}

const NOTHING: KeptEntries = { kept: [], settle: () => undefined };
/** The pods of a node are bound one after the other: their entries go together. */
const GATHER_MILLIS = 250;
/** Pods that wait for others, of their gang or before them, are looked at so often: the others' nodes may be given up. */
const OTHERS_LOOK_MILLIS = 10_000;

export class ReservationsController {
  readonly #options: ReservationsControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #queue: WorkQueue;
  readonly #bindTimeout = new BindTimeout();
  readonly #arrivals: Arrivals;
  /** Uids of pods that room of their owner is being written down for → the reservation's name: they take no other meanwhile. */
  readonly #adopting = new Map<string, string>();
  /** Reservation → uids of pods that were bound to its node without having room there, since it was looked at. */
  readonly #strangers = new Map<string, Set<string>>();

  constructor(options: ReservationsControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#arrivals = new Arrivals(options.cluster);
    this.#queue = new WorkQueue({
      ...options,
      name: 'reservations',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: 4,
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
    const { cluster } = this.#options;
    const reservation = cluster.reservations.get(name);
    if (reservation === undefined) return undefined;
    const target = targetState(cluster, reservation.target);
    const { kept: wanted, settle } = target.isLost ? NOTHING : this.#kept(reservation, target);
    const { kept, displaced } = roomLeft(cluster, target, wanted);
    if (target.isUsable || displaced.length > 0) this.#tellOfTaken(reservation, target, displaced);
    const adopted = kept.flatMap((entry) =>
      reservation.entries.includes(entry) ? [] : (entry.podUID ?? []),
    );
    for (const uid of adopted) this.#adopting.set(uid, name);
    try {
      await this.#tellOfLost(reservation, target.isLost ? reservation.entries : displaced, signal);
      await this.#write(reservation, kept, target, signal);
    } finally {
      for (const uid of adopted) this.#adopting.delete(uid);
    }
    settle();
    return kept.length === 0 ? undefined : this.#nextLook(name, kept, target);
  }

  async #write(
    reservation: Reservation,
    kept: readonly ReservationEntry[],
    { isLost }: TargetState,
    signal: AbortSignal,
  ): Promise<void> {
    const { logger } = this.#options;
    const { name, target, entries } = reservation;
    if (kept.length === 0) {
      if (await this.#writer.deleteReservation(reservation, signal))
        logger.info('Released Reservation', { reservation: name, targetLost: isLost });
      return;
    }
    const isSame = kept.length === entries.length && kept.every((entry) => entries.includes(entry));
    if (!isSame) await this.#writer.reserve(target, kept, { known: reservation, signal });
  }

  /** The entries as they are to be, and what to do once they are written. */
  #kept(reservation: Reservation, target: TargetState): KeptEntries {
    const { cluster, clock } = this.#options;
    const { name } = reservation;
    const settled: (() => void)[] = [];
    const kept = reservation.entries.flatMap((entry) => {
      if (entry.owner === undefined) return this.#isKept(name, entry, target) ? [entry] : [];
      const owner = ownerKey(entry.owner);
      const arrivals = this.#arrivals.of(name, owner);
      const question = { reservation: name, entry, arrivals, adopting: this.#adopting };
      const { entries, arrived } = ownerEntryFate(cluster, question, clock.now());
      settled.push(() => {
        this.#arrivals.settled(name, owner, arrived);
      });
      return entries;
    });
    const settle = (): void => {
      for (const each of settled) each();
    };
    return { kept, settle };
  }

  /** Those that asked for the room before its pods exist. */
  async #tellOfLost(
    { target }: Reservation,
    lost: readonly ReservationEntry[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const { owner } of lost)
      if (isRequestOwner(owner)) await this.#options.roomLost?.(owner, target, signal);
  }

  /** Names who was bound into the room since the last look at the usable node; then there was enough of it. */
  #tellOfTaken({ name }: Reservation, { node }: TargetState, displaced: readonly ReservationEntry[]): void {
    const { cluster, logger, metrics, recorder } = this.#options;
    const strangers = [...(this.#strangers.get(name) ?? [])];
    this.#strangers.delete(name);
    if (node === undefined || displaced.length === 0) return;
    const pods = displaced.flatMap(({ podUID }) =>
      podUID === undefined ? [] : (cluster.podByUID(podUID) ?? []),
    );
    logger.warn('Room that was held is taken; planning its pods again', {
      reservation: name,
      displaced: displaced.reduce((sum, { count }) => sum + count, 0),
    });
    for (const uid of strangers) {
      const taker = cluster.podByUID(uid);
      if (taker?.nodeName !== node.name) continue;
      metrics.roomTaken.inc({ by: takenBy(taker, cluster.demandTerms.schedulers) });
      recorder.record(takenDecision(taker, node.name, pods));
    }
  }

  #isKept(reservation: string, entry: ReservationEntry, target: TargetState): boolean {
    const { cluster, clock, logger } = this.#options;
    const isOpen = this.#isOpen(entry, target);
    if (releaseOf(cluster, reservation, entry, clock.now()) !== undefined) return false;
    if (!isOpen && entry.podUID !== undefined) this.#bindTimeout.restart(entry.podUID);
    if (!isOpen || this.#bindTimeLeft(reservation, entry, target) > 0) return true;
    if (entry.podUID !== undefined) this.#bindTimeout.giveUp(entry.podUID);
    logger.warn(
      target.isUsable
        ? 'kube-scheduler did not bind the pod to its planned node'
        : 'The planned node of a pod is not Ready any more; planning the pod again',
      { reservation, podUID: entry.podUID },
    );
    return false;
  }

  /** Whether the pod could be bound, or could have been until its node stopped being Ready, and waits for no others. */
  #isOpen(entry: ReservationEntry, target: TargetState): boolean {
    const isUp = canBind(target, entry.requests) || isInterrupted(target);
    return isUp && this.#othersLook(entry) === Infinity;
  }

  /** After how many milliseconds it is to be seen whether the others of the pod's gang, or those before it, still come. */
  #othersLook({ podUID }: ReservationEntry): number {
    const { cluster } = this.#options;
    const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
    if (pod === undefined) return Infinity;
    return isGangComing(cluster, pod) || waitsForOthers(cluster, pod.uid) ? OTHERS_LOOK_MILLIS : Infinity;
  }

  /**
   * For how long a pod that could be bound is still left where it is planned. kube-scheduler takes a nomination away when
   * an attempt has failed: until then it has not come to the pod.
   */
  #bindTimeLeft(reservation: string, { podUID }: ReservationEntry, { node, isUsable }: TargetState): number {
    const { cluster, clock } = this.#options;
    const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
    if (pod === undefined || verdictOn(pod, cluster.demandTerms) !== 'Unschedulable') return Infinity;
    if (isUsable && pod.nominatedNodeName === node?.name) return Infinity;
    return this.#bindTimeout.left({ pod, reservation, isUsable }, clock.monotonic());
  }

  #nextLook(name: string, entries: readonly ReservationEntry[], target: TargetState): Requeue | undefined {
    const { clock } = this.#options;
    const waits = entries.flatMap((entry) => [
      (entry.owner === undefined ? (entry.expiresAt ?? Infinity) : ownerEntryLook(entry, clock.now())) -
        clock.now(),
      this.#isOpen(entry, target) ? this.#bindTimeLeft(name, entry, target) : Infinity,
      target.isUsable ? this.#othersLook(entry) : Infinity,
    ]);
    const soonest = Math.min(...waits);
    return soonest === Infinity ? undefined : { requeueAfterMillis: Math.max(soonest, GATHER_MILLIS) };
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.reservations.subscribe(({ key, after }) => {
        if (after === undefined) {
          this.#arrivals.forget(key);
          this.#strangers.delete(key);
        } else this.#addWithRivals(after);
      }),
      cluster.pods.subscribe((change) => {
        const expected = this.#arrivals.note(change);
        for (const name of expected) this.#queue.addAfter(name, GATHER_MILLIS);
        if (expected.length === 0) this.#noteStranger(change);
        this.#adopt(change.after);
      }),
      cluster.pods.subscribe(({ before, after }) => {
        for (const pod of [before, after]) {
          if (pod === undefined || (pod === before && pod.uid === after?.uid)) continue;
          if (after === undefined || pod.nodeName !== undefined) this.#bindTimeout.forget(pod.uid);
          else if (before?.nominatedNodeName !== after.nominatedNodeName) this.#bindTimeout.restart(pod.uid);
          for (const { reservation } of cluster.entriesOfPod(pod.uid))
            this.#queue.addAfter(reservation.name, GATHER_MILLIS);
        }
      }),
      cluster.nodeClaims.subscribe((change) => {
        if (concernsRoom(change))
          this.#targetChanged(reservationName({ kind: 'NodeClaim', name: change.key }));
      }),
      cluster.nodes.subscribe(({ before, after }) => {
        for (const node of [before, after]) if (node !== undefined) this.#nodeChanged(node);
      }),
    ];
  }

  /** Together with others that hold room for the same pods: only one of them keeps it. */
  #addWithRivals({ name, entries }: Reservation): void {
    this.#queue.add(name);
    for (const { podUID } of entries)
      for (const { reservation } of podUID === undefined ? [] : this.#options.cluster.entriesOfPod(podUID))
        if (reservation.name !== name) this.#queue.add(reservation.name);
  }

  /** A pod that is bound where it has no room of its own may have taken that of others. */
  #noteStranger({ before, after }: Change<ObservedPod>): void {
    const { cluster } = this.#options;
    if (after?.nodeName === undefined || (before?.uid === after.uid && before.nodeName !== undefined)) return;
    const own = new Set(cluster.entriesOfPod(after.uid).map(({ reservation }) => reservation.name));
    const claim = cluster.claimOfNode(after.nodeName);
    const names = [reservationName({ kind: 'Node', name: after.nodeName })];
    if (claim !== undefined) names.push(reservationName({ kind: 'NodeClaim', name: claim.name }));
    for (const name of names) {
      if (own.has(name) || cluster.reservations.get(name) === undefined) continue;
      this.#strangers.set(name, (this.#strangers.get(name) ?? new Set()).add(after.uid));
      this.#queue.add(name);
    }
  }

  /** Room that is held for the pod's owner becomes the pod's own, before the pod is planned. */
  #adopt(pod: ObservedPod | undefined): void {
    if (pod === undefined || !takesOwnersRoom(this.#options.cluster, pod)) return;
    const owner = this.#options.cluster.roomKeyOf(pod);
    for (const { reservation } of owner === undefined ? [] : this.#options.cluster.entriesOfOwner(owner))
      this.#queue.add(reservation.name);
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

/** Whether anything has changed that `targetState` and `canBind` read; a claim's status is written far more often. */
function concernsRoom({ before, after }: Change<NodeClaim>): boolean {
  if (before?.uid !== after?.uid || before === undefined || after === undefined) return true;
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.status.providerID !== after.status.providerID ||
    (before.status.disruption === undefined) !== (after.status.disruption === undefined) ||
    isTrue(before.status.conditions, 'Initialized') !== isTrue(after.status.conditions, 'Initialized') ||
    (currentReboot(before) === undefined) !== (currentReboot(after) === undefined)
  );
}

/** Why room is no longer held. */
type Release = 'Bound' | 'Deleted' | 'Finished' | 'Expired' | 'HeldElsewhere';

/**
 * Why the entry is to go; undefined while it is needed. Room for pods that do not exist yet is released only when its time is over. Of
 * two reservations that name a pod the first by name counts.
 */
function releaseOf(
  cluster: Cluster,
  reservation: string,
  { podUID, expiresAt }: ReservationEntry,
  now: number,
): Release | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return 'Expired';
  if (podUID === undefined) return undefined;
  const pod = cluster.podByUID(podUID);
  if (pod === undefined || pod.terminating) return 'Deleted';
  if (pod.nodeName !== undefined) return 'Bound';
  if (isFinished(pod)) return 'Finished';
  const [first] = cluster.entriesOfPod(podUID);
  return first === undefined || first.reservation.name === reservation ? undefined : 'HeldElsewhere';
}

/** Whether the last that kube-scheduler said of the pod is that its planned node was not ready: it has not tried the pod since. */
function isQueued({ scheduled }: ObservedPod): boolean {
  return scheduled?.message.includes(REFUSALS.notReady) === true;
}

/**
 * Whether the pod is planned on a node with the taint berth.sh/held. kube-scheduler then says that nodes have untolerated taints, without
 * having asked the extender: only something else that it says later shows that it has tried the pod since.
 */
function isHeld({ toleratedHolds }: ObservedPod): boolean {
  return toleratedHolds.length > 0;
}

interface Asked {
  readonly pod: ObservedPod;
  readonly reservation: string;
  /** Whether its node is. */
  readonly isUsable: boolean;
}

interface Wait extends Omit<Asked, 'pod'> {
  readonly since: number;
  /** What kube-scheduler had said of the pod by then. */
  readonly message: string;
  /** Whether kube-scheduler has not tried the pod since, as far as is known. */
  readonly isUntried: boolean;
}

/**
 * How long a pod keeps its room on a usable node that kube-scheduler does not bind it to, and on one that is not Ready any more.
 * Times in milliseconds on one clock that never goes back.
 */
class BindTimeout {
  /** By the pod's uid: since when it could have been bound. */
  readonly #waits = new Map<string, Wait>();
  /** How often it was given up. */
  readonly #given = new Map<string, number>();

  /** The pod could be bound, and is not: the time until its room is released, 0 when it is over. */
  left(asked: Asked, now: number): number {
    const { pod, isUsable } = asked;
    const wait = this.#waitOf(asked, now);
    this.#waits.set(pod.uid, wait);
    const given = this.#given.get(pod.uid) ?? 0;
    const first = isUsable && wait.isUntried ? QUEUED_MILLIS : FIRST_MILLIS;
    // Planned on the same node again and again, its room is kept longer each time.
    const allowed = Math.min(first * 2 ** given, LONGEST_MILLIS);
    return Math.max(0, wait.since + allowed - now);
  }

  /** From when kube-scheduler has tried the pod, it has its time again. */
  #waitOf({ pod, reservation, isUsable }: Asked, now: number): Wait {
    const message = pod.scheduled?.message ?? '';
    const known = this.#waits.get(pod.uid);
    if (known?.reservation !== reservation || known.isUsable !== isUsable)
      return { reservation, isUsable, since: now, message, isUntried: isQueued(pod) || isHeld(pod) };
    const isUntried = isQueued(pod) || (isHeld(pod) && known.isUntried && message === known.message);
    return isUntried === known.isUntried
      ? known
      : { ...known, since: isUntried ? known.since : now, isUntried };
  }

  /** The pod is released to be planned again. */
  giveUp(podUID: string): void {
    this.#waits.delete(podUID);
    this.#given.set(podUID, (this.#given.get(podUID) ?? 0) + 1);
  }

  /** The pod could not be bound just now. */
  restart(podUID: string): void {
    this.#waits.delete(podUID);
  }

  /** The pod is bound or gone. */
  forget(podUID: string): void {
    this.#waits.delete(podUID);
    this.#given.delete(podUID);
  }
}
