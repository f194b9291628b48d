/** Which pods Berth finds room for. */
import { isFinished } from './pod.js';
import type { Pod } from './pod.js';

/** Why a pod is not demand. */
export type IgnoredReason =
  | 'Bound'
  | 'DaemonSet'
  | 'Finished'
  | 'ForeignScheduler'
  | 'Mirror'
  | 'Pinned'
  | 'SchedulingGated'
  | 'Terminating';

export type DemandStatus = 'demand' | { readonly ignored: IgnoredReason };

/** The schedulers whose pods are planned unless an option names others. */
export const OWN_SCHEDULERS: readonly string[] = ['default-scheduler', 'berth-scheduler'];

/**
 * Whether a pod waits for room that Berth has to find. Mirror and DaemonSet pods belong to their node, gated pods
 * wait for another component, unless the gate is Berth's. Pods with resource claims are demand, so that their plan can report why they cannot be
 * placed.
 */
export function demandStatus(pod: Pod, schedulers: readonly string[] = OWN_SCHEDULERS): DemandStatus {
  const reason = reasonToIgnore(pod, schedulers);
  return reason === undefined ? 'demand' : { ignored: reason };
}

function reasonToIgnore(pod: Pod, schedulers: readonly string[]): IgnoredReason | undefined {
  if (isFinished(pod)) return 'Finished';
  // The kubelet owns the static pods of its node, whether or not the annotation that marks their mirrors is there.
  if (pod.mirror || pod.owner?.kind === 'Node') return 'Mirror';
  if (pod.owner?.kind === 'DaemonSet') return 'DaemonSet';
  if (pod.nodeName !== undefined) return 'Bound';
  if (pod.terminating) return 'Terminating';
  if (pod.schedulingGated) return 'SchedulingGated';
  // It fits on one node only: where it loses its place there, it is replaced instead.
  if (pod.pinnedTo !== undefined) return 'Pinned';
  return schedulers.includes(pod.spec.schedulerName) ? undefined : 'ForeignScheduler';
}
