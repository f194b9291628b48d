/** Planned pods by uid, and when it may have become possible to bind them. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { reservationName, type Reservation } from '../../domain/records/reservation.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { missingResource } from '../../state/nodes/node-state.js';

/** Pods that the reservation names. */
export function podsOf(reservation: Reservation | undefined): readonly string[] {
  return (reservation?.entries ?? []).flatMap(({ podUID }) => podUID ?? []);
}

/**
 * Calls `heard` for each pod for which `canBind` or `waitsForOthers` may answer otherwise than before: its Reservation, its node,
 * or a pod that must be bound before it has changed. Answers how each subscription ends.
 */
export function onPlannedPods(cluster: Cluster, heard: (podUID: string) => void): readonly (() => void)[] {
  const hearAll = (podUIDs: Iterable<string>): void => {
    for (const podUID of podUIDs) heard(podUID);
  };
  const hearPlannedOn = (target: Parameters<typeof reservationName>[0]): void => {
    hearAll(podsOf(cluster.reservations.get(reservationName(target))));
  };
  return [
    cluster.reservations.subscribe(({ before, after }) => {
      hearAll([...podsOf(before), ...podsOf(after)]);
      for (const podUID of podsOf(before)) hearAll(cluster.podsAfter(podUID));
    }),
    cluster.nodes.subscribe(({ key, before, after }) => {
      if (before !== undefined && after !== undefined && !takesOthers(before, after)) return;
      hearPlannedOn({ kind: 'Node', name: key });
      const claim = cluster.claimOfNode(key);
      if (claim !== undefined) hearPlannedOn({ kind: 'NodeClaim', name: claim.name });
    }),
    cluster.pods.subscribe(({ before, after }) => {
      if (before !== undefined && hasCome(before, after)) hearAll(cluster.podsAfter(before.uid));
    }),
  ];
}

/** Whether the pod, which others may have to wait for, is bound now, or will not be. */
function hasCome(before: ObservedPod, after: ObservedPod | undefined): boolean {
  if (before.nodeName !== undefined) return false;
  return after?.uid !== before.uid || after.nodeName !== undefined || after.terminating;
}

/** Whether a change of the node can make it one for pods that could not be bound to it. */
function takesOthers(before: ObservedNode, after: ObservedNode): boolean {
  return (
    after.ready !== before.ready ||
    after.taints.length < before.taints.length ||
    missingResource(before, after.allocatable) !== undefined
  );
}
