/** How a pod stands with Berth: bound, planned, refused, or not Berth's to place. */
import type { Decision } from '../../domain/records/decision.js';
import { demandStatus, type IgnoredReason } from '../../domain/pods/demand.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Cluster } from '../cluster/cluster.js';
import { stateNodeOfClaim, stateNodeOfNode, type StateNode } from './state-node.js';

export type PodStanding =
  | { readonly state: 'Bound' | 'Leaving'; readonly nodeName: string | undefined }
  /** Room is reserved for it on a node. */
  | { readonly state: 'Planned'; readonly stateNode: StateNode }
  /** No pool can hold it; the Decision has the reason. */
  | { readonly state: 'Refused'; readonly refusal: Decision }
  /** There is no decision yet. */
  | { readonly state: 'Waiting' }
  | { readonly state: 'Ignored'; readonly reason: IgnoredReason };

/** Pod uid → the latest Decision that refused it. */
export function refusals(cluster: Cluster): ReadonlyMap<string, Decision> {
  const latest = new Map<string, Decision>();
  for (const decision of cluster.decisions.values()) {
    const { action, subject, time } = decision.spec;
    if (action !== 'Refuse' || subject.kind !== 'Pod') continue;
    if ((latest.get(subject.uid)?.spec.time ?? -Infinity) <= time) latest.set(subject.uid, decision);
  }
  return latest;
}

export function podStanding(
  cluster: Cluster,
  pod: ObservedPod,
  refusalOf: (uid: string) => Decision | undefined,
): PodStanding {
  if (pod.terminating) return { state: 'Leaving', nodeName: pod.nodeName };
  const demand = demandStatus(pod, cluster.demandTerms);
  if (demand !== 'demand' && demand.ignored === 'Finished') return { state: 'Ignored', reason: 'Finished' };
  if (pod.nodeName !== undefined) return { state: 'Bound', nodeName: pod.nodeName };
  const stateNode = plannedNode(cluster, pod);
  if (stateNode !== undefined) return { state: 'Planned', stateNode };
  if (demand !== 'demand') return { state: 'Ignored', reason: demand.ignored };
  const refusal = refusalOf(pod.uid);
  return refusal === undefined ? { state: 'Waiting' } : { state: 'Refused', refusal };
}

function plannedNode(cluster: Cluster, { uid }: ObservedPod): StateNode | undefined {
  const target = cluster.reservationOf(uid)?.reservation.target;
  if (target === undefined) return undefined;
  return target.kind === 'Node'
    ? stateNodeOfNode(cluster, target.name)
    : stateNodeOfClaim(cluster, target.name);
}
