/** What is watched for each kind, and how its objects are read. */
import {
  decodeProvisioningRequest,
  PROVISIONING_REQUEST_VERSIONS,
} from '../../../apis/autoscaling/provisioning-request.js';
import { decodeDecision } from '../../../apis/berth/decision.js';
import { decodeNodeClaim } from '../../../apis/berth/node-claim.js';
import { decodePolicyConfigMap } from '../../../apis/berth/policy-config-map.js';
import { decodeObservation, decodePolicyStatus } from '../../../apis/berth/policy-status.js';
import { decodeReservation } from '../../../apis/berth/reservation.js';
import { decodeDaemonSet } from '../../../apis/kubernetes/workloads/daemon-set.js';
import {
  decodeDeviceClass,
  decodeResourceClaim,
  decodeResourceClaimTemplate,
} from '../../../apis/kubernetes/devices/resource-claim.js';
import { decodeResourceSlice } from '../../../apis/kubernetes/devices/resource-slice.js';
import type { Decoded } from '../../../apis/kubernetes/object/finding.js';
import { decodeLease } from '../../../apis/kubernetes/nodes/lease.js';
import { decodeObservedNamespace } from '../../../apis/kubernetes/object/observed-namespace.js';
import { decodeObservedPod } from '../../../apis/kubernetes/pods/observed-pod.js';
import { decodeService } from '../../../apis/kubernetes/object/service.js';
import { podContext, type PodContext } from '../../../apis/kubernetes/pods/pod-context.js';
import { decodePodGroup, decodeSchedulingPodGroup } from '../../../apis/kubernetes/pods/pod-group.js';
import { decodePodDisruptionBudget } from '../../../apis/kubernetes/pods/pod-disruption-budget.js';
import {
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
  decodeVolumeAttachment,
} from '../../../apis/kubernetes/volumes/storage.js';
import { decodeCapacityBuffer } from '../../../apis/autoscaling/capacity-buffer.js';
import { decodeHorizontalPodAutoscaler } from '../../../apis/kubernetes/workloads/horizontal-pod-autoscaler.js';
import { decodePodTemplate } from '../../../apis/kubernetes/workloads/observed-pod-template.js';
import { decodeWorkloadCount } from '../../../apis/kubernetes/workloads/workload-count.js';
import { POLICY_LABEL } from '../../../apis/policies/policy-documents.js';
import type { PodGroup } from '../../../domain/pods/gang.js';
import { OBSERVATION_NAME } from '../../../domain/records/observation.js';
import type { DEVICE_KINDS, ObservedKind, ObservedKinds } from '../../../ports/cluster-feed.js';
import type { JsonObject, PolicyConfigMap } from '../../../domain/policies/policy.js';
import { pathSegment, type ReflectedResource } from '../transport/index.js';
import { asPolicyConfigMap, collectionOf, type CustomPolicyKind } from './custom-policies.js';

/** One collection of the API. */
export interface WatchedResource<T> extends ReflectedResource {
  /** Kind of its objects, for logs and metrics. */
  readonly name: string;
  decode(object: unknown): Decoded<T>;
  /** Of policies that stand in no ConfigMap: the ConfigMap that they are read as. */
  readonly asConfigMap?: ((object: unknown) => JsonObject) | undefined;
}

/**
 * Pods that have ended take no room, and count for no spread and no budget; clusters keep thousands of them for their logs.
 * kube-scheduler watches the same ones. A pod that ends is deleted for such a watch.
 */
const UNFINISHED = 'status.phase!=Succeeded,status.phase!=Failed';

/** Of scheduling.k8s.io, as far as they have PodGroups: Kubernetes 1.36, and later ones. Both say the same in the same fields. */
const SCHEDULING_VERSIONS = ['v1alpha2', 'v1beta1'] as const;

/** Of CapacityBuffers, as the Cluster Autoscaler and Karpenter serve them. */
const BUFFER_VERSIONS = ['v1beta1', 'v1'] as const;

/** Kinds that are watched as they are; nodes are joined from two collections (node-join.ts). */
export type PlainKind = Exclude<ObservedKind, 'Node'>;

const WORKLOADS = [
  ['ReplicaSet', '/apis/apps/v1/replicasets'],
  ['StatefulSet', '/apis/apps/v1/statefulsets'],
  ['Job', '/apis/batch/v1/jobs'],
] as const;

type WatchedResources = { readonly [K in PlainKind]: readonly WatchedResource<ObservedKinds[K]>[] };

/** All collections of all kinds; `namespace` is Berth's own, `customPolicies` are kinds that policies are read from as well. */
export function watchedResources(
  namespace: string,
  customPolicies: readonly CustomPolicyKind[] = [],
): WatchedResources {
  // Equal templates are one PodSpec, over pods and DaemonSets alike. Admission has resolved the priorities of pods.
  const context = podContext();
  const own = `namespaces/${pathSegment(namespace)}`;
  return {
    Pod: [
      {
        ...watched('Pod', '/api/v1/pods', (object) => decodeObservedPod(object, context)),
        query: { fieldSelector: UNFINISHED },
      },
    ],
    Namespace: [watched('Namespace', '/api/v1/namespaces', decodeObservedNamespace)],
    DaemonSet: [
      watched('DaemonSet', '/apis/apps/v1/daemonsets', (object) => decodeDaemonSet(object, context)),
    ],
    Workload: WORKLOADS.map(([kind, path]) => workload(kind, path)),
    Service: [optional('Service', '/api/v1/services', decodeService)],
    // The CRD of the coscheduling plugin, and Kubernetes' own kind: few clusters have either.
    PodGroup: [
      podGroups('/apis/scheduling.x-k8s.io/v1alpha1', decodePodGroup),
      ...SCHEDULING_VERSIONS.map((version) =>
        podGroups(`/apis/scheduling.k8s.io/${version}`, decodeSchedulingPodGroup),
      ),
    ],
    ...requestedRoom(context),
    PodDisruptionBudget: [
      watched('PodDisruptionBudget', '/apis/policy/v1/poddisruptionbudgets', decodePodDisruptionBudget),
    ],
    ...storage(),
    ...devices(),
    ...autoscaling(),
    NodeClaim: [watched('NodeClaim', '/apis/berth.sh/v1/nodeclaims', decodeNodeClaim)],
    Reservation: [watched('Reservation', '/apis/berth.sh/v1/reservations', decodeReservation)],
    PolicyStatus: [watched('PolicyStatus', '/apis/berth.sh/v1/policystatuses', decodePolicyStatus)],
    Observation: [
      {
        ...watched('Observation', '/apis/berth.sh/v1/policystatuses', decodeObservation),
        query: { fieldSelector: `metadata.name=${OBSERVATION_NAME}` },
      },
    ],
    Decision: [watched('Decision', '/apis/berth.sh/v1/decisions', decodeDecision)],
    Lease: [watched('Lease', `/apis/coordination.k8s.io/v1/${own}/leases`, decodeLease)],
    PolicyConfigMap: [
      {
        ...watched('PolicyConfigMap', `/api/v1/${own}/configmaps`, decodePolicyConfigMap),
        query: { labelSelector: `${POLICY_LABEL}=true` },
      },
      ...customPolicies.map(customPolicy),
    ],
  };
}

/** Both versions show the same objects, where both are served. */
function requestedRoom(context: PodContext): Pick<WatchedResources, 'PodTemplate' | 'ProvisioningRequest'> {
  return {
    PodTemplate: [
      optional('PodTemplate', '/api/v1/podtemplates', (object) => decodePodTemplate(object, context)),
    ],
    ProvisioningRequest: PROVISIONING_REQUEST_VERSIONS.map((version) =>
      optional('ProvisioningRequest', `/apis/${version}/provisioningrequests`, decodeProvisioningRequest),
    ),
  };
}

type Devices = (typeof DEVICE_KINDS)[number];

/** Kubernetes serves them from 1.34 on. */
function devices(): Pick<WatchedResources, Devices> {
  const group = '/apis/resource.k8s.io/v1';
  return {
    ResourceClaim: [optional('ResourceClaim', `${group}/resourceclaims`, decodeResourceClaim)],
    ResourceClaimTemplate: [
      optional('ResourceClaimTemplate', `${group}/resourceclaimtemplates`, decodeResourceClaimTemplate),
    ],
    DeviceClass: [optional('DeviceClass', `${group}/deviceclasses`, decodeDeviceClass)],
    ResourceSlice: [optional('ResourceSlice', `${group}/resourceslices`, decodeResourceSlice)],
  };
}

type Storage = 'PersistentVolume' | 'PersistentVolumeClaim' | 'StorageClass' | 'VolumeAttachment';

function storage(): Pick<WatchedResources, Storage> {
  return {
    PersistentVolume: [watched('PersistentVolume', '/api/v1/persistentvolumes', decodePersistentVolume)],
    PersistentVolumeClaim: [
      watched('PersistentVolumeClaim', '/api/v1/persistentvolumeclaims', decodePersistentVolumeClaim),
    ],
    StorageClass: [watched('StorageClass', '/apis/storage.k8s.io/v1/storageclasses', decodeStorageClass)],
    VolumeAttachment: [
      optional('VolumeAttachment', '/apis/storage.k8s.io/v1/volumeattachments', decodeVolumeAttachment),
    ],
  };
}

function autoscaling(): Pick<WatchedResources, 'HorizontalPodAutoscaler' | 'CapacityBuffer'> {
  return {
    HorizontalPodAutoscaler: [
      optional(
        'HorizontalPodAutoscaler',
        '/apis/autoscaling/v2/horizontalpodautoscalers',
        decodeHorizontalPodAutoscaler,
      ),
    ],
    CapacityBuffer: BUFFER_VERSIONS.map(capacityBuffers),
  };
}

/** A cluster need not have the kind. */
function customPolicy(kind: CustomPolicyKind): WatchedResource<ObservedKinds['PolicyConfigMap']> {
  const asConfigMap = (object: unknown): JsonObject => asPolicyConfigMap(kind, object);
  const path = `/apis/${kind.apiVersion}/${kind.plural}`;
  const decode = (object: unknown): Decoded<PolicyConfigMap> => decodePolicyConfigMap(asConfigMap(object));
  return { ...watched(collectionOf(kind), path, decode), asConfigMap, isOptional: true };
}

function watched<T>(name: string, path: string, decode: (object: unknown) => Decoded<T>): WatchedResource<T> {
  return { name, path, decode };
}

/** What Berth works without: the cluster need not have the kind, nor Berth, whose rights may be older than it, see it. */
function optional<T>(
  name: string,
  path: string,
  decode: (object: unknown) => Decoded<T>,
): WatchedResource<T> {
  return { ...watched(name, path, decode), isOptional: true };
}

function podGroups(group: string, decode: (object: unknown) => Decoded<PodGroup>): WatchedResource<PodGroup> {
  return optional('PodGroup', `${group}/podgroups`, decode);
}

function capacityBuffers(version: string): WatchedResource<ObservedKinds['CapacityBuffer']> {
  const group = `autoscaling.x-k8s.io/${version}`;
  return optional('CapacityBuffer', `/apis/${group}/capacitybuffers`, (object) =>
    decodeCapacityBuffer(group, object),
  );
}

function workload(
  kind: ObservedKinds['Workload']['kind'],
  path: string,
): WatchedResource<ObservedKinds['Workload']> {
  return watched(kind, path, (object) => decodeWorkloadCount(kind, object));
}
