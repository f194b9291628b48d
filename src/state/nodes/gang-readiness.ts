/** How near a gang is to being bound as a whole: which of its members run, or have a place that is ready or on its way. */
import { isFinished } from '../../domain/pods/pod.js';
import { gangsOf, minimumsOf, type PodGang } from '../../domain/pods/gang.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../cluster/cluster.js';
import { canBind, targetState, type TargetState } from './node-state.js';

/**
 * Whether the pod is to wait: with it, fewer members than the minimum run or could be bound now. Gangs that only an
 * annotation on their Job defines are not known here, where only pods are considered.
 */
export function waitsForGang(cluster: Cluster, pod: Pod): boolean {
  return lacks(cluster, pod, canBind);
}

/** Whether the pod waits for members of its gang whose instances are still to come, and for nothing else. */
export function isGangComing(cluster: Cluster, pod: Pod): boolean {
  return waitsForGang(cluster, pod) && !lacks(cluster, pod, ({ isLost }) => !isLost);
}

/** Whether too few members, with this one, run or have a place of which the test holds. */
function lacks(
  cluster: Cluster,
  pod: Pod,
  test: (target: TargetState, requests: ResourceList) => boolean,
): boolean {
  if (pod.gang === undefined) return false;
  const others = othersOf(cluster, pod, pod.gang);
  const minimum = minimumOf(cluster, pod.gang, [pod, ...others]);
  let count = 1;
  for (const other of others) {
    if (count >= minimum) return false;
    const [held] = cluster.entriesOfPod(other.uid);
    const isThere =
      held !== undefined && test(targetState(cluster, held.reservation.target), held.entry.requests);
    if (other.nodeName !== undefined || isThere) count++;
  }
  return count < minimum;
}

function othersOf(cluster: Cluster, { uid }: Pod, { key }: PodGang): readonly ObservedPod[] {
  return cluster
    .podsOfGang(key)
    .filter((other) => other.uid !== uid && !isFinished(other) && !other.terminating);
}

/** 0 where the minimum is unknown: such pods are planned alone. */
function minimumOf(cluster: Cluster, { key }: PodGang, members: readonly Pod[]): number {
  const group = cluster.podGroups.get(key.slice(key.indexOf(' ') + 1));
  const declared = minimumsOf(group === undefined ? [] : [group]);
  return gangsOf(members, declared)[0]?.minMembers ?? 0;
}
