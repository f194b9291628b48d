/**
 * Slots for devices (DynamicResources): of the devices that one question selects a node has so many, which pods take by the
 * requests that ask just that. Necessary and cheap to compare; whether devices satisfy all claims together is asked exactly once a pod
 * is put somewhere (rules/device-rooms.ts).
 */
import { deviceID, type NodeDevices } from '../../domain/devices/device.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { DeviceAlternative } from '../../domain/devices/claim.js';
import { deviceDemand, type DeviceDemand, type DeviceIndex } from '../devices/device-demand.js';
import { selectsDevice } from '../devices/device-selector.js';

/** No pod and no node has a resource of this name in its own lists. */
const PREFIX = 'devices that satisfy ';
/** Slots of a node with a device that many claims can share: more than a node has pods. */
const UNLIMITED = 10_000;

/** Spec → what its claims ask for, for specs that have claims which can be satisfied somewhere. */
export type SpecDevices = ReadonlyMap<number, readonly DeviceDemand[]>;

/** What claims ask for whichever nodes there are. */
export function specDevices(specs: readonly PodSpec[], index: DeviceIndex | undefined): SpecDevices {
  const result = new Map<number, readonly DeviceDemand[]>();
  if (index === undefined) return result;
  specs.forEach(({ resourceClaims }, spec) => {
    if (resourceClaims.length === 0) return;
    const demands = resourceClaims.flatMap((use) => {
      const demand = deviceDemand(index, use, () => true);
      return 'code' in demand ? [] : [demand];
    });
    if (demands.length > 0) result.set(spec, demands);
  });
  return result;
}

/** The resources of all questions that claims ask, by name. */
export function deviceResources(devices: SpecDevices): readonly string[] {
  const names = new Set<string>();
  for (const { requests } of [...devices.values()].flat())
    for (const alternative of requests.flatMap(({ alternatives }) => alternatives))
      names.add(nameOf(alternative));
  return [...names].sort();
}

function nameOf({ selectors }: DeviceAlternative): string {
  return PREFIX + JSON.stringify(selectors);
}

export function areDevices(resource: string): boolean {
  return resource.startsWith(PREFIX);
}

/** Enters into rows of amounts (objects × R) what each has of devices that are free. */
export function enterDevices(
  rows: Float64Array,
  resources: readonly string[],
  of: readonly { readonly devices?: NodeDevices | undefined }[],
): void {
  const width = resources.length;
  resources.forEach((resource, axis) => {
    if (!areDevices(resource)) return;
    const selectors = JSON.parse(resource.slice(PREFIX.length)) as readonly string[];
    of.forEach(({ devices }, row) => {
      rows[row * width + axis] = devices === undefined ? 0 : freeDevices(devices, selectors);
    });
  });
}

function freeDevices({ pools, taken, consumed }: NodeDevices, selectors: readonly string[]): number {
  let count = 0;
  for (const pool of pools)
    for (const device of pool.devices) {
      const id = deviceID(pool, device.name);
      if (taken.has(id) || (consumed.has(id) && !device.shareable)) continue;
      if (!selectors.every((each) => selectsDevice(each, device, pool.driver) === true)) continue;
      count += device.shareable ? UNLIMITED : 1;
    }
  return Math.min(UNLIMITED, count);
}

/** The rows of requests (specs × R) with the slots of what each spec's own claims ask for; a shared claim takes none. */
export function withDevices(
  requests: Float64Array,
  resources: readonly string[],
  devices: SpecDevices,
): Float64Array {
  if (devices.size === 0) return requests;
  const width = resources.length;
  const axes = new Map(resources.map((resource, axis) => [resource, axis]));
  const rows = requests.slice();
  for (const [spec, demands] of devices)
    for (const [name, amount] of slotsOf(demands)) {
      const at = spec * width + (axes.get(name) ?? 0);
      rows[at] = (rows[at] ?? 0) + amount;
    }
  return rows;
}

/** Slots that a pod certainly takes: not for claims that it may share, nor where a request has several alternatives. */
function slotsOf(demands: readonly DeviceDemand[]): readonly (readonly [string, number])[] {
  return demands.flatMap(({ isNamed, requests }) =>
    requests.flatMap(({ alternatives }) => {
      const [only, ...others] = alternatives;
      if (only === undefined || others.length > 0 || isNamed || only.adminAccess) return [];
      return [[nameOf(only), only.mode === 'All' ? 1 : only.count] as const];
    }),
  );
}

/** Pods with their specs, and where they are. */
interface PlacedSpecs {
  readonly specs: readonly PodSpec[];
  readonly specRequests: Float64Array;
  readonly claimed: SpecDevices;
  /** Pod row → spec. */
  readonly specOf: Int32Array;
  /** Pod row → node, or -1. */
  readonly node: Int32Array;
}

/** The rows of nodes (nodes × R), in which the devices of bound pods, which are in use, count as these pods' room. */
export function withDevicesInUse(
  room: Float64Array,
  resources: readonly string[],
  { specs, specRequests, claimed, specOf, node }: PlacedSpecs,
): Float64Array {
  if (claimed.size === 0) return room;
  const width = resources.length;
  const axes = resources.flatMap((resource, axis) => (areDevices(resource) ? [axis] : []));
  const rows = room.slice();
  specOf.forEach((spec, pod) => {
    const on = node[pod] ?? -1;
    if (on < 0 || !claimed.has(spec) || !isAllocated(specs[spec])) return;
    for (const axis of axes)
      rows[on * width + axis] = (rows[on * width + axis] ?? 0) + (specRequests[spec * width + axis] ?? 0);
  });
  return rows;
}

/** Whether kube-scheduler has allocated the claims of pods of the spec. */
export function isAllocated(spec: Pick<PodSpec, 'resourceClaims'> | undefined): boolean {
  return spec?.resourceClaims.some((use) => use.isAllocated === true) ?? false;
}
