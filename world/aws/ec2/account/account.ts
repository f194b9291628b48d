/** All that a launch depends on: the account's things, and what EC2 has to give. */
import type { Clock } from '../../../../src/ports/clock.js';
import type { CapacityStock } from '../../model/capacity-stock.js';
import type { Access } from '../../iam/access.js';
import type { InstanceProfiles } from '../../iam/instance-profiles.js';
import type { Ids } from '../../model/ids.js';
import type { CapacityReservations } from '../instances/capacity-reservations.js';
import type { Images } from '../images/images.js';
import type { Instances } from '../instances/instances.js';
import type { PlacementGroups } from '../instances/placement-groups.js';
import type { LaunchTemplates } from '../templates/launch-templates.js';
import type { Network } from '../network/network.js';
import type { Offerings } from '../offerings/offerings.js';
import type { SpotMarket } from '../offerings/spot-market.js';
import type { Throttle } from './throttle.js';

/** What AWS allows an account to run at a time. */
export interface Quotas {
  readonly spotInstances: number;
  /** Of on-demand instances together. */
  readonly vcpu: number;
}

export interface Account {
  readonly id: string;
  readonly region: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly access: Access;
  readonly throttle: Throttle;
  readonly network: Network;
  readonly images: Images;
  readonly instances: Instances;
  readonly reservations: CapacityReservations;
  readonly placementGroups: PlacementGroups;
  readonly templates: LaunchTemplates;
  readonly profiles: InstanceProfiles;
  readonly offerings: Offerings;
  readonly market: SpotMarket;
  readonly stock: CapacityStock;
  readonly quotas: Quotas;
}
