/** Whose turn it is to be bound, where a plan holds in one order only. */
import type { Cluster } from '../cluster/cluster.js';

/**
 * Whether a pod that must be bound before this one is not, but is still planned. One that is gone, ended or no longer
 * planned is not waited for: then the plan is another.
 */
export function waitsForOthers(cluster: Cluster, podUID: string): boolean {
  return cluster
    .entriesOfPod(podUID)
    .some(({ entry }) => entry.after?.some((uid) => isStillToCome(cluster, uid)) === true);
}

function isStillToCome(cluster: Cluster, uid: string): boolean {
  const pod = cluster.podByUID(uid);
  if (pod === undefined || pod.nodeName !== undefined || pod.terminating) return false;
  return pod.phase === 'Pending' && cluster.entriesOfPod(uid).length > 0;
}
