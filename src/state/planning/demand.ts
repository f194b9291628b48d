/** Which pods of the cluster want a place now, and which of them have none planned yet. */
import { demandStatus, OWN_SCHEDULERS } from '../../domain/pods/demand.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Cluster } from '../cluster/cluster.js';
import { gangMates } from '../cluster/gangs.js';
import { takesOwnersRoom } from '../ledger/owner-room.js';

/** The reason with which kube-scheduler says that no node can take the pod, our extender's refusals included. */
const UNSCHEDULABLE = 'Unschedulable';
/** The reason with which it says that it could not find out. */
const SCHEDULER_ERROR = 'SchedulerError';

/** What kube-scheduler made of a pod that is demand by its nature; undefined for other pods. */
export type Verdict = 'Unjudged' | 'Unschedulable' | 'SchedulerError';

export function verdictOn(
  pod: ObservedPod,
  schedulers: readonly string[] = OWN_SCHEDULERS,
): Verdict | undefined {
  if (demandStatus(pod, schedulers) !== 'demand') return undefined;
  const { scheduled } = pod;
  if (scheduled === undefined || scheduled.status) return 'Unjudged';
  if (scheduled.reason === SCHEDULER_ERROR) return 'SchedulerError';
  return scheduled.reason === UNSCHEDULABLE ? 'Unschedulable' : 'Unjudged';
}

/** Whether Berth has to find a place for the pod: kube-scheduler has none, and none is planned. */
export function isProvisionable(
  cluster: Cluster,
  pod: ObservedPod,
  schedulers: readonly string[] = OWN_SCHEDULERS,
): boolean {
  return verdictOn(pod, schedulers) === 'Unschedulable' && isUnprovided(cluster, pod);
}

/**
 * Pods that want a place, each gang's together: of one that a member asks for, those come too on which kube-scheduler has
 * said nothing yet. They could not be placed without each other.
 */
export function demandOf(
  cluster: Cluster,
  schedulers: readonly string[] = OWN_SCHEDULERS,
): readonly ObservedPod[] {
  const wanting: ObservedPod[] = [];
  // Nearly all pods are bound: this is asked of all of them for every batch.
  for (const pod of cluster.pods.values())
    if (pod.nodeName === undefined && isProvisionable(cluster, pod, schedulers)) wanting.push(pod);
  const mates = gangMates(cluster, wanting).filter(
    (pod) => verdictOn(pod, schedulers) === 'Unjudged' && isUnprovided(cluster, pod),
  );
  return [...wanting, ...mates];
}

/** No room is reserved or being launched for it. */
function isUnprovided(cluster: Cluster, pod: ObservedPod): boolean {
  return (
    cluster.entriesOfPod(pod.uid).length === 0 &&
    !takesOwnersRoom(cluster, pod) &&
    !isPreempting(cluster, pod)
  );
}

/** Room is being made for it where kube-scheduler nominated it: less important pods are leaving. */
function isPreempting(cluster: Cluster, { nominatedNodeName, spec }: ObservedPod): boolean {
  if (nominatedNodeName === undefined) return false;
  return cluster
    .podsOn(nominatedNodeName)
    .some((other) => other.terminating && other.spec.priority < spec.priority);
}
