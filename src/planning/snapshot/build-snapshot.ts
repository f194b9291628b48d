/** Interns domain objects into a snapshot; the order of the input changes nothing. */
import { isFinished } from '../../domain/pods/pod.js';
import type { Gang } from '../../domain/pods/gang.js';
import { podKey, type Pod, type PodOwner, type PodSpec } from '../../domain/pods/pod.js';
import { deviceIndex } from '../devices/device-demand.js';
import type { ClusterInput, PoolOffer } from './cluster-input.js';
import { compareText } from './sorted-objects.js';
import { deviceResources, specDevices, withDevices, withDevicesInUse } from './device-slots.js';
import { amounts } from './resource-axis.js';
import { SnapshotCache } from './snapshot-cache.js';
import { COMES, LEAVES, type GangRows, type PodColumns, type Snapshot } from './snapshot.js';
import type { VolumeIndex } from './volume-index.js';
import { roomRows, slotResources, specAttachments, withSlots } from './volume-slots.js';

/**
 * Builds the snapshot. Finished pods are left out, and pods bound to nodes that are not listed: they take no room that is
 * known. With the cache of the snapshots before, lists that did not change are the same objects as in the last one.
 */
export function buildSnapshot(input: ClusterInput, cache = new SnapshotCache()): Snapshot {
  const { objects: nodes, keys: nodeNames } = cache.nodes.sort(input.nodes);
  const { objects: daemonSets, keys: daemonKeys } = cache.daemonSets.sort(input.daemonSets);
  const nodeIndex = new Map(nodeNames.map((name, index) => [name, index]));
  const { objects: pods, keys } = cache.pods.sort(input.pods.filter((pod) => isPresent(pod, nodeIndex)));
  const { specs, specOf } = cache.specs.intern(pods);
  const volumes = volumeIndex(input);
  const attachments = specAttachments(specs, volumes);
  const devices = input.devices && deviceIndex(input.devices);
  const claimed = specDevices(specs, devices);
  const slots = [...slotResources(attachments, input), ...deviceResources(claimed)];
  const resources = cache.axis.of(specs, daemonSets, slots);
  const requests = cache.specRows.rows(resources, specs, requestRows);
  const specRequests = withDevices(withSlots(requests, resources, attachments), resources, claimed);
  const columns = podColumns(pods, nodeIndex, daemonKeys);
  const room = cache.nodeRows.rows(resources, nodes, roomRows);
  return {
    resources,
    specs,
    specRequests,
    pods: { keys, isSorted: true, spec: specOf, ...columns },
    gangs: gangRows(pods, input.gangs),
    nodes,
    nodeAllocatable: withDevicesInUse(room, resources, {
      ...{ specs, specRequests, claimed, specOf },
      node: columns.node,
    }),
    daemonSets,
    daemonRequests: amounts(
      resources,
      daemonSets.map(({ spec }) => spec.requests),
    ),
    pools: [...input.pools].sort(byWeight),
    volumes,
    devices,
    namespaces: cache.namespaces.of(input.namespaces, specs),
  };
}

function requestRows(resources: readonly string[], specs: readonly PodSpec[]): Float64Array {
  return amounts(
    resources,
    specs.map(({ requests }) => requests),
  );
}

function isPresent(pod: Pod, nodeIndex: ReadonlyMap<string, number>): boolean {
  const { nodeName } = pod;
  if (isFinished(pod)) return false;
  return nodeName === undefined || nodeIndex.has(nodeName);
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return compareText(left.name, right.name);
}

function byWeight(left: PoolOffer, right: PoolOffer): number {
  return right.pool.weight - left.pool.weight || byName(left.pool, right.pool);
}

function podColumns(
  pods: readonly Pod[],
  nodeIndex: ReadonlyMap<string, number>,
  daemonKeys: readonly string[],
): Pick<PodColumns, 'node' | 'daemonSet' | 'terminating' | 'move'> {
  const daemonIndex = new Map(daemonKeys.map((key, index) => [key, index]));
  const node = new Int32Array(pods.length).fill(-1);
  const daemonSet = new Int32Array(pods.length).fill(-1);
  const terminating = new Uint8Array(pods.length);
  const move = new Uint8Array(pods.length);
  let row = 0;
  for (const pod of pods) {
    if (pod.nodeName !== undefined) node[row] = nodeIndex.get(pod.nodeName) ?? -1;
    if (pod.owner?.kind === 'DaemonSet') daemonSet[row] = daemonIndex.get(ownerKey(pod, pod.owner)) ?? -1;
    if (pod.terminating) terminating[row] = 1;
    else if (pod.move !== undefined) move[row] = pod.move === 'leaves' ? LEAVES : COMES;
    row++;
  }
  return { node, daemonSet, terminating, move };
}

function ownerKey({ namespace }: Pod, { name }: PodOwner): string {
  return podKey({ namespace, name });
}

function volumeIndex(input: ClusterInput): VolumeIndex {
  const users = new Map<string, number>();
  for (const { spec } of input.pods)
    for (const { claim } of spec.volumes) users.set(claim, (users.get(claim) ?? 0) + 1);
  return {
    claims: new Map(input.persistentVolumeClaims.map((claim) => [claim.name, claim])),
    volumes: new Map(input.persistentVolumes.map((volume) => [volume.name, volume])),
    free: input.persistentVolumes.filter(({ free }) => free !== undefined),
    classes: new Map(input.storageClasses.map((storageClass) => [storageClass.name, storageClass])),
    defaultClass: [...input.storageClasses].sort(byName).find(({ isDefault }) => isDefault),
    users,
  };
}

/** The gangs that have members among the pods, by key; `pods` are in the order of their rows. */
function gangRows(pods: readonly Pick<Pod, 'gang'>[], gangs: readonly Gang[] = []): readonly GangRows[] {
  if (gangs.length === 0) return [];
  const rows = new Map<string, number[]>(gangs.map(({ key }) => [key, []]));
  pods.forEach(({ gang }, row) => {
    if (gang !== undefined) rows.get(gang.key)?.push(row);
  });
  return gangs
    .map(({ key, minMembers }) => ({ key, minMembers, pods: Int32Array.from(rows.get(key) ?? []) }))
    .filter((gang) => gang.pods.length > 0)
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}
