/**
 * Slots for volumes (NodeVolumeLimits): as many volumes as a CSI driver can attach to a node are a resource of the node,
 * which pods request by the volumes that they alone use. A volume that pods share takes a slot once it is attached.
 */
import type { NodeDevices } from '../../domain/devices/device.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { ClusterInput } from './cluster-input.js';
import { areDevices, enterDevices } from './device-slots.js';
import { amounts } from './resource-axis.js';
import { attachedVolume, type AttachedVolume, type VolumeIndex } from './volume-index.js';

/** As Kubernetes names the resource of a driver (AttachableVolumes); no pod and no node has it in its own lists. */
const PREFIX = 'attachable-volumes-csi-';
/** Slots of a node for whose driver no limit is known: more than a node has pods. */
const UNLIMITED = 10_000;

/** A node, or what one is launched as. */
interface Roomy {
  readonly allocatable: ResourceList;
  /** CSI driver → how many volumes can be attached. */
  readonly volumeLimits?: ReadonlyMap<string, number> | undefined;
  readonly devices?: NodeDevices | undefined;
}

/** Volumes of the specs that have some, by the index of the spec; one that a pod uses twice is listed once. */
export type SpecAttachments = ReadonlyMap<number, readonly AttachedVolume[]>;

export function specAttachments(specs: readonly PodSpec[], volumes: VolumeIndex): SpecAttachments {
  const result = new Map<number, readonly AttachedVolume[]>();
  specs.forEach(({ volumes: uses }, index) => {
    if (uses.length === 0) return;
    const byClaim = new Map(uses.map((use) => [use.claim, use]));
    result.set(
      index,
      [...byClaim.values()].map((use) => attachedVolume(volumes, use)),
    );
  });
  return result;
}

/** The resources of drivers that pods have volumes of and that some type or node limits, by name. */
export function slotResources(
  attachments: SpecAttachments,
  { pools, nodes }: Pick<ClusterInput, 'pools' | 'nodes'>,
): readonly string[] {
  if (attachments.size === 0) return NO_RESOURCES;
  const drivers = new Set([...attachments.values()].flat().flatMap(({ driver }) => driver ?? []));
  const isLimited = (driver: string): boolean =>
    pools.some(({ instanceTypes }) => instanceTypes?.some(({ volumeLimits }) => volumeLimits?.has(driver))) ||
    nodes.some(({ volumeLimits }) => volumeLimits.has(driver));
  return [...drivers]
    .filter(isLimited)
    .sort()
    .map((driver) => PREFIX + driver);
}

const NO_RESOURCES: readonly string[] = [];

/** CSI driver → where its slots are on the axis. */
export function slotsOn(resources: readonly string[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  resources.forEach((resource, index) => {
    if (isSlots(resource)) slots.set(resource.slice(PREFIX.length), index);
  });
  return slots;
}

function isSlots(resource: string): boolean {
  return resource.startsWith(PREFIX);
}

/** Whether the resource is one of planning alone: no node and no NodeClaim has it. */
export function isPlanningsOwn(resource: string): boolean {
  return isSlots(resource) || areDevices(resource);
}

/** What nodes or types have for pods: objects × R. */
export function roomRows(resources: readonly string[], of: readonly Roomy[]): Float64Array {
  const width = resources.length;
  const rows = amounts(
    resources,
    of.map(({ allocatable }) => allocatable),
  );
  for (const [driver, axis] of slotsOn(resources))
    of.forEach(({ volumeLimits }, row) => {
      rows[row * width + axis] = Math.min(UNLIMITED, volumeLimits?.get(driver) ?? UNLIMITED);
    });
  enterDevices(rows, resources, of);
  return rows;
}

/** The rows of requests (specs × R) with a slot for each volume that no other pod uses. */
export function withSlots(
  requests: Float64Array,
  resources: readonly string[],
  attachments: SpecAttachments,
): Float64Array {
  const slots = slotsOn(resources);
  if (slots.size === 0) return requests;
  const width = resources.length;
  const rows = requests.slice();
  for (const [index, volumes] of attachments)
    for (const { driver, shared } of volumes) {
      const axis = driver === undefined || shared ? undefined : slots.get(driver);
      if (axis !== undefined) rows[index * width + axis] = (rows[index * width + axis] ?? 0) + 1;
    }
  return rows;
}
