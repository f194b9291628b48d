/** Devices of nodes as their drivers publish them (resource.k8s.io/v1), and which of them are in use. */
import type { NodeSelectorTerm } from '../pods/affinity.js';
import type { Quantity } from '../values/quantity.js';
import type { Taint } from '../values/taint.js';

/** What a driver says of a device under one name. */
export type DeviceAttribute =
  | { readonly type: 'string' | 'version'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: number };

/** How much of a capacity one use of a shareable device takes (CapacityRequestPolicy). */
export interface CapacityPolicy {
  /** What a request takes that does not name the capacity; undefined: all of it. */
  readonly default: Quantity | undefined;
  /** Amounts that can be taken, ascending; undefined where a range says it. */
  readonly validValues: readonly Quantity[] | undefined;
  readonly range:
    | { readonly min: Quantity; readonly max: Quantity | undefined; readonly step: Quantity | undefined }
    | undefined;
}

export interface DeviceCapacity {
  readonly value: Quantity;
  /** Matters where the device can be allocated more than once. */
  readonly policy: CapacityPolicy | undefined;
}

/** What a device takes of counters that several devices of its pool share. */
export interface CounterUse {
  readonly counterSet: string;
  readonly counters: ReadonlyMap<string, Quantity>;
}

export interface Device {
  /** Of its pool. */
  readonly name: string;
  /** `domain/name` → value; a name that a driver writes without a domain is in the driver's. */
  readonly attributes: ReadonlyMap<string, DeviceAttribute>;
  /** By `domain/name`, too. */
  readonly capacity: ReadonlyMap<string, DeviceCapacity>;
  /** They keep claims away that do not tolerate them. */
  readonly taints: readonly Taint[];
  /** Whether several claims can have it at once, each a share of its capacity (allowMultipleAllocations). */
  readonly shareable: boolean;
  readonly consumes: readonly CounterUse[];
}

/** The devices of one pool that one node reaches. */
export interface DevicePool {
  readonly driver: string;
  readonly name: string;
  readonly devices: readonly Device[];
  /** Set of counters → counter → what its devices have together. */
  readonly counters: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
  /** Whether other nodes reach the same devices. */
  readonly shared: boolean;
}

/** What claims that are allocated have of devices; ids are those of `deviceID`. */
export interface DevicesInUse {
  /** Devices that one claim has alone. */
  readonly taken: ReadonlySet<string>;
  /** Shareable device → capacity → how much of it is taken. */
  readonly consumed: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
}

/** The devices that a node has, or that nodes of an instance type will have. */
export interface NodeDevices extends DevicesInUse {
  readonly pools: readonly DevicePool[];
}

export const NO_DEVICES: NodeDevices = { pools: [], taken: new Set(), consumed: new Map() };

/** Devices of which none is in use. */
export function unusedDevices(pools: readonly DevicePool[]): NodeDevices {
  return { ...NO_DEVICES, pools };
}

/** Names a device of a cluster. */
export function deviceID({ driver, name }: Pick<DevicePool, 'driver' | 'name'>, device: string): string {
  return `${driver}/${name}/${device}`;
}

/** Name of an attribute or a capacity as `domain/name`: one without a domain is in this one. */
export function qualifiedName(name: string, domain: string): string {
  return name.includes('/') ? name : `${domain}/${name}`;
}

/** Where devices can be used: on one node, on nodes that match a term, on all nodes. */
export type DeviceReach =
  | { readonly nodeName: string }
  | { readonly terms: readonly NodeSelectorTerm[] }
  | { readonly everywhere: true };

/** A ResourceSlice: some of the devices of one pool, or counters of it. */
export interface ResourceSlice {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  /** Slices of a lower one than the pool's highest are out of date. */
  readonly generation: number;
  /** How many slices of this generation there are when the pool is complete. */
  readonly slices: number;
  /** undefined where each device has its own. */
  readonly reach: DeviceReach | undefined;
  readonly devices: readonly SlicedDevice[];
  readonly counters: DevicePool['counters'];
}

/** A device of a slice. */
export interface SlicedDevice extends Device {
  /** Where the slice leaves that to its devices. */
  readonly reach: DeviceReach | undefined;
}
