/** What a node class has selected, as its status shows it. */
import type { PlacementGroup } from '../../../../domain/nodes/placement-group.js';
import type {
  ResolvedObjects,
  StatusPlacementGroup,
  StatusReservation,
} from '../../../../domain/policies/resolved-objects.js';
import type { ResolvedReservation } from '../../../../ports/cloud.js';
import type { NodeClassView } from './node-class-view.js';

/** Of a class with which nothing can be asked. */
export const NO_OBJECTS: ResolvedObjects = {
  ...{ subnets: [], securityGroups: [], amis: [], capacityReservations: [], instanceProfile: '' },
};

export function statusObjects(
  view: Omit<NodeClassView, 'problems' | 'cluster'>,
  reservations: readonly ResolvedReservation[],
): ResolvedObjects {
  const { spec, subnets, securityGroups, images, instanceProfile, placementGroup } = view;
  return {
    subnets: subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID })),
    securityGroups: securityGroups.map(({ id, name }) => ({ id, name })),
    amis: images.map(({ id, name, arch, deprecated }) => ({ id, name, architecture: arch, deprecated })),
    // How many instances are left changes all the time.
    capacityReservations: reservations
      .map(statusReservation)
      .sort((left, right) => (left.id < right.id ? -1 : 1)),
    ...(spec.placementGroupSelector && {
      placementGroups: placementGroup === undefined ? [] : [statusPlacementGroup(placementGroup)],
    }),
    instanceProfile,
  };
}

function statusPlacementGroup({
  id,
  name,
  strategy,
  spreadLevel,
  partitions,
}: PlacementGroup): StatusPlacementGroup {
  const partitionCount = partitions === 0 ? undefined : partitions;
  return { id, name, strategy, spreadLevel, partitionCount };
}

function statusReservation(reservation: ResolvedReservation): StatusReservation {
  const { id, instanceType, zone, type, interruptible, ownerID, matchCriteria, endsAt } = reservation;
  return {
    ...{ id, instanceType, availabilityZone: zone, ownerID, instanceMatchCriteria: matchCriteria },
    ...{ reservationType: type, interruptible },
    state: reservation.isEnding === true ? 'expiring' : 'active',
    endTime: endsAt,
  };
}
