/** Which claims of a group may be launched now: those whose pods' room is held, once the group is complete. */
import {
  BUFFER_ANNOTATION,
  LAUNCH_GROUP_ANNOTATION,
  STATIC_ANNOTATION,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import { reservationName } from '../../../domain/records/reservation.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import { declaredSize, waitingClaims, type LaunchGroup } from './launch-group.js';

export interface GateAnswer {
  readonly ready: readonly NodeClaim[];
  /** No room was reserved on them in time. */
  readonly unreserved: readonly NodeClaim[];
  /** Time until the next check, when a claim is neither. */
  readonly waitMillis: number | undefined;
}

type GateContext = Pick<LifecycleContext, 'cluster' | 'clock' | 'settings' | 'claimsInWork'>;

export class LaunchGate {
  readonly #context: GateContext;
  /** Claim's uid → when this process first saw it, monotonic: a claim may be older than its controller. */
  readonly #seen = new Map<string, number>();
  /** Claim's uid → when a loop of this process was last seen to be about to write its Reservation, monotonic. */
  readonly #inWork = new Map<string, number>();

  constructor(context: GateContext) {
    this.#context = context;
  }

  ask(group: LaunchGroup): GateAnswer {
    const { reservationMillis, groupMillis, groupMaxMillis } = this.#context.settings;
    const waiting = waitingClaims(group);
    const ready = waiting.filter((claim) => this.#isHeld(claim));
    const held = new Set(ready);
    const missing = waiting.filter((claim) => !held.has(claim));
    const unreserved = missing.filter((claim) => this.#unattended(claim) >= reservationMillis);
    const awaited = missing.filter((claim) => this.#unattended(claim) < reservationMillis);
    const isComplete = awaited.length === 0 && group.claims.length >= (declaredSize(group.claims) ?? 0);
    const youngest = Math.min(...group.claims.map((claim) => this.#age(claim)));
    const oldest = Math.max(0, ...ready.map((claim) => this.#age(claim)));
    const groupWait = Math.min(groupMillis - youngest, groupMaxMillis - oldest);
    if (!isComplete && groupWait > 0) return { ready: [], unreserved, waitMillis: groupWait };
    const left = awaited.map((claim) =>
      this.#context.claimsInWork.has(claim.name) ? groupMillis : reservationMillis - this.#unattended(claim),
    );
    return { ready, unreserved, waitMillis: left.length > 0 ? Math.min(...left) : undefined };
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
    this.#inWork.delete(uid);
  }

  /** A claim without a group was created by a user, that of a static pool for its replicas, that of a buffer for no pod yet. */
  #isHeld({ name, annotations }: NodeClaim): boolean {
    const isForNoPod = annotations.has(STATIC_ANNOTATION) || annotations.has(BUFFER_ANNOTATION);
    const isPlanned = annotations.has(LAUNCH_GROUP_ANNOTATION) && !isForNoPod;
    const reservation = reservationName({ kind: 'NodeClaim', name });
    return !isPlanned || this.#context.cluster.reservations.get(reservation) !== undefined;
  }

  /**
   * For how long no loop of this process has been about to write the claim's Reservation, in milliseconds. A large batch on a
   * slow API server takes its time; only what a process left behind that is gone, or gave up itself, has to be ended here.
   */
  #unattended(claim: NodeClaim): number {
    const now = this.#context.clock.monotonic();
    const { claimsInWork } = this.#context;
    if (claimsInWork.has(claim.name)) this.#inWork.set(claim.uid, now);
    return Math.min(this.#age(claim), now - (this.#inWork.get(claim.uid) ?? -Infinity));
  }

  #age({ uid }: NodeClaim): number {
    const now = this.#context.clock.monotonic();
    const seen = this.#seen.get(uid) ?? now;
    this.#seen.set(uid, seen);
    return now - seen;
  }
}
