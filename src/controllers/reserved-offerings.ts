/** Capacity reservations as offerings of instance types, each with the number of instances that are not requested yet. */
import { zoneIDOf, type InstanceType, type Offering } from '../domain/nodes/instance-type.js';
import { labelledTenancy } from '../domain/nodes/tenancy.js';
import { CAPACITY_RESERVATION_ID } from '../domain/values/labels.js';
import type { NodeClaim } from '../domain/nodes/node-claim.js';
import type { ResolvedReservation } from '../ports/cloud.js';

/** What the cloud says of a reservation is at most so old, and tells of a launch by then. */
const UNSEEN_MILLIS = 120_000;

/** The types with an offering for each of these reservations, in their order; not those that the node class excludes. */
export function withReservedOfferings(
  types: readonly InstanceType[],
  reservations: readonly ResolvedReservation[] = [],
): readonly InstanceType[] {
  if (reservations.length === 0) return types;
  return types.map((type) => {
    const reserved = reservations.filter(
      ({ instanceType, tenancy = 'default' }) =>
        instanceType === type.name && tenancy === labelledTenancy(type.labels),
    );
    return reserved.length === 0 || type.excluded !== undefined
      ? type
      : {
          ...type,
          offerings: [
            ...type.offerings,
            ...reserved.map((each) => offeringOf(each, zoneIDOf(types, each.zone))),
          ],
        };
  });
}

/** The instance is paid whether it runs or not. */
function offeringOf(
  { id, zone, type, interruptible, available }: ResolvedReservation,
  zoneID: string | undefined,
): Offering {
  return {
    zone,
    ...(zoneID !== undefined && { zoneID }),
    capacityType: 'reserved',
    price: 0,
    estimated: false,
    available: available > 0,
    reservation: { id, type, interruptible, count: available },
  };
}

/** The reservations less the claims that are for them and that the cloud may not have counted. `now` in milliseconds since 1970. */
export function reservationsLeft(
  reservations: readonly ResolvedReservation[] = [],
  claims: Iterable<NodeClaim>,
  now: number,
): readonly ResolvedReservation[] {
  if (reservations.length === 0) return reservations;
  const asked = new Map<string, number>();
  for (const claim of claims) {
    const id = claim.labels.get(CAPACITY_RESERVATION_ID);
    if (id !== undefined && !isCounted(claim, now)) asked.set(id, (asked.get(id) ?? 0) + 1);
  }
  return reservations.map((reservation) => ({
    ...reservation,
    available: Math.max(0, reservation.available - (asked.get(reservation.id) ?? 0)),
  }));
}

function isCounted({ status: { providerID, launch } }: NodeClaim, now: number): boolean {
  return providerID !== undefined && now - (launch?.answeredAt ?? 0) >= UNSEEN_MILLIS;
}
