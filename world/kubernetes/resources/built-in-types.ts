/** The table of the resources that Kubernetes brings itself. */
import { DEFAULTS } from '../defaults/defaults.js';
import { COLUMNS } from '../printing/columns.js';
import { AGE, NAME } from '../printing/cells.js';
import { VALIDATIONS } from '../validation/validations.js';
import { readEvent, showEvent } from './event-views.js';
import type { ResourceType, ScalePaths, ServedVersion } from './resource-type.js';

interface Row {
  readonly plural: string;
  readonly kind: string;
  readonly short?: readonly string[];
  readonly inCluster?: true;
  readonly hasStatus?: true;
  readonly hasGeneration?: true;
  readonly inAll?: true;
  readonly scale?: ScalePaths;
  readonly fieldLabels?: Readonly<Record<string, string>>;
  readonly served?: ResourceType['served'];
}

const SCALE: ScalePaths = {
  specReplicas: 'spec.replicas',
  statusReplicas: 'status.replicas',
  selector: 'spec.selector',
};

/** Labels that are spelled as their paths. */
function paths(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

const POD_LABELS = paths(
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
);

const EVENT_LABELS = {
  ...paths(
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (field) => `involvedObject.${field}`,
    ),
    'reason',
    'reportingComponent',
    'type',
  ),
  source: 'source.component',
  reportingController: 'reportingComponent',
  ...Object.fromEntries(
    ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
      `regarding.${field}`,
      `involvedObject.${field}`,
    ]),
  ),
};

const EVENT_VERSIONS: readonly [ServedVersion, ServedVersion] = [
  { group: '', version: 'v1' },
  { group: 'events.k8s.io', version: 'v1', show: showEvent, read: readEvent },
];

/** Group and version → its resources. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  v1: [
    {
      plural: 'pods',
      kind: 'Pod',
      short: ['po'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      fieldLabels: POD_LABELS,
    },
    {
      plural: 'nodes',
      kind: 'Node',
      short: ['no'],
      inCluster: true,
      hasStatus: true,
      fieldLabels: paths('spec.unschedulable'),
    },
    {
      plural: 'namespaces',
      kind: 'Namespace',
      short: ['ns'],
      inCluster: true,
      hasStatus: true,
      fieldLabels: paths('status.phase'),
    },
    { plural: 'configmaps', kind: 'ConfigMap', short: ['cm'] },
    { plural: 'secrets', kind: 'Secret', fieldLabels: paths('type') },
    {
      plural: 'services',
      kind: 'Service',
      short: ['svc'],
      hasStatus: true,
      inAll: true,
      fieldLabels: paths('spec.clusterIP', 'spec.type'),
    },
    { plural: 'serviceaccounts', kind: 'ServiceAccount', short: ['sa'] },
    { plural: 'events', kind: 'Event', short: ['ev'], fieldLabels: EVENT_LABELS, served: EVENT_VERSIONS },
    { plural: 'endpoints', kind: 'Endpoints', short: ['ep'] },
    {
      plural: 'persistentvolumes',
      kind: 'PersistentVolume',
      short: ['pv'],
      inCluster: true,
      hasStatus: true,
    },
    { plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', short: ['pvc'], hasStatus: true },
    { plural: 'limitranges', kind: 'LimitRange', short: ['limits'] },
    { plural: 'resourcequotas', kind: 'ResourceQuota', short: ['quota'], hasStatus: true },
    {
      plural: 'replicationcontrollers',
      kind: 'ReplicationController',
      short: ['rc'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      scale: SCALE,
      fieldLabels: paths('status.replicas'),
    },
    { plural: 'podtemplates', kind: 'PodTemplate' },
  ],
  'apps/v1': [
    {
      plural: 'deployments',
      kind: 'Deployment',
      short: ['deploy'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      scale: SCALE,
    },
    {
      plural: 'replicasets',
      kind: 'ReplicaSet',
      short: ['rs'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      scale: SCALE,
      fieldLabels: paths('status.replicas'),
    },
    {
      plural: 'statefulsets',
      kind: 'StatefulSet',
      short: ['sts'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      scale: SCALE,
    },
    {
      plural: 'daemonsets',
      kind: 'DaemonSet',
      short: ['ds'],
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
    },
    { plural: 'controllerrevisions', kind: 'ControllerRevision' },
  ],
  'batch/v1': [
    {
      plural: 'jobs',
      kind: 'Job',
      hasStatus: true,
      hasGeneration: true,
      inAll: true,
      fieldLabels: paths('status.successful'),
    },
    { plural: 'cronjobs', kind: 'CronJob', short: ['cj'], hasStatus: true, hasGeneration: true, inAll: true },
  ],
  'autoscaling/v2': [
    {
      plural: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      short: ['hpa'],
      hasStatus: true,
      inAll: true,
    },
  ],
  'policy/v1': [
    {
      plural: 'poddisruptionbudgets',
      kind: 'PodDisruptionBudget',
      short: ['pdb'],
      hasStatus: true,
      hasGeneration: true,
    },
  ],
  'scheduling.k8s.io/v1': [
    { plural: 'priorityclasses', kind: 'PriorityClass', short: ['pc'], inCluster: true, hasGeneration: true },
  ],
  'coordination.k8s.io/v1': [{ plural: 'leases', kind: 'Lease' }],
  'storage.k8s.io/v1': [
    { plural: 'storageclasses', kind: 'StorageClass', short: ['sc'], inCluster: true },
    { plural: 'csinodes', kind: 'CSINode', inCluster: true },
    { plural: 'csidrivers', kind: 'CSIDriver', inCluster: true },
    { plural: 'csistoragecapacities', kind: 'CSIStorageCapacity' },
    { plural: 'volumeattachments', kind: 'VolumeAttachment', inCluster: true, hasStatus: true },
  ],
  'resource.k8s.io/v1': [
    { plural: 'deviceclasses', kind: 'DeviceClass', inCluster: true },
    { plural: 'resourceclaims', kind: 'ResourceClaim', hasStatus: true },
    { plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate' },
    { plural: 'resourceslices', kind: 'ResourceSlice', inCluster: true },
  ],
  'rbac.authorization.k8s.io/v1': [
    { plural: 'roles', kind: 'Role' },
    { plural: 'rolebindings', kind: 'RoleBinding' },
    { plural: 'clusterroles', kind: 'ClusterRole', inCluster: true },
    { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', inCluster: true },
  ],
  'admissionregistration.k8s.io/v1': [
    // Kept and listed, but not enforced: the real control plane shows what they do.
    {
      plural: 'validatingadmissionpolicies',
      kind: 'ValidatingAdmissionPolicy',
      inCluster: true,
      hasGeneration: true,
      hasStatus: true,
    },
    {
      plural: 'validatingadmissionpolicybindings',
      kind: 'ValidatingAdmissionPolicyBinding',
      inCluster: true,
      hasGeneration: true,
    },
    {
      plural: 'mutatingwebhookconfigurations',
      kind: 'MutatingWebhookConfiguration',
      inCluster: true,
      hasGeneration: true,
    },
    {
      plural: 'validatingwebhookconfigurations',
      kind: 'ValidatingWebhookConfiguration',
      inCluster: true,
      hasGeneration: true,
    },
    // Kept, and not evaluated: CEL is the real control plane's.
    {
      plural: 'validatingadmissionpolicies',
      kind: 'ValidatingAdmissionPolicy',
      inCluster: true,
      hasStatus: true,
      hasGeneration: true,
    },
    {
      plural: 'validatingadmissionpolicybindings',
      kind: 'ValidatingAdmissionPolicyBinding',
      inCluster: true,
    },
  ],
  'discovery.k8s.io/v1': [{ plural: 'endpointslices', kind: 'EndpointSlice' }],
  'networking.k8s.io/v1': [
    { plural: 'ingresses', kind: 'Ingress', short: ['ing'], hasStatus: true, hasGeneration: true },
    { plural: 'ingressclasses', kind: 'IngressClass', inCluster: true, hasGeneration: true },
    { plural: 'networkpolicies', kind: 'NetworkPolicy', short: ['netpol'], hasGeneration: true },
  ],
  'apiextensions.k8s.io/v1': [
    {
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      short: ['crd', 'crds'],
      inCluster: true,
      hasStatus: true,
      hasGeneration: true,
    },
  ],
};

/** In the order of discovery, which is the order in which kubectl resolves a name that two have. */
export const BUILT_IN_TYPES: readonly ResourceType[] = Object.entries(ROWS).flatMap(([apiVersion, rows]) =>
  rows.map((row) => typeOf(apiVersion, row)),
);

function typeOf(apiVersion: string, row: Row): ResourceType {
  const { plural, kind } = row;
  const [group, version] = apiVersion.includes('/')
    ? (apiVersion.split('/') as [string, string])
    : ['', apiVersion];
  return {
    key: group === '' ? plural : `${plural}.${group}`,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: row.short ?? [],
    categories: [
      ...(row.inAll === true ? ['all'] : []),
      ...(group === 'apiextensions.k8s.io' ? ['api-extensions'] : []),
    ],
    namespaced: row.inCluster !== true,
    served: row.served ?? [{ group, version }],
    hasStatus: row.hasStatus === true,
    scale: row.scale,
    hasGeneration: row.hasGeneration === true,
    isCustom: false,
    fieldLabels: row.fieldLabels ?? {},
    columns: COLUMNS[kind] ?? [NAME, AGE],
    strategy: { defaults: DEFAULTS[kind], validate: VALIDATIONS[kind] },
  };
}
