/** How what is seen of the cluster comes in: adapters call, state implements. */
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate } from '../domain/devices/claim.js';
import type { ResourceSlice } from '../domain/devices/device.js';
import type { CapacityBuffer } from '../domain/pods/capacity-buffer.js';
import type { DaemonSet } from '../domain/pods/daemon-set.js';
import type { Decision } from '../domain/records/decision.js';
import type { PodGroup } from '../domain/pods/gang.js';
import type { HorizontalPodAutoscaler } from '../domain/pods/surge.js';
import type { Labels } from '../domain/values/labels.js';
import type { Lease } from '../domain/records/lease.js';
import type { NodeClaim } from '../domain/nodes/node-claim.js';
import type { Observation } from '../domain/records/observation.js';
import type { ObservedNode } from '../domain/nodes/observed-node.js';
import type { ObservedPod } from '../domain/pods/observed-pod.js';
import type { PodTemplate } from '../domain/pods/pod-template.js';
import type { ProvisioningRequest } from '../domain/pods/provisioning-request.js';
import type { PodDisruptionBudget } from '../domain/pods/pod-disruption-budget.js';
import type { PolicyConfigMap, PolicyStatus } from '../domain/policies/policy.js';
import type { Service } from '../domain/pods/default-spread.js';
import type { Reservation } from '../domain/records/reservation.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../domain/pods/volume.js';
import type { Workload } from '../domain/pods/workload.js';

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
  readonly uid: string;
  readonly annotations?: Labels | undefined;
}

/** The objects of each kind. A node carries the limits of its CSINode. */
export interface ObservedKinds {
  readonly Pod: ObservedPod;
  readonly Node: ObservedNode;
  readonly Namespace: Namespace;
  readonly DaemonSet: DaemonSet;
  readonly Workload: Workload;
  readonly Service: Service;
  readonly PodGroup: PodGroup;
  readonly PodTemplate: PodTemplate;
  readonly ProvisioningRequest: ProvisioningRequest;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly StorageClass: StorageClass;
  readonly VolumeAttachment: VolumeAttachment;
  readonly ResourceClaim: ResourceClaim;
  readonly ResourceClaimTemplate: ResourceClaimTemplate;
  readonly DeviceClass: DeviceClass;
  readonly ResourceSlice: ResourceSlice;
  readonly HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  readonly CapacityBuffer: CapacityBuffer;
  readonly NodeClaim: NodeClaim;
  readonly Reservation: Reservation;
  readonly PolicyConfigMap: PolicyConfigMap;
  readonly PolicyStatus: PolicyStatus;
  readonly Observation: Observation;
  readonly Decision: Decision;
  readonly Lease: Lease;
}
export type ObservedKind = keyof ObservedKinds;

/** What claims of devices are planned from: watched only where they are planned. */
export const DEVICE_KINDS = [
  'ResourceClaim',
  'ResourceClaimTemplate',
  'DeviceClass',
  'ResourceSlice',
] as const satisfies readonly ObservedKind[];

/**
 * Every call changes the picture at once. Objects with a resourceVersion that is older than the known one are ignored,
 * so that what a write answered and what the watch says later may come in any order.
 */
export interface ClusterFeed {
  /** `key`: `observedKey` of the object, from who has it already. */
  put<K extends ObservedKind>(kind: K, object: ObservedKinds[K], key?: string): void;
  /**
   * `key` is `observedKey` of the object. With a uid only that object goes: another one that has come under its name
   * meanwhile stays.
   */
  delete(kind: ObservedKind, key: string, uid?: string): void;
  /** Everything that the first list of the kind held has been put. */
  synced(kind: ObservedKind): void;
}

const IN_NAMESPACES: ReadonlySet<ObservedKind> = new Set([
  'Pod',
  'DaemonSet',
  'PodGroup',
  'PodTemplate',
  'ProvisioningRequest',
  'PodDisruptionBudget',
  'Service',
  'HorizontalPodAutoscaler',
  'CapacityBuffer',
]);

/** `namespace/name` of namespaced kinds (`Kind/namespace/name` of workloads), the name of others. */
export function observedKey<K extends ObservedKind>(kind: K, object: ObservedKinds[K]): string {
  const { name } = object;
  if (kind === 'Workload') {
    const { kind: own, namespace } = object as Workload;
    return `${own}/${namespace}/${name}`;
  }
  // The name of a PersistentVolumeClaim, a ResourceClaim or its template is `namespace/name` already.
  if (IN_NAMESPACES.has(kind)) return `${(object as { readonly namespace: string }).namespace}/${name}`;
  return name;
}
