/** Which pods Berth finds room for. */
import { isFinished } from './pod.js';
import type { Pod } from './pod.js';

/** Why a pod is not demand. */
export type IgnoredReason =
  | 'Bound'
  | 'DaemonSet'
  | 'Finished'
  | 'ForeignScheduler'
  | 'LowPriority'
  | 'Mirror'
  | 'Pinned'
  | 'SchedulingGated'
  | 'Terminating';

export type DemandStatus = 'demand' | { readonly ignored: IgnoredReason };

/** Which pods Berth finds room for, as the options say. */
export interface DemandTerms {
  /** Schedulers whose pods are planned. */
  readonly schedulers: readonly string[];
  /** Pods of a lower priority get no room; undefined: pods of every priority do. */
  readonly leastPriority: number | undefined;
  /** Whether pods with ResourceClaims are planned; false unless given: then they are refused. */
  readonly plansDevices?: boolean | undefined;
}

/** Unless options say otherwise. */
export const DEFAULT_DEMAND_TERMS: DemandTerms = {
  schedulers: ['default-scheduler', 'berth-scheduler'],
  leastPriority: undefined,
};

/**
 * Whether a pod waits for room that Berth has to find. Mirror and DaemonSet pods belong to their node, gated pods
 * wait for another component, unless the gate is Berth's. Pods with resource claims are demand, so that their plan can report why they cannot be
 * placed.
 */
export function demandStatus(pod: Pod, terms: DemandTerms = DEFAULT_DEMAND_TERMS): DemandStatus {
  const reason = reasonToIgnore(pod, terms);
  return reason === undefined ? 'demand' : { ignored: reason };
}

/** Whether nothing of what the pod claims keeps it from being planned. */
export function areClaimsPlanned(
  { spec }: Pick<Pod, 'spec'>,
  { plansDevices = false }: DemandTerms = DEFAULT_DEMAND_TERMS,
): boolean {
  return plansDevices || spec.resourceClaims.length === 0;
}

function reasonToIgnore(pod: Pod, terms: DemandTerms): IgnoredReason | undefined {
  if (isFinished(pod)) return 'Finished';
  // The kubelet owns the static pods of its node, whether or not the annotation that marks their mirrors is there.
  if (pod.mirror || pod.owner?.kind === 'Node') return 'Mirror';
  if (pod.owner?.kind === 'DaemonSet') return 'DaemonSet';
  if (pod.nodeName !== undefined) return 'Bound';
  if (pod.terminating) return 'Terminating';
  if (pod.schedulingGated) return 'SchedulingGated';
  // It fits on one node only: where it loses its place there, it is replaced instead.
  if (pod.pinnedTo !== undefined) return 'Pinned';
  return foreignReason(pod, terms);
}

function foreignReason(
  { spec }: Pod,
  { schedulers, leastPriority = -Infinity }: DemandTerms,
): IgnoredReason | undefined {
  if (!schedulers.includes(spec.schedulerName)) return 'ForeignScheduler';
  return spec.priority < leastPriority ? 'LowPriority' : undefined;
}
