/** The cluster at one moment as interned ids and columns: with options, the only input of planning. */
import type { DaemonSet } from '../../domain/pods/daemon-set.js';
import type { Gang } from '../../domain/pods/gang.js';
import type { Labels } from '../../domain/values/labels.js';
import type { Node } from '../../domain/nodes/node.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { DeviceIndex } from '../devices/device-demand.js';
import type { PoolOffer } from './cluster-input.js';
import type { VolumeIndex } from './volume-index.js';

/** One row per pod, sorted by key. */
export interface PodColumns {
  /** `namespace/name`. */
  readonly keys: readonly string[];
  /** Whether the keys ascend. */
  readonly isSorted: boolean;
  /** Index into `Snapshot.specs`. */
  readonly spec: Int32Array;
  /** Index into `Snapshot.nodes`, or -1 while pending. */
  readonly node: Int32Array;
  /** Index into `Snapshot.daemonSets` of the DaemonSet that owns the pod, or -1. */
  readonly daemonSet: Int32Array;
  /** 1 for pods that are being deleted: they hold room, but topology spread no longer counts them. */
  readonly terminating: Uint8Array;
  /** LEAVES or COMES for pods that are on their way to another node, 0 for all others. */
  readonly move: Uint8Array;
}

/** The pod runs here, and its successor is to come to another node. */
export const LEAVES = 1;
/** The pod does not exist yet: it comes in the place of one that leaves another node. */
export const COMES = 2;

/** A gang with the rows of its pods. */
export interface GangRows extends Gang {
  /** Pod rows of its members, pending and bound, ascending. */
  readonly pods: Int32Array;
}

/** Immutable. R is `resources.length`; amounts are in the units of ResourceList. */
export interface Snapshot {
  /** The resource axis: cpu, memory, pods, ephemeral-storage, then whatever else is asked for, slots for volumes and for devices, by name. */
  readonly resources: readonly string[];
  /** Distinct pod specs. */
  readonly specs: readonly PodSpec[];
  /** specs × R. */
  readonly specRequests: Float64Array;
  readonly pods: PodColumns;
  /** By key; none in a snapshot whose pods are planned one by one. */
  readonly gangs: readonly GangRows[];
  /** Sorted by name. */
  readonly nodes: readonly Node[];
  /** nodes × R. */
  readonly nodeAllocatable: Float64Array;
  /** Sorted by namespace and name. */
  readonly daemonSets: readonly DaemonSet[];
  /** daemonSets × R. */
  readonly daemonRequests: Float64Array;
  /** By weight, highest first, then by name. */
  readonly pools: readonly PoolOffer[];
  readonly volumes: VolumeIndex;
  /** What ResourceClaims ask for; undefined: pods with claims are not planned. */
  readonly devices: DeviceIndex | undefined;
  /** Namespace → labels; every namespace of a spec is there. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}
