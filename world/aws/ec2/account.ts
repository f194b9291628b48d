/** All that a launch depends on: the account's things, and what EC2 has to give. */
import type { Clock } from '../../../src/ports/clock.js';
import type { CapacityStock } from './capacity-stock.js';
import type { Access } from '../access.js';
import type { InstanceProfiles } from '../iam/instance-profiles.js';
import type { Ids } from '../ids.js';
import type { CapacityReservations } from './capacity-reservations.js';
import type { Images } from './images.js';
import type { Instances } from './instances.js';
import type { LaunchTemplates } from './launch-templates.js';
import type { Network } from './network.js';
import type { Offerings } from './offerings.js';
import type { SpotMarket } from './spot-market.js';
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
  readonly templates: LaunchTemplates;
  readonly profiles: InstanceProfiles;
  readonly offerings: Offerings;
  readonly market: SpotMarket;
  readonly stock: CapacityStock;
  readonly quotas: Quotas;
}
