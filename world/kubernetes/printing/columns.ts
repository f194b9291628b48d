/** What `kubectl get` shows of the built-in kinds (k8s.io/kubernetes/pkg/printers/internalversion). */
import { isObject, listAt, numberAt, textAt, textsAt, valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { age, AGE, count, CREATED, NAME, NONE, pairs, size, TEMPLATE_COLUMNS, text, value } from './cells.js';
import { ageOf, humanDuration } from './human-duration.js';
import { POD_COLUMNS } from './pod-columns.js';
import { column, wide, type TableColumn } from './table-column.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  const status = textAt(ready, 'status');
  const word = status === 'True' ? 'Ready' : status === '' ? 'Unknown' : 'NotReady';
  return valueAt(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: KubeObject): string {
  const roles = Object.keys(textsAt(node, 'metadata', 'labels'))
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length));
  return roles.length === 0 ? NONE : roles.sort().join(',');
}

function nodeAddress(type: string): (node: KubeObject) => string {
  return (node) => {
    const address = listAt(node, 'status', 'addresses').find((each) => textAt(each, 'type') === type);
    return textAt(address, 'address') || NONE;
  };
}

function outOf(ready: string, wanted: string): TableColumn {
  const [a, b] = [ready.split('.'), wanted.split('.')];
  return column('Ready', (object) => `${String(numberAt(object, ...a))}/${String(numberAt(object, ...b))}`);
}

function jobStatus(job: KubeObject): string {
  const conditions = listAt(job, 'status', 'conditions').filter((each) => textAt(each, 'status') === 'True');
  const has = (type: string): boolean => conditions.some((each) => textAt(each, 'type') === type);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return has('Suspended') ? 'Suspended' : 'Running';
}

function jobDuration(job: KubeObject, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  if (start === '') return '';
  const end = textAt(job, 'status', 'completionTime');
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

function servicePorts(service: KubeObject): string {
  const ports = listAt(service, 'spec', 'ports').map((port) => {
    const nodePort = numberAt(port, 'nodePort');
    return `${String(numberAt(port, 'port'))}${nodePort === 0 ? '' : `:${String(nodePort)}`}/${textAt(port, 'protocol')}`;
  });
  return ports.length === 0 ? NONE : ports.join(',');
}

/** When it was seen last, and how often since when. */
function lastSeen(event: KubeObject, now: number): string {
  const times = eventTimes(event);
  return ageOf(times.last, now);
}

function eventTimes(event: KubeObject): { readonly first: string; readonly last: string } {
  const created = textAt(event, 'eventTime') || event.metadata.creationTimestamp;
  const first = textAt(event, 'firstTimestamp') || created;
  return {
    first,
    last: textAt(event, 'series', 'lastObservedTime') || textAt(event, 'lastTimestamp') || first,
  };
}

function eventObject(event: KubeObject): string {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  const name = textAt(event, 'involvedObject', 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(event: KubeObject): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

function eventCount(event: KubeObject): number {
  return numberAt(event, 'series', 'count') || numberAt(event, 'count') || 1;
}

const ACCESS: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: KubeObject): string {
  return listAt(object, 'spec', 'accessModes')
    .map((mode) => ACCESS[String(mode)] ?? String(mode))
    .join(',');
}

function boundClaim(volume: KubeObject): string {
  const claim = valueAt(volume, 'spec', 'claimRef');
  return isObject(claim) ? `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}` : '';
}

function roleOf(binding: KubeObject): string {
  return `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`;
}

const REPLICAS = [
  column('Desired', count('spec.replicas'), 'integer'),
  column('Current', count('status.replicas'), 'integer'),
  column('Ready', count('status.readyReplicas'), 'integer'),
];
const WEBHOOKS = [NAME, column('Webhooks', size('webhooks'), 'integer'), AGE];
const BINDING = [NAME, column('Role', roleOf), AGE];
const ROLE = [NAME, CREATED];

export const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  Pod: POD_COLUMNS,
  Node: [
    NAME,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', text('status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', nodeAddress('InternalIP')),
    wide('External-IP', nodeAddress('ExternalIP')),
    wide('OS-Image', text('status.nodeInfo.osImage', '<unknown>')),
    wide('Kernel-Version', text('status.nodeInfo.kernelVersion', '<unknown>')),
    wide('Container-Runtime', text('status.nodeInfo.containerRuntimeVersion', '<unknown>')),
  ],
  Namespace: [NAME, column('Status', text('status.phase')), AGE],
  ConfigMap: [NAME, column('Data', size('data'), 'integer'), AGE],
  Secret: [NAME, column('Type', text('type')), column('Data', size('data'), 'integer'), AGE],
  Service: [
    NAME,
    column('Type', text('spec.type')),
    column('Cluster-IP', text('spec.clusterIP', NONE)),
    column('External-IP', () => NONE),
    column('Port(s)', servicePorts),
    AGE,
    wide('Selector', pairs('spec.selector')),
  ],
  Event: [
    column('Last Seen', lastSeen),
    column('Type', text('type')),
    column('Reason', text('reason')),
    column('Object', eventObject),
    wide('Subobject', text('involvedObject.fieldPath')),
    wide('Source', eventSource),
    column('Message', (event) => textAt(event, 'message').trim()),
    wide('First Seen', (event, now) => ageOf(eventTimes(event).first, now)),
    wide('Count', eventCount),
    wide('Name', ({ metadata }) => metadata.name),
  ],
  Endpoints: [NAME, column('Endpoints', () => NONE), AGE],
  Deployment: [
    NAME,
    outOf('status.readyReplicas', 'spec.replicas'),
    column('Up-to-date', count('status.updatedReplicas'), 'integer'),
    column('Available', count('status.availableReplicas'), 'integer'),
    AGE,
    ...TEMPLATE_COLUMNS,
  ],
  ReplicaSet: [NAME, ...REPLICAS, AGE, ...TEMPLATE_COLUMNS],
  ReplicationController: [NAME, ...REPLICAS, AGE],
  StatefulSet: [NAME, outOf('status.readyReplicas', 'spec.replicas'), AGE, ...TEMPLATE_COLUMNS.slice(0, 2)],
  DaemonSet: [
    NAME,
    column('Desired', count('status.desiredNumberScheduled'), 'integer'),
    column('Current', count('status.currentNumberScheduled'), 'integer'),
    column('Ready', count('status.numberReady'), 'integer'),
    column('Up-to-date', count('status.updatedNumberScheduled'), 'integer'),
    column('Available', count('status.numberAvailable'), 'integer'),
    column('Node Selector', pairs('spec.template.spec.nodeSelector')),
    AGE,
    ...TEMPLATE_COLUMNS,
  ],
  Job: [
    NAME,
    column('Status', jobStatus),
    column('Completions', (job) => {
      const wanted = valueAt(job, 'spec', 'completions') ?? valueAt(job, 'spec', 'parallelism') ?? 1;
      return `${String(numberAt(job, 'status', 'succeeded'))}/${JSON.stringify(wanted)}`;
    }),
    column('Duration', jobDuration),
    AGE,
    ...TEMPLATE_COLUMNS,
  ],
  CronJob: [
    NAME,
    column('Schedule', text('spec.schedule')),
    column('Timezone', text('spec.timeZone', NONE)),
    column('Suspend', (job) => (valueAt(job, 'spec', 'suspend') === true ? 'True' : 'False')),
    column('Active', size('status.active'), 'integer'),
    column('Last Schedule', age('status.lastScheduleTime')),
    AGE,
  ],
  PodDisruptionBudget: [
    NAME,
    column('Min Available', value('spec.minAvailable', 'N/A')),
    column('Max Unavailable', value('spec.maxUnavailable', 'N/A')),
    column('Allowed Disruptions', count('status.disruptionsAllowed'), 'integer'),
    AGE,
  ],
  PersistentVolume: [
    NAME,
    column('Capacity', text('spec.capacity.storage')),
    column('Access Modes', accessModes),
    column('Reclaim Policy', text('spec.persistentVolumeReclaimPolicy')),
    column('Status', text('status.phase')),
    column('Claim', boundClaim),
    column('StorageClass', text('spec.storageClassName')),
    column('Reason', text('status.reason')),
    AGE,
    wide('VolumeMode', text('spec.volumeMode')),
  ],
  PersistentVolumeClaim: [
    NAME,
    column('Status', text('status.phase')),
    column('Volume', text('spec.volumeName')),
    column('Capacity', text('status.capacity.storage')),
    column('Access Modes', accessModes),
    column('StorageClass', text('spec.storageClassName')),
    AGE,
    wide('VolumeMode', text('spec.volumeMode')),
  ],
  StorageClass: [
    column('Name', ({ metadata }) => {
      const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
      return isDefault ? `${metadata.name} (default)` : metadata.name;
    }),
    column('Provisioner', text('provisioner')),
    column('ReclaimPolicy', text('reclaimPolicy')),
    column('VolumeBindingMode', text('volumeBindingMode')),
    column('AllowVolumeExpansion', (each) => each['allowVolumeExpansion'] === true, 'boolean'),
    AGE,
  ],
  CSINode: [NAME, column('Drivers', size('spec.drivers'), 'integer'), AGE],
  Lease: [NAME, column('Holder', text('spec.holderIdentity')), AGE],
  PriorityClass: [
    NAME,
    column('Value', count('value'), 'integer'),
    column('Global-Default', (each) => each['globalDefault'] === true, 'boolean'),
    AGE,
    column('PreemptionPolicy', text('preemptionPolicy')),
  ],
  MutatingWebhookConfiguration: WEBHOOKS,
  ValidatingWebhookConfiguration: WEBHOOKS,
  CustomResourceDefinition: [NAME, CREATED],
  Role: ROLE,
  ClusterRole: ROLE,
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
};
