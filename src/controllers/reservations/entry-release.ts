/** What becomes of a reservation's entries: kept while their pods wait for the room that is held. */
import { isFinished } from '../../domain/pods/pod.js';
import type { ReservationEntry } from '../../domain/records/reservation.js';
import type { Cluster } from '../../state/cluster/cluster.js';

/** Why room is no longer held. */
export type Release = 'Bound' | 'Deleted' | 'Finished' | 'Expired' | 'HeldElsewhere';

/**
 * Why the entry is to go; undefined while it is needed. Room for pods that do not exist yet is released only when its time is over. Of
 * two reservations that name a pod the first by name counts.
 */
export function releaseOf(
  cluster: Cluster,
  reservation: string,
  { podUID, expiresAt }: ReservationEntry,
  now: number,
): Release | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return 'Expired';
  if (podUID === undefined) return undefined;
  const pod = cluster.podByUID(podUID);
  if (pod === undefined || pod.terminating) return 'Deleted';
  if (pod.nodeName !== undefined) return 'Bound';
  if (isFinished(pod)) return 'Finished';
  const [first] = cluster.entriesOfPod(podUID);
  return first === undefined || first.reservation.name === reservation ? undefined : 'HeldElsewhere';
}
