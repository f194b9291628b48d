/** One step of draining a node: which pods to evict, which to delete, which to wait for. */
import { isFinished } from '../../../domain/pods/pod.js';
import { DISRUPTED_TAINT } from '../../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { tolerates } from '../../../domain/values/taint.js';
import { podProtectedUntil } from '../../../domain/pods/movable-pods.js';

export interface DrainQuestion {
  /** Bound to the node. */
  readonly pods: readonly ObservedPod[];
  /** Milliseconds since 1970, here and below. */
  readonly now: number;
  /** The hard stop; undefined when there is none. */
  readonly deadline: number | undefined;
}

export interface DrainStep {
  /** To be asked of the Eviction API. */
  readonly evict: readonly ObservedPod[];
  /** To be deleted whatever budgets say, so that they end by the hard stop. */
  readonly remove: readonly { readonly pod: ObservedPod; readonly gracePeriodSeconds: number }[];
  /** How many pods keep the node; 0 when it is drained. */
  readonly waiting: number;
  /** Pods that ask not to be disrupted, and are not until the hard stop. */
  readonly refusing: readonly ObservedPod[];
  /** When time alone changes the answer; undefined when it does not. */
  readonly nextAt: number | undefined;
}

const CRITICAL_CLASSES: ReadonlySet<string | undefined> = new Set([
  'system-cluster-critical',
  'system-node-critical',
]);
/** A pod that is still there so long after its grace period is stuck; the node goes without it (Karpenter waits as long). */
const STUCK_MILLIS = 60_000;

/**
 * Pods that others hold up are gone first: critical ones are evicted when all others are gone. Never waited for: finished pods,
 * DaemonSets', mirror pods, those that tolerate the taint (they mean to stay until the end), and those that are stuck.
 */
export function drainStep({ pods, now, deadline }: DrainQuestion): DrainStep {
  const staying = pods.filter((pod) => isDrained(pod) && !isStuck(pod, now));
  const common = staying.filter(({ priorityClassName }) => !CRITICAL_CLASSES.has(priorityClassName));
  const turn = (common.length > 0 ? common : staying).filter(({ terminating }) => !terminating);
  const late = staying.filter((pod) => deadline !== undefined && now >= mustEndAt(pod, deadline));
  const refusing = turn.filter((pod) => podProtectedUntil(pod, now) !== undefined && !late.includes(pod));
  return {
    evict: turn.filter((pod) => !refusing.includes(pod) && !late.includes(pod)),
    remove: late.flatMap((pod) => removal(pod, now, deadline ?? now)),
    waiting: staying.length,
    refusing,
    nextAt: soonest(staying, now, deadline),
  };
}

function isDrained(pod: ObservedPod): boolean {
  if (isFinished(pod) || pod.mirror || pod.owner?.kind === 'DaemonSet') return false;
  return !pod.spec.tolerations.some((toleration) => tolerates(toleration, DISRUPTED_TAINT));
}

function isStuck({ deletionTimestamp }: ObservedPod, now: number): boolean {
  return deletionTimestamp !== undefined && now >= deletionTimestamp + STUCK_MILLIS;
}

/** When its deletion has to begin for its own grace period to fit; for one on its way out, when it is too late. */
function mustEndAt(
  { terminationGracePeriodSeconds, deletionTimestamp }: ObservedPod,
  deadline: number,
): number {
  if (deletionTimestamp === undefined) return deadline - terminationGracePeriodSeconds * 1000;
  return deletionTimestamp > deadline ? -Infinity : Infinity;
}

/** At least a second, since 0 would remove the object while its containers run on. */
function removal(
  pod: ObservedPod,
  now: number,
  deadline: number,
): readonly { readonly pod: ObservedPod; readonly gracePeriodSeconds: number }[] {
  const left = Math.max(1, Math.floor((deadline - now) / 1000));
  return [{ pod, gracePeriodSeconds: Math.min(pod.terminationGracePeriodSeconds, left) }];
}

function soonest(
  pods: readonly ObservedPod[],
  now: number,
  deadline: number | undefined,
): number | undefined {
  const times = pods.flatMap((pod) => [
    ...(deadline === undefined ? [] : [mustEndAt(pod, deadline), deadline]),
    ...(pod.deletionTimestamp === undefined ? [] : [pod.deletionTimestamp + STUCK_MILLIS]),
    podProtectedUntil(pod, now) ?? Infinity,
  ]);
  const next = Math.min(...times.filter((time) => time > now));
  return next === Infinity ? undefined : next;
}
