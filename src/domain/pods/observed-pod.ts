/** A pod as the API server shows it: what scheduling sees, and what else controllers need to know of it. */
import type { Pod } from './pod.js';

/** The condition PodScheduled. */
export interface ScheduledCondition {
  readonly status: boolean;
  /** `Unschedulable`, `SchedulingGated`, `SchedulerError`, … */
  readonly reason: string;
  readonly message: string;
}

/** Its `annotations` are those that Berth reads. */
export interface ObservedPod extends Pod {
  /** Whether the object has any annotation. */
  readonly isAnnotated: boolean;
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** status.startTime: when the kubelet took the pod on, in milliseconds since 1970; undefined before. */
  readonly startedAt: number | undefined;
  /** When the grace period of its deletion ends, in milliseconds since 1970; undefined while it is not being deleted. */
  readonly deletionTimestamp: number | undefined;
  readonly scheduled: ScheduledCondition | undefined;
  /** Condition PodResizePending is True with the reason Deferred: its node has no room now for what its spec asks for. */
  readonly resizeDeferred: boolean;
  readonly nominatedNodeName: string | undefined;
  /** Values of the taint berth.sh/held that it tolerates; its spec is without these tolerations, as that of its template. */
  readonly toleratedHolds: readonly string[];
  /** Condition Ready is True. */
  readonly ready: boolean;
  /** Of its containers, together. */
  readonly restarts: number;
  readonly terminationGracePeriodSeconds: number;
  readonly priorityClassName: string | undefined;
  /** Label pod-template-hash, else controller-revision-hash, else '': tells pods of one owner's revisions apart. */
  readonly templateHash: string;
}
