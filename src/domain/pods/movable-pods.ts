/** Pods as a drain sees them: which ones move, what moving one costs, and which forbid it (karpenter.sh/do-not-disrupt). */
import { DISRUPTED_TAINT } from '../nodes/node-claim.js';
import { tolerates } from '../values/taint.js';
import { goDurationMillis } from '../values/go-duration.js';
import type { ObservedPod } from './observed-pod.js';
import { isFinished, type Pod } from './pod.js';

/** On pods and nodes: `true`, or a duration such as `2h`, from the pod's start or the node's creation (Karpenter). */
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
/** On pods: what evicting the pod costs, as a number of 32 bits; counts instead of its deletion cost (Karpenter). */
const DISRUPTION_COST = 'karpenter.sh/disruption-cost';
/** On pods: which of a ReplicaSet's pods to delete first (Kubernetes: pod deletion cost). */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
/** On pods: the deletion cost that Berth wrote. Where the pod's is another, a user or another client wrote that. */
export const OWN_DELETION_COST = 'berth.sh/deletion-cost';

/** Whether the pod is to run elsewhere once its node is gone. A StatefulSet makes a new pod only once the old one is gone. */
export function isMovable(pod: Pod): boolean {
  if (isBoundToItsNode(pod) || isFinished(pod)) return false;
  return !pod.terminating || pod.owner?.kind === 'StatefulSet';
}

/** DaemonSet and mirror pods live and die with the node. */
export function isBoundToItsNode({ mirror, owner }: Pick<Pod, 'mirror' | 'owner'>): boolean {
  return mirror || owner?.kind === 'DaemonSet' || owner?.kind === 'Node';
}

/** Whether the pod means to stay on a node that goes until the end, or that has another taint: a drain does not evict it. */
export function toleratesDisruption({ spec }: Pick<Pod, 'spec'>, taint = DISRUPTED_TAINT): boolean {
  return spec.tolerations.some((toleration) => tolerates(toleration, taint));
}

/**
 * How much evicting the pod weighs: 1 for an ordinary one, between 0 and 10; priority and disruption-cost, or where that is
 * absent pod-deletion-cost, raise and lower it (Karpenter: eviction cost).
 */
export function evictionWeight({ annotations, spec }: Pod): number {
  const deletionCost = hasOwnDeletionCost(annotations) ? undefined : annotations.get(DELETION_COST);
  const cost = int32(annotations.get(DISRUPTION_COST) ?? deletionCost ?? '0');
  return Math.min(10, Math.max(0, 1 + cost / 2 ** 27 + spec.priority / 2 ** 25));
}

/** What is no integer of 32 bits counts as 0. */
function int32(text: string): number {
  const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0;
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : 0;
}

/** Whether the pod's deletion cost is the one that Berth wrote: what Berth wishes says nothing about what the pod is worth. */
export function hasOwnDeletionCost(annotations: Pod['annotations']): boolean {
  const cost = annotations.get(DELETION_COST);
  return cost !== undefined && cost === annotations.get(OWN_DELETION_COST);
}

/** Until when something is not to be disrupted, in milliseconds since 1970; Infinity without end, undefined when it may. */
export function protectedUntil(
  annotation: string | undefined,
  since: number,
  now: number,
): number | undefined {
  if (annotation === 'true') return Infinity;
  const millis = annotation === undefined ? 0 : (goDurationMillis(annotation) ?? 0);
  // A pod whose object is new by another clock than ours is not protected by that.
  if (millis <= 0) return undefined;
  const until = since + millis;
  return until > now ? until : undefined;
}

/**
 * The same for a pod that is there and neither finished nor on its way out. A duration counts from status.startTime, as
 * Karpenter counts it; before the kubelet has set it, the whole duration is still ahead.
 */
export function podProtectedUntil(pod: Pod | ObservedPod, now: number): number | undefined {
  if (pod.terminating || isFinished(pod)) return undefined;
  const startedAt = 'startedAt' in pod ? pod.startedAt : undefined;
  return protectedUntil(pod.annotations.get(DO_NOT_DISRUPT), startedAt ?? now, now);
}
