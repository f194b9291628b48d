/** What is to be written to a pod, so that a ReplicaSet that is scaled in deletes the pods of nodes that should go first. */
import type { ObservedPod } from './observed-pod.js';
import { DELETION_COST, hasOwnDeletionCost, isMovable, OWN_DELETION_COST } from './movable-pods.js';

/** Lower than every other: for pods of nodes that go already. */
export const LOWEST_COST = '-2147483648';

/**
 * The change of annotations by which the pod has this deletion cost, or none where that is undefined; undefined where nothing is to
 * be written. Beside the cost stands which one Berth wrote: one that another client wrote, or took away, is left as it is.
 */
export function deletionCostChange(
  pod: ObservedPod,
  wanted: string | undefined,
): Readonly<Record<string, string | null>> | undefined {
  const { annotations } = pod;
  const [cost, own] = [annotations.get(DELETION_COST), annotations.get(OWN_DELETION_COST)];
  if (wanted === undefined || !isScaledIn(pod)) {
    if (own === undefined) return undefined;
    const record = { [OWN_DELETION_COST]: null };
    return hasOwnDeletionCost(annotations) ? { ...record, [DELETION_COST]: null } : record;
  }
  if (cost !== own || cost === wanted) return undefined;
  return { [DELETION_COST]: wanted, [OWN_DELETION_COST]: wanted };
}

/** Only ReplicaSets go by the cost. */
function isScaledIn(pod: ObservedPod): boolean {
  return pod.owner?.kind === 'ReplicaSet' && isMovable(pod) && pod.deletionTimestamp === undefined;
}
