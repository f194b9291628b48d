/** Whether two snapshots are one to planning, though objects of the cluster have been written to in between. */
import type { Node } from '../../domain/nodes/node.js';
import { isSameList, isSameMap } from '../../domain/values/same.js';
import type { Taint } from '../../domain/values/taint.js';
import type { PoolOffer } from './cluster-input.js';
import type { PodColumns, Snapshot } from './snapshot.js';
import type { VolumeIndex } from './volume-index.js';

/** True only if every plan of one is a plan of the other. Objects other than nodes, which kubelets write to, are known by identity. */
export function isSameSnapshot(one: Snapshot, other: Snapshot): boolean {
  return isSame(SNAPSHOT, one, other);
}

/** A field that is added has to be compared, too. */
type Comparison<T> = { readonly [Field in keyof T]-?: (one: T[Field], other: T[Field]) => boolean };

function isSame<T extends object>(comparison: Comparison<T>, one: T, other: T): boolean {
  if (one === other) return true;
  return (Object.keys(comparison) as (keyof T)[]).every((field) =>
    comparison[field](one[field], other[field]),
  );
}

/** Of lists and sets that there may be. */
function isSameIfAny<T>(one: Iterable<T> | undefined, other: Iterable<T> | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && isSameList([...one], [...other]);
}

const TAINT: Comparison<Taint> = { key: Object.is, value: Object.is, effect: Object.is };

const NODE: Comparison<Node> = {
  name: Object.is,
  labels: isSameMap,
  taints: (one, other) => isSameList(one, other, (left, right) => isSame(TAINT, left, right)),
  unschedulable: Object.is,
  allocatable: isSameMap,
  capacity: isSameMap,
  providerID: Object.is,
  volumeLimits: isSameMap,
  devices: Object.is,
  declaredFeatures: isSameIfAny,
};

const GROUP: Comparison<NonNullable<PoolOffer['placementGroup']>> = {
  id: Object.is,
  partitions: Object.is,
  full: Object.is,
};

const NONE: ReadonlyMap<string, number> = new Map();

const OFFER: Comparison<PoolOffer> = {
  pool: Object.is,
  instanceTypes: isSameIfAny,
  dedicatedTypes: isSameIfAny,
  nodeClassProblem: Object.is,
  placementGroup: (one, other) =>
    one === other || (one !== undefined && other !== undefined && isSame(GROUP, one, other)),
  frozen: Object.is,
  inFlight: (one = NONE, other = NONE) => isSameMap(one, other),
};

const PODS: Comparison<PodColumns> = {
  keys: isSameList,
  isSorted: Object.is,
  spec: isSameList,
  node: isSameList,
  daemonSet: isSameList,
  terminating: isSameList,
  move: isSameList,
};

const VOLUMES: Comparison<VolumeIndex> = {
  claims: isSameMap,
  volumes: isSameMap,
  free: isSameList,
  classes: isSameMap,
  defaultClass: Object.is,
  users: isSameMap,
};

const SNAPSHOT: Comparison<Snapshot> = {
  resources: isSameList,
  specs: isSameList,
  specRequests: isSameList,
  pods: (one, other) => isSame(PODS, one, other),
  // Those that go are planned without their gangs.
  gangs: (one, other) => one.length + other.length === 0,
  nodes: (one, other) => isSameList(one, other, (left, right) => isSame(NODE, left, right)),
  nodeAllocatable: isSameList,
  daemonSets: isSameList,
  daemonRequests: isSameList,
  pools: (one, other) => isSameList(one, other, (left, right) => isSame(OFFER, left, right)),
  volumes: (one, other) => isSame(VOLUMES, one, other),
  devices: Object.is,
  namespaces: isSameMap,
};
