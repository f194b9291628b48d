/** Which claims of a group may be launched now: those whose pods' room is held, once the group is complete. */
import { LAUNCH_GROUP_ANNOTATION, type NodeClaim } from '../../../domain/nodes/node-claim.js';
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

export class LaunchGate {
  readonly #context: Pick<LifecycleContext, 'cluster' | 'clock' | 'settings'>;
  /** Claim's uid → when this process first saw it, monotonic: a claim may be older than its controller. */
  readonly #seen = new Map<string, number>();

  constructor(context: Pick<LifecycleContext, 'cluster' | 'clock' | 'settings'>) {
    this.#context = context;
  }

  ask(group: LaunchGroup): GateAnswer {
    const { reservationMillis, groupMillis } = this.#context.settings;
    const waiting = waitingClaims(group);
    const ready = waiting.filter((claim) => this.#isHeld(claim));
    const missing = waiting.filter((claim) => !ready.includes(claim));
    const unreserved = missing.filter((claim) => this.#age(claim) >= reservationMillis);
    const awaited = missing.filter((claim) => !unreserved.includes(claim));
    const isComplete = awaited.length === 0 && group.claims.length >= (declaredSize(group.claims) ?? 0);
    const youngest = Math.min(...group.claims.map((claim) => this.#age(claim)));
    if (!isComplete && youngest < groupMillis)
      return { ready: [], unreserved, waitMillis: groupMillis - youngest };
    const left = awaited.map((claim) => reservationMillis - this.#age(claim));
    return { ready, unreserved, waitMillis: left.length > 0 ? Math.min(...left) : undefined };
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }

  /** A claim without a group was created by a user, for no particular pod. */
  #isHeld({ name, annotations }: NodeClaim): boolean {
    const isPlanned = annotations.has(LAUNCH_GROUP_ANNOTATION);
    const reservation = reservationName({ kind: 'NodeClaim', name });
    return !isPlanned || this.#context.cluster.reservations.get(reservation) !== undefined;
  }

  #age({ uid }: NodeClaim): number {
    const now = this.#context.clock.monotonic();
    const seen = this.#seen.get(uid) ?? now;
    this.#seen.set(uid, seen);
    return now - seen;
  }
}
