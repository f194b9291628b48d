/** The room that is held for ProvisioningRequests: what there is of it, and how it is let go. */
import { isRequestOwner } from '../../domain/pods/provisioning-request.js';
import type { Reservation, ReservationEntry, ReservationOwner } from '../../domain/records/reservation.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { ownerKey } from '../../state/cluster/owner-key.js';
import { targetState } from '../../state/nodes/node-state.js';
import type { ClusterWriter } from '../cluster-writer.js';

export interface Booked {
  /** Pods that room is held for. */
  readonly pods: number;
  /** Whether every instance that it is on has been launched. */
  readonly isLaunched: boolean;
}

/** Where room is on its way out, it does not count. */
export function bookedRoom(cluster: Cluster, owner: ReservationOwner): Booked {
  let pods = 0;
  let isLaunched = true;
  for (const { reservation, entry } of cluster.entriesOfOwner(ownerKey(owner))) {
    const { isLost, claim, node } = targetState(cluster, reservation.target);
    if (isLost) continue;
    pods += entry.count;
    isLaunched &&= node !== undefined || claim?.status.providerID !== undefined;
  }
  return { pods, isLaunched };
}

/** Nothing is held for the request any more. @throws PortError, when not all of it could be let go. */
export async function releaseRoom(
  { cluster, writer }: { readonly cluster: Cluster; readonly writer: ClusterWriter },
  owner: ReservationOwner,
  signal: AbortSignal,
): Promise<void> {
  const key = ownerKey(owner);
  const isKept = (entry: ReservationEntry): boolean =>
    entry.owner === undefined || ownerKey(entry.owner) !== key;
  for (const name of new Set(cluster.entriesOfOwner(key).map(({ reservation }) => reservation.name))) {
    const reservation = cluster.reservations.get(name);
    if (reservation === undefined) continue;
    const entries = reservation.entries.filter(isKept);
    if (entries.length === 0) await writer.deleteReservation(reservation, signal);
    else await writer.reserve(reservation.target, entries, { known: reservation, signal });
  }
}

/** `namespace/name` of the requests that the reservation holds room for. */
export function requestsOf(reservation: Reservation | undefined): readonly string[] {
  return (reservation?.entries ?? []).flatMap(({ owner }) =>
    isRequestOwner(owner) ? `${owner.namespace}/${owner.name}` : [],
  );
}
