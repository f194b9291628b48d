/** An instance: what it was launched as, and what of it changes. */
import type { Tenancy } from '../../../../src/domain/nodes/tenancy.js';
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { InstanceProfileReference } from '../../iam/instance-profiles.js';
import type { CapacityPool } from '../../model/capacity-stock.js';
import type { Lagged } from '../../model/lagged.js';
import type { SimulatedImage } from '../images/image.js';
import type { Subnet } from '../network/subnet.js';

/** State → the code that EC2 sends with it. */
export const STATE_CODES = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
} as const;

export type InstanceState = keyof typeof STATE_CODES;

/** What a launch settles for good. */
export interface InstanceDescription {
  readonly pool: CapacityPool;
  readonly vcpu: number;
  readonly isNitro: boolean;
  readonly image: SimulatedImage;
  readonly subnet: Subnet;
  readonly securityGroupIDs: readonly string[];
  readonly profile: InstanceProfileReference | undefined;
  /** Decoded. */
  readonly userData: string;
  readonly clientToken: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeDescription[];
  readonly detailedMonitoring: boolean;
  readonly enclaves: boolean;
  /** The capacity reservation that it was launched into. */
  readonly capacityReservationID: string | undefined;
  readonly tenancy: Tenancy;
  /** The placement group that it was launched into, and the partition that was asked for. */
  readonly placement:
    { readonly id: string; readonly name: string; readonly partition: number | undefined } | undefined;
  /** The primary one first; never empty. */
  readonly interfaces: readonly InterfaceDescription[];
}

export interface InterfaceDescription {
  readonly card: number;
  readonly device: number;
  readonly type: 'interface' | 'efa' | 'efa-only';
  /** Whether it has an IPv6 address, and whether that is the primary one. */
  readonly ipv6: boolean;
  readonly primaryIPv6: boolean;
}

export interface VolumeDescription {
  readonly deviceName: string;
  readonly deleteOnTermination: boolean;
  readonly encrypted: boolean;
}

export interface StateReason {
  readonly code: string;
  readonly message: string;
}

export interface Instance extends InstanceDescription {
  /** `i-0…`. */
  readonly id: string;
  readonly reservationID: string;
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  readonly privateIP: string;
  readonly privateDnsName: string;
  readonly state: Lagged<InstanceState>;
  readonly tags: Lagged<Labels>;
  stateReason: StateReason | undefined;
  /** `User initiated (2026-01-01 00:00:00 GMT)`; empty while it has not ended. */
  transition: string;
  /** How often it was rebooted. */
  boots: number;
  /** Whether its system comes up again after a reboot. */
  bootsAgain: boolean;
  /** Maintenance that is announced. */
  readonly events: ScheduledEvent[];
  /** Status checks that fail → since when, in milliseconds since 1970. */
  readonly impaired: Map<StatusCheck, number>;
}

/** Of the instance itself, or of its host. */
export type StatusCheck = 'instance' | 'system';

export interface ScheduledEvent {
  readonly id: string;
  /** `instance-retirement`, `system-reboot`, … */
  readonly code: string;
  readonly description: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
}

/** What the simulator tells of an instance to the world that lives on it. */
export interface SimulatedInstance {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: 'spot' | 'on-demand';
  readonly imageID: string;
  readonly state: InstanceState;
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  /** `ip-10-0-0-4.eu-west-3.compute.internal`. */
  readonly privateDnsName: string;
  readonly privateIP: string;
  /** Decoded; empty when there is none. */
  readonly userData: string;
  readonly tags: Labels;
  readonly subnetID: string;
  /** Whether Nitro Enclaves can run on it. */
  readonly enclaves: boolean;
  /** Elastic Fabric Adapters that it has. */
  readonly efaInterfaces: number;
  /** How often it was rebooted. */
  readonly boots: number;
}

/** As it is now, before EC2 shows it. */
export function simulatedInstance(instance: Instance): SimulatedInstance {
  const { id, pool, image, launchedAt, privateDnsName, privateIP, userData, subnet, enclaves } = instance;
  return {
    id,
    instanceType: pool.instanceType,
    zone: pool.zone,
    capacityType: pool.capacityType === 'spot' ? 'spot' : 'on-demand',
    imageID: image.id,
    state: instance.state.current,
    launchedAt,
    privateDnsName,
    privateIP,
    userData,
    tags: instance.tags.current,
    boots: instance.boots,
    subnetID: subnet.id,
    enclaves,
    efaInterfaces: instance.interfaces.filter(({ type }) => type !== 'interface').length,
  };
}
