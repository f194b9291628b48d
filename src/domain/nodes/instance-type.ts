/** Instance types and the offerings under which they can be bought. */
import type { NodeDevices } from '../devices/device.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  ZONE,
  ZONE_ID,
  type Labels,
} from '../values/labels.js';
import type { ResourceList } from '../values/resources.js';

export const CAPACITY_TYPES = ['reserved', 'spot', 'on-demand'] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];

export const RESERVATION_TYPES = ['default', 'capacity-block'] as const;
/** As the label karpenter.k8s.aws/capacity-reservation-type spells it. */
export type ReservationType = (typeof RESERVATION_TYPES)[number];

/** Instances that are paid whether they run or not. */
export interface OfferingReservation {
  /** `cr-…`. */
  readonly id: string;
  /** `default` unless given. */
  readonly type?: ReservationType | undefined;
  /** Whether its owner may take the capacity back; false unless given. */
  readonly interruptible?: boolean | undefined;
  /** Instances that it still has. */
  readonly count: number;
}

/** The labels of nodes that run in the reservation, as Karpenter sets them. */
export function reservationLabels({
  id,
  type = 'default',
  interruptible = false,
}: Pick<OfferingReservation, 'id' | 'type' | 'interruptible'>): readonly (readonly [string, string])[] {
  return [
    [CAPACITY_RESERVATION_ID, id],
    [CAPACITY_RESERVATION_TYPE, type],
    [CAPACITY_RESERVATION_INTERRUPTIBLE, String(interruptible)],
  ];
}

/** One way to buy an instance type: zone × capacity type (and reservation). */
export interface Offering {
  readonly zone: string;
  /** `euw3-az1`: the zone as it is called in every account; undefined where that is not known. */
  readonly zoneID?: string | undefined;
  readonly capacityType: CapacityType;
  /** USD/h that planning counts with. */
  readonly price: number;
  /** USD/h that is paid, where a NodeOverlay has planning count with another price. */
  readonly listPrice?: number | undefined;
  /** Estimated from another region or capacity type rather than quoted. */
  readonly estimated: boolean;
  /** false while the cloud is known to be out of it. */
  readonly available: boolean;
  /** The capacity reservation behind it; it can be bought as often as that has instances, and each is counted. */
  readonly reservation?: OfferingReservation | undefined;
}

/** One way to buy an instance type whose price is not known: it becomes an offering where a NodeOverlay gives it a price. */
export type UnpricedOffering = Pick<Offering, 'zone' | 'zoneID' | 'capacityType'>;

/** The labels that the zone and the capacity type of an offering give to its nodes. */
export function placeLabels({
  zone,
  zoneID,
  capacityType,
}: UnpricedOffering): readonly (readonly [string, string])[] {
  return [
    [ZONE, zone],
    [CAPACITY_TYPE, capacityType],
    ...(zoneID === undefined ? [] : [[ZONE_ID, zoneID] as const]),
  ];
}

/** Bytes of ephemeral storage; those in capacity and allocatable of the type are the most that there can be. */
interface LeastStorage {
  readonly capacity: number;
  readonly allocatable: number;
}

/** CSI driver → how many volumes can be attached. */
type VolumeLimits = ReadonlyMap<string, number>;

/** What can be attached whichever of the types a node is of. */
export function leastVolumeLimits(types: readonly Pick<InstanceType, 'volumeLimits'>[]): VolumeLimits {
  const least = new Map<string, number>();
  for (const { volumeLimits = NO_LIMITS } of types)
    for (const [driver, limit] of volumeLimits)
      least.set(driver, Math.min(limit, least.get(driver) ?? Infinity));
  return least;
}

const NO_LIMITS: VolumeLimits = new Map();

/**
 * Devices that a node has whichever of the types it is of: those of the type that has fewest, where types have the same
 * kinds of devices; none where one has none.
 */
export function leastDevices(types: readonly Pick<InstanceType, 'devices'>[]): NodeDevices | undefined {
  let least: NodeDevices | undefined;
  for (const { devices } of types) {
    if (devices === undefined) return undefined;
    if (least === undefined || deviceCount(devices) < deviceCount(least)) least = devices;
  }
  return least;
}

function deviceCount({ pools }: NodeDevices): number {
  return pools.reduce((sum, { devices }) => sum + devices.length, 0);
}

/** USD/h that the cloud charges for the offering. */
export function paidPrice({ price, listPrice }: Pick<Offering, 'price' | 'listPrice'>): number {
  return listPrice ?? price;
}

export interface InstanceType {
  readonly name: string;
  /** `amd64` or `arm64`, as kubernetes.io/arch spells it. */
  readonly arch: string;
  /** Labels every node of this type carries: arch, os, instance-type, region, karpenter.k8s.aws/instance-*. */
  readonly labels: Labels;
  /** What the node reports as capacity: whole vCPUs, memory after the VM's overhead. Pool limits count it. */
  readonly capacity: ResourceList;
  /** What pods can use when nothing in the node class changes it. */
  readonly allocatable: ResourceList;
  /** Where the root volume is made to measure: the ephemeral storage of a node whose pods need no more. Else undefined. */
  readonly leastStorage?: LeastStorage | undefined;
  /** Resources that only instances have whose NodeClaim requests some; undefined: none. */
  readonly onRequest?: ReadonlySet<string> | undefined;
  /** CSI driver → how many volumes of pods can be attached; undefined, or a driver that is not listed: not known. */
  readonly volumeLimits?: VolumeLimits | undefined;
  /** Devices that drivers publish on nodes of the type; undefined: none, or not known. */
  readonly devices?: NodeDevices | undefined;
  readonly offerings: readonly Offering[];
  /** What the cloud sells beside the offerings, at prices that are not known: preview types. None unless given. */
  readonly unpriced?: readonly UnpricedOffering[] | undefined;
  /** Set where the node class excludes the type: then it has no offerings, priced or not. */
  readonly excluded?: Exclusion | undefined;
}

/** Why nodes of a node class cannot be of an instance type. */
export interface Exclusion {
  /** The field of the node class: `spec.enclaveOptions.enabled`. */
  readonly setting: string;
  /** What the field needs and the type lacks: `Nitro Enclaves`. */
  readonly lacks: string;
  /** The offerings that the type would have. */
  readonly offerings: readonly Offering[];
}

/** The offering of the type, of unknown types none, in the zone as this capacity type: the first, where reservations make several. */
export function offeringIn(
  type: Pick<InstanceType, 'offerings'> | undefined,
  place: { readonly zone?: string | undefined; readonly capacityType?: string | undefined },
): Offering | undefined {
  return type?.offerings.find(
    ({ zone, capacityType }) => zone === place.zone && capacityType === place.capacityType,
  );
}

/** The id of a zone, as an offering of one of the types says it; undefined where none does. */
export function zoneIDOf(types: Iterable<InstanceType>, zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  for (const { offerings } of types) {
    const zoneID = offerings.find((offering) => offering.zone === zone)?.zoneID;
    if (zoneID !== undefined) return zoneID;
  }
  return undefined;
}
