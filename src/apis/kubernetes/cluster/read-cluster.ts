/** Manifests → everything of a cluster but its policies: nodes, pods, and what decides where pods may go. */
import type { DeviceObjects, ResourceClaim } from '../../../domain/devices/claim.js';
import { PublishedDevices } from '../../../domain/devices/published-devices.js';
import { isFinished } from '../../../domain/pods/pod.js';
import type { DaemonSet } from '../../../domain/pods/daemon-set.js';
import { gangKey, gangsOf, minimumsOf, type Gang, type PodGroup } from '../../../domain/pods/gang.js';
import { append } from '../../../domain/values/lists.js';
import { HOSTNAME, type Labels } from '../../../domain/values/labels.js';
import type { Node } from '../../../domain/nodes/node.js';
import type { PodDisruptionBudget } from '../../../domain/pods/pod-disruption-budget.js';
import { podKey, type Pod } from '../../../domain/pods/pod.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../domain/pods/volume.js';
import type { Document } from '../../documents/document.js';
import type { Issue } from '../../issue.js';
import {
  decodeDeviceClass,
  decodeResourceClaim,
  decodeResourceClaimTemplate,
} from '../devices/resource-claim.js';
import { decodeResourceSlice } from '../devices/resource-slice.js';
import { decodeDaemonSet } from '../workloads/daemon-set.js';
import {
  expandWorkloads,
  withGangsOfJobs,
  withJobSets,
  workloadsOf,
  type ReadDocument,
} from '../workloads/expand-workloads.js';
import { member, rootField, type Field } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readJobSet } from '../workloads/job-set.js';
import { decodeNamespace } from '../object/namespace.js';
import { decodeCSINode, decodeNode } from '../nodes/node.js';
import { ObjectIndex, type ObjectKind } from '../object/object-index.js';
import { podContext, type PodContext } from '../pods/pod-context.js';
import { decodePodDisruptionBudget } from '../pods/pod-disruption-budget.js';
import { decodePodGroup, decodeSchedulingPodGroup } from '../pods/pod-group.js';
import { namesOwnLabel } from '../workloads/pod-template.js';
import { decodePod } from '../pods/pod.js';
import { decodePriorityClass, prioritiesOf } from '../pods/priority-class.js';
import {
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
} from '../volumes/storage.js';
import { readWorkload, type Workload, type WorkloadKind } from '../pods/workload.js';

export interface ClusterObjects {
  /** Listed pods that have not finished, bound or not, and the pods that workloads are still going to make. */
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly nodes: readonly Node[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly storageClasses: readonly StorageClass[];
  /** What ResourceClaims ask for. */
  readonly devices: DeviceObjects;
  /** Labels of the listed namespaces. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Of the pods; a pod whose gang is not here is planned alone. */
  readonly gangs: readonly Gang[];
}

export interface ReadClusterResult {
  readonly cluster: ClusterObjects;
  readonly issues: readonly Issue[];
}

/**
 * Reads all documents of kinds that matter to scheduling; the order of the documents decides nothing but the order of
 * the results. Policies are left to their own reader, other kinds are passed over. An object with an error is in the
 * cluster as far as it could be read, so callers look at the issues first.
 */
export function readCluster(documents: readonly Document[]): ReadClusterResult {
  const reader = new ClusterReader(new ObjectIndex(documents));
  return reader.read();
}

const WORKLOADS: readonly (readonly [WorkloadKind, ObjectKind])[] = [
  ['Deployment', 'apps/Deployment'],
  ['ReplicaSet', 'apps/ReplicaSet'],
  ['StatefulSet', 'apps/StatefulSet'],
  ['Job', 'batch/Job'],
];

class ClusterReader {
  readonly #objects: ObjectIndex;

  constructor(objects: ObjectIndex) {
    this.#objects = objects;
  }

  read(): ReadClusterResult {
    const persistentVolumeClaims = this.#decode('/PersistentVolumeClaim', decodePersistentVolumeClaim);
    const storageClasses = this.#decode('storage.k8s.io/StorageClass', decodeStorageClass);
    const podGroups = this.#podGroups();
    const context = this.#podContext(persistentVolumeClaims, storageClasses, podGroups);
    const devices = this.#devices();
    const nodes = this.#nodes(devices.claims);
    const pods = this.#pods(context, nodes);
    const namespaces = this.#decode('/Namespace', decodeNamespace);
    const cluster: ClusterObjects = {
      pods,
      daemonSets: this.#decode('apps/DaemonSet', (value) => decodeDaemonSet(value, context)),
      nodes,
      persistentVolumes: this.#decode('/PersistentVolume', decodePersistentVolume),
      persistentVolumeClaims,
      storageClasses,
      devices,
      namespaces: new Map(namespaces.map((item) => [item.name, item.labels])),
      podDisruptionBudgets: this.#decode('policy/PodDisruptionBudget', decodePodDisruptionBudget),
      gangs: gangsOf(pods, minimumsOf(podGroups)),
    };
    return { cluster, issues: this.#objects.issues };
  }

  #decode<T>(kind: ObjectKind, decode: (value: unknown) => Decoded<T>): readonly T[] {
    return this.#objects.of(kind).flatMap((document) => {
      const { value, findings } = decode(document.value);
      this.#objects.report(document, findings);
      return value === undefined ? [] : [value];
    });
  }

  #podGroups(): readonly PodGroup[] {
    return [
      ...this.#decode('scheduling.x-k8s.io/PodGroup', decodePodGroup),
      ...this.#decode('scheduling.sigs.k8s.io/PodGroup', decodePodGroup),
      ...this.#decode('scheduling.k8s.io/PodGroup', decodeSchedulingPodGroup),
    ];
  }

  #podContext(
    claims: readonly PersistentVolumeClaim[],
    classes: readonly StorageClass[],
    podGroups: readonly PodGroup[],
  ): PodContext {
    const priorities = prioritiesOf(this.#decode('scheduling.k8s.io/PriorityClass', decodePriorityClass));
    const defaults = classes.filter((item) => item.isDefault).map((item) => item.name);
    const storage = {
      defaultClass: defaults.sort()[0] ?? '',
      claims: new Set(claims.map((claim) => claim.name)),
    };
    return podContext({
      priorities,
      storage,
      podGroups: new Set(podGroups.map(({ namespace, name }) => gangKey('PodGroup', namespace, name))),
    });
  }

  #devices(): DeviceObjects {
    return {
      claims: this.#decode('resource.k8s.io/ResourceClaim', decodeResourceClaim),
      templates: this.#decode('resource.k8s.io/ResourceClaimTemplate', decodeResourceClaimTemplate),
      classes: this.#decode('resource.k8s.io/DeviceClass', decodeDeviceClass),
    };
  }

  #nodes(claims: readonly ResourceClaim[]): readonly Node[] {
    const slices = this.#decode('resource.k8s.io/ResourceSlice', decodeResourceSlice);
    const published = new PublishedDevices(slices, claims);
    const csiNodes = this.#decode('storage.k8s.io/CSINode', decodeCSINode);
    const limits = new Map(csiNodes.map((item) => [item.name, item.volumeLimits]));
    const leaving = this.#leavingNodes();
    return this.#decode('/Node', (value) => decodeNode(value)).map((node) => ({
      ...node,
      // Every kubelet sets it when it registers; manifests written by hand leave it out.
      labels: node.labels.has(HOSTNAME) ? node.labels : new Map([...node.labels, [HOSTNAME, node.name]]),
      volumeLimits: limits.get(node.name) ?? node.volumeLimits,
      unschedulable: node.unschedulable || leaving.has(node.name),
      devices: published.of(node, undefined),
    }));
  }

  /** Nodes that are being deleted take no pods any more, as if they were cordoned. */
  #leavingNodes(): ReadonlySet<unknown> {
    const metadata = this.#objects.of('/Node').map(({ value }) => member(rootField(value), 'metadata'));
    const isLeaving = (field: Field): boolean => member(field, 'deletionTimestamp').value !== undefined;
    return new Set(metadata.filter(isLeaving).map((field) => member(field, 'name').value));
  }

  #pods(context: PodContext, nodes: readonly Node[]): readonly Pod[] {
    const documents = new Map<Pod, Document>();
    for (const document of this.#objects.of('/Pod')) {
      const { value, findings } = decodePod(document.value, context);
      this.#objects.report(document, findings);
      if (value !== undefined) documents.set(value, document);
    }
    const listed = [...documents.keys()];
    const present = listed.filter((pod) => !isFinished(pod));
    this.#warnOfMissingNodes(present, documents, new Set(nodes.map((node) => node.name)));
    const read = this.#workloads();
    const made = this.#workloadPods(read, listed, context);
    return [...withGangsOfJobs(present, workloadsOf(read)), ...made];
  }

  #workloads(): readonly ReadDocument[] {
    const read = WORKLOADS.flatMap(([kind, id]) =>
      this.#objects.of(id).map((document) => ({ document, ...readWorkload(kind, document.value) })),
    );
    const ofJobSets = this.#objects
      .of('jobset.x-k8s.io/JobSet')
      .flatMap((document) => readJobSet(document.value).map((each) => ({ document, ...each })));
    return withJobSets(read, ofJobSets);
  }

  #workloadPods(read: readonly ReadDocument[], pods: readonly Pod[], context: PodContext): readonly Pod[] {
    this.#warnOfReplicationControllers();
    const workloads = workloadsOf(read);
    const ownLabels = workloads.some(mayDiffer) && this.#selectorsNameOwnLabels(workloads);
    const made = expandWorkloads({ workloads, pods, context, ownLabels });
    for (const { document, findings } of read) this.#objects.report(document, findings);
    return made;
  }

  #selectorsNameOwnLabels(workloads: readonly Workload[]): boolean {
    const templates = [
      ...workloads.map((workload) => workload.template.value),
      ...this.#objects.of('apps/DaemonSet').map((document) => valueAt(document.value, 'spec', 'template')),
    ];
    const specs = [
      ...this.#objects.of('/Pod').map((document) => document.value['spec']),
      ...templates.map((template) => valueAt(template, 'spec')),
    ];
    const selections = [
      ...specs.flatMap((spec) => [valueAt(spec, 'affinity'), valueAt(spec, 'topologySpreadConstraints')]),
      ...this.#objects
        .of('policy/PodDisruptionBudget')
        .map((document) => valueAt(document.value, 'spec', 'selector')),
    ];
    return namesOwnLabel(JSON.stringify(selections));
  }

  /** Once per node: a dump of a cluster's pods without its nodes would otherwise drown everything else. */
  #warnOfMissingNodes(
    pods: readonly Pod[],
    documents: ReadonlyMap<Pod, Document>,
    nodes: ReadonlySet<string>,
  ): void {
    const missing = new Map<string, Pod[]>();
    for (const pod of pods) {
      if (pod.nodeName === undefined || nodes.has(pod.nodeName)) continue;
      append(missing, pod.nodeName, pod);
    }
    for (const [node, bound] of missing) {
      const first = bound.reduce((a, b) => (podKey(a) < podKey(b) ? a : b));
      const document = documents.get(first);
      const path = ['spec', 'nodeName'];
      const text = `names Node ${node}, which is not listed: ${leftOut(bound.length, podKey(first))}`;
      if (document !== undefined)
        this.#objects.report(document, [{ severity: 'warning', code: 'unknown-reference', path, text }]);
    }
  }

  #warnOfReplicationControllers(): void {
    for (const document of this.#objects.of('/ReplicationController')) {
      const text = 'ReplicationController is not expanded into pods: use a Deployment, or list its pods';
      this.#objects.report(document, [
        { severity: 'warning', code: 'unsupported-kind', path: ['kind'], text },
      ]);
    }
  }
}

function leftOut(count: number, first: string): string {
  return count === 1 ? `${first} is left out` : `its ${String(count)} pods (${first} first) are left out`;
}

function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  let field = rootField(value);
  for (const key of keys) field = member(field, key);
  return field.value;
}

function mayDiffer(workload: Workload): boolean {
  return workload.kind === 'StatefulSet' || workload.completionMode === 'Indexed';
}
