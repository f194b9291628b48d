/** Whether the volumes that a pod has already can be used where room is held for it: disks stay in their zone. */
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import { ZONE, type LabelLookup } from '../../domain/values/labels.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { labelsSatisfy } from '../../domain/values/requirements.js';
import type { ReservationTarget } from '../../domain/records/reservation.js';
import type { Cluster } from '../cluster/cluster.js';

/** True, too, where it is unknown: volumes without a zone, targets without labels. */
export function reachesVolumes(cluster: Cluster, pod: ObservedPod, target: ReservationTarget): boolean {
  const labels = pod.spec.volumes.length === 0 ? undefined : labelsOf(cluster, target);
  if (labels === undefined) return true;
  return pod.spec.volumes.every(({ claim }) => {
    const name = cluster.persistentVolumeClaims.get(claim)?.volumeName;
    const volume = name === undefined ? undefined : cluster.persistentVolumes.get(name);
    return isAmong(volume?.nodeAffinity, labels) && isAmong(volume?.zones, labels);
  });
}

function isAmong(terms: readonly NodeSelectorTerm[] | undefined, labels: LabelLookup): boolean {
  return terms === undefined || terms.some((term) => labelsSatisfy(term.labels, labels));
}

/** Those of the node; of a claim without one only the zone is known, and only once it has an instance. */
function labelsOf(cluster: Cluster, { kind, name }: ReservationTarget): LabelLookup | undefined {
  const node = kind === 'Node' ? cluster.nodes.get(name) : cluster.nodeOfClaim(name);
  if (node !== undefined) return node.labels;
  const zone = kind === 'Node' ? undefined : cluster.nodeClaims.get(name)?.status.zone;
  return zone === undefined ? undefined : new Map([[ZONE, zone]]);
}
