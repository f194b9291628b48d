/** The figures of a cluster that the demo tells and judges by. */
import { isTrue } from '../../../src/domain/values/condition.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';

/** Pods that run to their end or forever; pods that are being deleted are left out. */
export function livePods(cluster: Cluster): readonly ObservedPod[] {
  return [...cluster.pods.values()].filter(
    ({ phase, terminating, owner }) =>
      phase !== 'Succeeded' && phase !== 'Failed' && !terminating && owner?.kind !== 'DaemonSet',
  );
}

export function pendingPods(cluster: Cluster): readonly ObservedPod[] {
  return livePods(cluster).filter(({ nodeName }) => nodeName === undefined);
}

/** Claims that are not being given back. */
export function liveClaims(cluster: Cluster): readonly NodeClaim[] {
  return [...cluster.nodeClaims.values()].filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
}

export function readyClaims(cluster: Cluster): readonly NodeClaim[] {
  return liveClaims(cluster).filter(({ status }) => isTrue(status.conditions, 'Ready'));
}

/** Nothing is pending, being launched or going away. */
export function isCalm(cluster: Cluster): boolean {
  return (
    pendingPods(cluster).length === 0 &&
    readyClaims(cluster).length === cluster.nodeClaims.size &&
    [...cluster.nodeClaims.values()].every(({ status }) => status.disruption === undefined) &&
    livePods(cluster).every(({ ready }) => ready)
  );
}

/** USD/h of all instances that claims have. */
export function hourlyPrice(cluster: Cluster): number {
  return [...cluster.nodeClaims.values()].reduce((sum, { status }) => sum + (status.hourlyPrice ?? 0), 0);
}
