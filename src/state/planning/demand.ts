/** Which pods of the cluster want a place now, and which of them have none planned yet. */
import { DEFAULT_DEMAND_TERMS, demandStatus, type DemandTerms } from '../../domain/pods/demand.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Cluster } from '../cluster/cluster.js';
import { podGangOf } from '../cluster/gangs.js';
import { ownerKeyOf } from '../cluster/owner-key.js';
import { takesOwnersRoom } from '../ledger/owner-room.js';

/** The reason with which kube-scheduler says that no node can take the pod, our extender's refusals included. */
const UNSCHEDULABLE = 'Unschedulable';
/** The reason with which it says that it could not find out. */
const SCHEDULER_ERROR = 'SchedulerError';

/**
 * What kube-scheduler made of a pod that is demand by its nature; undefined for other pods. Gated: Berth's scheduling gate
 * keeps it from being tried at all.
 */
export type Verdict = 'Gated' | 'Unjudged' | 'Unschedulable' | 'SchedulerError';

export function verdictOn(pod: ObservedPod, terms: DemandTerms = DEFAULT_DEMAND_TERMS): Verdict | undefined {
  if (demandStatus(pod, terms) !== 'demand') return undefined;
  if (pod.awaitsPlace) return 'Gated';
  const { scheduled } = pod;
  if (scheduled === undefined || scheduled.status) return 'Unjudged';
  if (scheduled.reason === SCHEDULER_ERROR) return 'SchedulerError';
  return scheduled.reason === UNSCHEDULABLE ? 'Unschedulable' : 'Unjudged';
}

/** Whether Berth has to find a place for the pod: kube-scheduler has none or is not to look for one, and none is planned. */
export function isProvisionable(
  cluster: Cluster,
  pod: ObservedPod,
  terms: DemandTerms = cluster.demandTerms,
): boolean {
  return wants(verdictOn(pod, terms)) && isUnprovided(cluster, pod, terms);
}

function wants(verdict: Verdict | undefined): boolean {
  return verdict === 'Unschedulable' || verdict === 'Gated';
}

/** kube-scheduler tries hundreds of pods a second: one that it has not tried for so long waits behind many others. */
const BEHIND_MILLIS = 3000;

/**
 * Pods that want a place. Where there are any, others come with them that kube-scheduler has not judged yet, so that a burst is
 * planned whole, however slowly kube-scheduler gets through it: the rest of their gangs, pods of the same owner and template,
 * which fit no better, and pods that have waited for long. The plan gives these the room of existing nodes first, so that a
 * pod which fits there buys nothing.
 * @param now milliseconds since 1970.
 */
export function demandOf(cluster: Cluster, now: number): readonly ObservedPod[] {
  const { demandTerms } = cluster;
  const wanting: ObservedPod[] = [];
  const unjudged: ObservedPod[] = [];
  // Nearly all pods are bound: this is asked of all of them for every batch.
  for (const pod of cluster.pods.values()) {
    if (pod.nodeName !== undefined) continue;
    const verdict = verdictOn(pod, demandTerms);
    if (verdict === 'Unjudged') unjudged.push(pod);
    else if (wants(verdict) && isUnprovided(cluster, pod, demandTerms)) wanting.push(pod);
  }
  if (wanting.length === 0 || unjudged.length === 0) return wanting;
  const gangOf = (pod: ObservedPod): string | undefined => podGangOf(cluster, pod)?.key;
  const gangs = new Set(wanting.map(gangOf));
  gangs.delete(undefined);
  const owners = new Set(wanting.map(ownerKeyOf));
  owners.delete(undefined);
  const coming = unjudged.filter(
    (pod) =>
      (gangs.has(gangOf(pod)) || owners.has(ownerKeyOf(pod)) || now - pod.createdAt >= BEHIND_MILLIS) &&
      isUnprovided(cluster, pod, demandTerms),
  );
  return [...wanting, ...coming];
}

/** No room is reserved or being launched for it. */
function isUnprovided(cluster: Cluster, pod: ObservedPod, terms: DemandTerms): boolean {
  return (
    cluster.entriesOfPod(pod.uid).length === 0 &&
    !takesOwnersRoom(cluster, pod, terms) &&
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
