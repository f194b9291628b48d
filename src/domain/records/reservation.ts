/** Reservations: room held on a NodeClaim or Node for pods that are planned there (berth.sh/v1, cluster-scoped). */
import type { ResourceList } from '../values/resources.js';

export interface ReservationTarget {
  readonly kind: 'NodeClaim' | 'Node';
  readonly name: string;
}

/** Pods of one template that are not all there yet. */
export interface ReservationOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly templateHash: string;
}

export interface ReservationEntry {
  /** The pod, or the owner of `count` pods that may not exist yet; exactly one of the two. */
  readonly podUID: string | undefined;
  readonly owner: ReservationOwner | undefined;
  /** 1 for a pod. */
  readonly count: number;
  /** Per pod. */
  readonly requests: ResourceList;
  readonly priority: number;
  /** Why it is held: one CamelCase word. */
  readonly reason: string;
  /** Milliseconds since 1970; undefined: until the pod is bound or gone. */
  readonly expiresAt: number | undefined;
  /** Uids of pods that must be bound before this one: the plan holds in that order only. Absent where any order will do. */
  readonly after?: readonly string[] | undefined;
}

export interface Reservation {
  /** `nodeclaim.<name>` or `node.<name>`. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly target: ReservationTarget;
  readonly entries: readonly ReservationEntry[];
}

/** Why room is held for an owner: pods of it are on nodes that go, and others will come in their place. */
export const MOVED = 'Moved';
/** For so long, unless it is prolonged: kube-scheduler has placed the pods by then. */
export const MOVED_MILLIS = 120_000;

/** The name of the one reservation that a target has. */
export function reservationName(target: ReservationTarget): string {
  return `${target.kind.toLowerCase()}.${target.name}`;
}
