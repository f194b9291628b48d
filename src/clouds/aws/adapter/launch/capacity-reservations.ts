/** Capacity reservations that a node class may use, as they are at the moment. */
import {
  DescribeCapacityReservationsCommand,
  type CapacityReservation,
  type Filter,
} from '@aws-sdk/client-ec2';
import type { ResolvedReservation } from '../../../../ports/cloud.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

type Term = NonNullable<NodeClassSpec['capacityReservationSelectorTerms']>[number];

/** Active ones that match any of the terms, each once, most available first. */
export async function capacityReservations(
  clients: Pick<AwsClients, 'call'>,
  terms: readonly Term[],
  signal?: AbortSignal,
): Promise<readonly ResolvedReservation[]> {
  const found = new Map<string, ResolvedReservation>();
  for (const term of terms)
    for (const reservation of await matching(clients, term, signal)) found.set(reservation.id, reservation);
  return [...found.values()].sort(
    (left, right) => right.available - left.available || (left.id < right.id ? -1 : 1),
  );
}

async function matching(
  clients: Pick<AwsClients, 'call'>,
  term: Term,
  signal?: AbortSignal,
): Promise<readonly ResolvedReservation[]> {
  const query = {
    Filters: filtersOf(term),
    ...(term.id === undefined ? { MaxResults: 1000 } : { CapacityReservationIds: [term.id] }),
  };
  const pages = await allPages({
    operation: 'ec2:DescribeCapacityReservations',
    fetch: (NextToken) =>
      clients.call(
        'DescribeCapacityReservations',
        (client, options) =>
          client.send(new DescribeCapacityReservationsCommand({ ...query, NextToken }), options),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return pages.flatMap(({ CapacityReservations: all = [] }) => all.flatMap(reservationOf));
}

function reservationOf(reservation: CapacityReservation): readonly ResolvedReservation[] {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: zone } = reservation;
  if (id === undefined || instanceType === undefined || zone === undefined) return [];
  const { ReservationType: type = 'default', Interruptible = false } = reservation;
  const available = reservation.AvailableInstanceCount ?? 0;
  return [{ id, instanceType, zone, type, interruptible: Interruptible, available }];
}

function filtersOf({ tags = {}, ownerID, instanceMatchCriteria }: Term): Filter[] {
  const byTag = Object.entries(tags).map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
  return [
    { Name: 'state', Values: ['active'] },
    ...byTag,
    ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
  ];
}
