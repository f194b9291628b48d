/** Capacity reservations that a node class may use, as they are at the moment. */
import {
  DescribeCapacityReservationsCommand,
  type CapacityReservation,
  type Filter,
} from '@aws-sdk/client-ec2';
import type { ResolvedReservation } from '../../../../ports/cloud.js';
import type { Clock } from '../../../../ports/clock.js';
import { hasCode } from '../../../../ports/port-error.js';
import { RESERVATION_WARNING_MILLIS, type ReservationEnds } from '../../../../ports/reservation-ends.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

type Term = NonNullable<NodeClassSpec['capacityReservationSelectorTerms']>[number];

/** What is resolved is remembered for a minute: nothing is launched that would be drained at once. */
const LAST_LAUNCH_MILLIS = 120_000;

interface Sources {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface SelectedReservations {
  /** Active ones, most available first. A capacity block whose nodes are drained soon has nothing available. */
  readonly active: readonly ResolvedReservation[];
  /** Of all, whatever their state and known or not, sorted: an instance leaves one that is over without having drifted. */
  readonly ids: readonly string[];
}

/** Those that match any of the terms, each once. */
export async function capacityReservations(
  { clients, clock }: Sources,
  terms: readonly Term[],
  signal?: AbortSignal,
): Promise<SelectedReservations> {
  const found = new Map<string, ResolvedReservation>();
  const ids = new Set<string>();
  for (const term of terms) {
    if (term.id !== undefined) ids.add(term.id);
    for (const reservation of await matching(clients, term, signal)) {
      if (reservation.CapacityReservationId !== undefined) ids.add(reservation.CapacityReservationId);
      if (reservation.State !== 'active') continue;
      for (const resolved of reservationOf(reservation, clock.now())) found.set(resolved.id, resolved);
    }
  }
  const active = [...found.values()].sort(
    (left, right) => right.available - left.available || (left.id < right.id ? -1 : 1),
  );
  return { active, ids: [...ids].sort() };
}

/** When EC2 begins to terminate the instances of capacity blocks. */
export function capacityBlockEnds(clients: Pick<AwsClients, 'call'>): ReservationEnds {
  return {
    of: async (ids, signal) => {
      const ends = new Map<string, number>();
      for (const id of ids)
        for (const reservation of await matching(clients, { id }, signal)) {
          const at = takenBackAt(reservation);
          if (at !== undefined && reservation.State === 'active') ends.set(id, at);
        }
      return ends;
    },
  };
}

/**
 * None of an id that EC2 does not know: the reservation is over, or shared no longer. Each id is asked for by itself, since
 * EC2 refuses a list of which it does not know one.
 */
async function matching(
  clients: Pick<AwsClients, 'call'>,
  term: Term,
  signal?: AbortSignal,
): Promise<readonly CapacityReservation[]> {
  try {
    return await described(clients, term, signal);
  } catch (error) {
    if (term.id !== undefined && hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

async function described(
  clients: Pick<AwsClients, 'call'>,
  term: Term,
  signal?: AbortSignal,
): Promise<readonly CapacityReservation[]> {
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
  return pages.flatMap(({ CapacityReservations: all = [] }) => all);
}

function reservationOf(reservation: CapacityReservation, now: number): readonly ResolvedReservation[] {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: zone } = reservation;
  if (id === undefined || instanceType === undefined || zone === undefined) return [];
  const { ReservationType: type = 'default', Interruptible = false } = reservation;
  const isEnding =
    now >= (takenBackAt(reservation) ?? Infinity) - RESERVATION_WARNING_MILLIS - LAST_LAUNCH_MILLIS;
  const available = isEnding ? 0 : (reservation.AvailableInstanceCount ?? 0);
  const { OwnerId: ownerID, InstanceMatchCriteria: matchCriteria, EndDate: end } = reservation;
  const tenancy = reservation.Tenancy === 'dedicated' ? ('dedicated' as const) : undefined;
  const about = { ownerID, matchCriteria, endsAt: end?.getTime(), isEnding, ...(tenancy && { tenancy }) };
  return [{ id, instanceType, zone, type, interruptible: Interruptible, available, ...about }];
}

const MINUTE_MILLIS = 60_000;
/** Instance types that are sold in UltraServers only. */
const OF_ULTRA_SERVER = /^(u-)?p6e-|^trn\d+u\./;

/**
 * When EC2 begins to terminate the instances: 30 minutes before a capacity block ends, 60 where it is of an UltraServer (EC2 user
 * guide, Capacity Blocks for ML). Instances outlive other reservations. Milliseconds since 1970.
 */
function takenBackAt({
  ReservationType: type,
  EndDate: end,
  InstanceType: instanceType = '',
}: CapacityReservation) {
  if (type !== 'capacity-block' || end === undefined) return undefined;
  return end.getTime() - (OF_ULTRA_SERVER.test(instanceType) ? 60 : 30) * MINUTE_MILLIS;
}

function filtersOf({ tags = {}, ownerID, instanceMatchCriteria }: Term): Filter[] {
  const byTag = Object.entries(tags).map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
  return [
    ...byTag,
    ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
  ];
}
