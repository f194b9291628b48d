/** Codec of what a node class has selected in the cloud, as status.resolved of its PolicyStatus. */
import type {
  ResolvedObjects,
  StatusImage,
  StatusPlacementGroup,
  StatusReservation,
  StatusSecurityGroup,
  StatusSubnet,
} from '../../domain/policies/resolved-objects.js';
import {
  choice,
  field,
  flag,
  integer,
  list,
  object,
  optionalList,
  optionalTextOf,
  textOrEmpty,
  time,
  withDefault,
  type Codec,
} from './codec.js';

/** Most of a list that are shown. */
const MOST = 100;
const WORD = textOrEmpty({ maxLength: 256 });
const MAYBE = optionalTextOf({ maxLength: 256 });

const subnet = object<StatusSubnet>({
  id: field('ID of the subnet.', WORD),
  zone: field('Availability zone of the subnet.', WORD),
  zoneID: field('ID of that zone, which is the same in every account.', MAYBE),
});

const securityGroup = object<StatusSecurityGroup>({
  id: field('ID of the security group.', WORD),
  name: field('Name of the security group.', WORD),
});

const image = object<StatusImage>({
  id: field('ID of the image.', WORD),
  name: field('Name of the image.', WORD),
  architecture: field('Architecture of the image, as kubernetes.io/arch spells it.', WORD),
  deprecated: field('Whether the owner of the image has deprecated it.', flag),
});

const reservation = object<StatusReservation>({
  id: field('ID of the capacity reservation.', WORD),
  instanceType: field('Instance type that is reserved.', WORD),
  availabilityZone: field('Availability zone of the reservation.', WORD),
  ownerID: field('Account that owns the reservation.', MAYBE),
  instanceMatchCriteria: field('open or targeted.', MAYBE),
  reservationType: field('default or capacity-block.', WORD),
  interruptible: field('Whether the owner may take the capacity back.', flag),
  state: field(
    'expiring when nothing more is launched into the reservation because it ends; else active.',
    withDefault(choice(['active', 'expiring']), 'active'),
  ),
  endTime: field('Time when the reservation ends.', time),
});

const placementGroup = object<StatusPlacementGroup>({
  id: field('ID of the placement group.', WORD),
  name: field('Name of the placement group.', WORD),
  strategy: field('cluster, spread or partition.', WORD),
  spreadLevel: field('rack or host; only where the strategy is spread.', MAYBE),
  partitionCount: field(
    'Number of partitions; only where the strategy is partition.',
    integer({ minimum: 1, maximum: 1000 }),
  ),
});

export const resolvedObjects: Codec<ResolvedObjects> = object<ResolvedObjects>({
  subnets: field('Subnets that spec.subnetSelectorTerms select.', list(subnet, { maxItems: MOST })),
  securityGroups: field(
    'Security groups that spec.securityGroupSelectorTerms select.',
    list(securityGroup, { maxItems: MOST }),
  ),
  amis: field('Images that spec.amiSelectorTerms select, newest first.', list(image, { maxItems: MOST })),
  capacityReservations: field(
    'Capacity reservations that spec.capacityReservationSelectorTerms select.',
    list(reservation, { maxItems: MOST }),
  ),
  placementGroups: field(
    'Placement group that spec.placementGroupSelector selects.',
    optionalList(placementGroup, { maxItems: MOST }),
  ),
  instanceProfile: field('Instance profile of the nodes.', textOrEmpty({ maxLength: 256 })),
});
