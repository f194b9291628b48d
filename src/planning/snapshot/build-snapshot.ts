/** Interns domain objects into a snapshot; the order of the input changes nothing. */
import type { Labels } from '../../domain/labels.js';
import { podKey, type Pod, type PodSpec } from '../../domain/pod.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type ResourceList } from '../../domain/resources.js';
import type { ClusterInput, PoolOffer } from './cluster-input.js';
import type { PodColumns, Snapshot } from './snapshot.js';
import { specKey } from './spec-key.js';
import type { VolumeIndex } from './volume-index.js';

const FIRST_RESOURCES = [CPU, MEMORY, PODS, EPHEMERAL_STORAGE];

/** Builds the snapshot. Finished pods are left out, and pods bound to nodes that are not listed: they take no room that is known. */
export function buildSnapshot(input: ClusterInput): Snapshot {
  const nodes = [...input.nodes].sort(byName);
  const nodeIndex = new Map(nodes.map((node, index) => [node.name, index]));
  const daemonSets = [...input.daemonSets].sort((left, right) => compare(podKey(left), podKey(right)));
  const present = input.pods
    .filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed')
    .filter(({ nodeName }) => nodeName === undefined || nodeIndex.has(nodeName))
    .map((pod) => ({ pod, key: podKey(pod) }))
    .sort((left, right) => compare(left.key, right.key));
  const { specs, specOf } = internSpecs(present.map(({ pod }) => pod));
  const resources = resourceAxis([...specs, ...daemonSets.map(({ spec }) => spec)]);
  const daemonIndex = new Map(daemonSets.map((daemonSet, index) => [podKey(daemonSet), index]));
  const pods: PodColumns = {
    keys: present.map(({ key }) => key),
    spec: specOf,
    node: Int32Array.from(present, ({ pod }) =>
      pod.nodeName === undefined ? -1 : (nodeIndex.get(pod.nodeName) ?? -1),
    ),
    daemonSet: Int32Array.from(present, ({ pod }) => daemonSetOf(pod, daemonIndex)),
    terminating: Uint8Array.from(present, ({ pod }) => (pod.terminating ? 1 : 0)),
  };
  return {
    resources,
    specs,
    specRequests: amounts(
      resources,
      specs.map(({ requests }) => requests),
    ),
    pods,
    nodes,
    nodeAllocatable: amounts(
      resources,
      nodes.map(({ allocatable }) => allocatable),
    ),
    daemonSets,
    daemonRequests: amounts(
      resources,
      daemonSets.map(({ spec }) => spec.requests),
    ),
    pools: [...input.pools].sort(byWeight),
    volumes: volumeIndex(input),
    namespaces: namespaceLabels(input.namespaces, specs),
  };
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return compare(left.name, right.name);
}

function byWeight(left: PoolOffer, right: PoolOffer): number {
  return right.pool.weight - left.pool.weight || byName(left.pool, right.pool);
}

/** Specs by content, ordered by their key, so that the order of the pods does not show. */
function internSpecs(pods: readonly Pod[]): {
  readonly specs: readonly PodSpec[];
  readonly specOf: Int32Array;
} {
  const keyOf = new Map<PodSpec, string>();
  const byKey = new Map<string, PodSpec>();
  for (const { spec } of pods) {
    if (keyOf.has(spec)) continue;
    const key = specKey(spec);
    keyOf.set(spec, key);
    if (!byKey.has(key)) byKey.set(key, spec);
  }
  const keys = [...byKey.keys()].sort();
  const index = new Map(keys.map((key, position) => [key, position]));
  return {
    specs: keys.flatMap((key) => byKey.get(key) ?? []),
    specOf: Int32Array.from(pods, ({ spec }) => index.get(keyOf.get(spec) ?? '') ?? -1),
  };
}

function resourceAxis(specs: readonly PodSpec[]): readonly string[] {
  const others = new Set(specs.flatMap(({ requests }) => [...requests.keys()]));
  for (const name of FIRST_RESOURCES) others.delete(name);
  return [...FIRST_RESOURCES, ...[...others].sort()];
}

/** Rows of amounts on the axis: lists × R. */
export function amounts(resources: readonly string[], lists: readonly ResourceList[]): Float64Array {
  const result = new Float64Array(lists.length * resources.length);
  lists.forEach((list, row) => {
    resources.forEach((name, column) => {
      result[row * resources.length + column] = list.get(name) ?? 0;
    });
  });
  return result;
}

function daemonSetOf(pod: Pod, index: ReadonlyMap<string, number>): number {
  if (pod.owner?.kind !== 'DaemonSet') return -1;
  return index.get(`${pod.namespace}/${pod.owner.name}`) ?? -1;
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

/** Every namespace in use, with the label that the API server gives each. */
function namespaceLabels(
  known: ReadonlyMap<string, Labels>,
  specs: readonly PodSpec[],
): ReadonlyMap<string, Labels> {
  const result = new Map<string, Labels>();
  for (const name of new Set([...known.keys(), ...specs.map(({ namespace }) => namespace)])) {
    result.set(name, new Map([...(known.get(name) ?? []), ['kubernetes.io/metadata.name', name]]));
  }
  return result;
}
