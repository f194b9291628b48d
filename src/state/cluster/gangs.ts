/** The gangs of the cluster: which pods belong together, and how many of them there must be. */
import { gangsOf, minimumsOf, type Gang, type PodGang } from '../../domain/pods/gang.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { Cluster } from './cluster.js';

/** What the pod says, else its Job: an annotation on the Job alone does not show on its pods. */
export function podGangOf(cluster: Cluster, { gang, namespace, owner }: Pod): PodGang | undefined {
  if (gang !== undefined || owner?.kind !== 'Job') return gang;
  const key = cluster.workloadOf({ namespace, owner })?.gang;
  return key === undefined ? undefined : { key, minMembers: 'all' };
}

/** Pods as planning takes them, each with its gang, and the gangs. */
export function withGangs(
  cluster: Cluster,
  pods: readonly Pod[],
): { readonly pods: readonly Pod[]; readonly gangs: readonly Gang[] } {
  const members = pods.map((pod) => {
    const gang = podGangOf(cluster, pod);
    return gang === pod.gang ? pod : { ...pod, gang };
  });
  const hasSome = members.some(({ gang }) => gang !== undefined);
  return { pods: members, gangs: hasSome ? gangsOf(members, declaredMinimums(cluster)) : [] };
}

/** Gang → members, as its PodGroup says, or as many as its Jobs run at once. */
function declaredMinimums(cluster: Cluster): ReadonlyMap<string, number> {
  const minimums = minimumsOf(cluster.podGroups.values());
  for (const { gang, wantedPods } of cluster.workloads.values())
    if (gang !== undefined) minimums.set(gang, (minimums.get(gang) ?? 0) + wantedPods);
  return minimums;
}
