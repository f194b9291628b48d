/** What each component of Berth asks the Kubernetes API for: the rules of charts/berth, which a test compares with these. */

export interface Right {
  readonly verb: string;
  readonly group: string;
  /** Plural, with `/subresource` where it is one. */
  readonly resource: string;
  /** The one object that is meant; undefined: any. */
  readonly name?: string | undefined;
  /** Whether it is for Berth's own namespace only. */
  readonly isOwnNamespace: boolean;
}

type Row = readonly [group: string, resources: string, verbs: string, name?: string];

const admission = 'admissionregistration.k8s.io';
const leases = 'coordination.k8s.io';

const CONTROLLER: readonly Row[] = [
  ['', 'namespaces nodes pods podtemplates services persistentvolumes persistentvolumeclaims', 'list watch'],
  ['apps', 'daemonsets replicasets statefulsets', 'list watch'],
  ['batch', 'jobs', 'list watch'],
  ['autoscaling', 'horizontalpodautoscalers', 'list watch'],
  ['autoscaling.x-k8s.io', 'provisioningrequests', 'list watch'],
  ['autoscaling.x-k8s.io', 'provisioningrequests/status', 'patch'],
  ['policy', 'poddisruptionbudgets', 'list watch'],
  ['autoscaling.x-k8s.io', 'capacitybuffers', 'list watch'],
  ['autoscaling.x-k8s.io', 'capacitybuffers/status', 'patch'],
  ['', 'podtemplates', 'get'],
  ['apps', 'deployments replicasets statefulsets', 'get'],
  ['scheduling.k8s.io', 'podgroups', 'list watch'],
  ['scheduling.x-k8s.io', 'podgroups', 'list watch'],
  ['storage.k8s.io', 'csinodes storageclasses volumeattachments', 'list watch'],
  ['resource.k8s.io', 'deviceclasses resourceclaims resourceclaimtemplates resourceslices', 'list watch'],
  ['berth.sh', 'nodeclaims reservations policystatuses decisions', 'list watch create delete'],
  ['berth.sh', 'nodeclaims policystatuses', 'patch'],
  ['berth.sh', 'reservations', 'update'],
  ['berth.sh', 'nodeclaims/status policystatuses/status', 'update'],
  ['berth.sh', 'decisions/status', 'patch'],
  ['', 'nodes pods', 'patch delete'],
  ['', 'pods/status', 'patch'],
  ['', 'pods/eviction', 'create'],
  ['apps', 'deployments/scale', 'get patch'],
  ['events.k8s.io', 'events', 'create patch'],
  [admission, 'mutatingwebhookconfigurations', 'get patch', 'berth-mutate-pods'],
  [admission, 'validatingwebhookconfigurations', 'get patch', 'berth-validate-policies'],
];

const CONTROLLER_OWN: readonly Row[] = [
  ['', 'configmaps', 'list watch'],
  [leases, 'leases', 'list watch create'],
  [leases, 'leases', 'get update', 'berth'],
  ['', 'secrets', 'create'],
  ['', 'secrets', 'get patch', 'berth-certificates'],
];

const EXTENDER: readonly Row[] = [
  ['', 'nodes pods', 'list watch'],
  ['berth.sh', 'nodeclaims reservations', 'list watch'],
  ['scheduling.k8s.io', 'podgroups', 'list watch'],
  ['scheduling.x-k8s.io', 'podgroups', 'list watch'],
];

const SCHEDULER_OWN: readonly Row[] = [
  [leases, 'leases', 'list watch create'],
  [leases, 'leases', 'get update', 'berth-scheduler'],
];

/** That the controller needs with one cloud only. */
export const CLOUD_RIGHTS: Readonly<Record<string, readonly Right[]>> = {
  // Its instances are Nodes.
  kwok: rights([['', 'nodes', 'create']], false),
};

/** By service account. The second scheduler has those of the extender beside it. */
export const COMPONENT_RIGHTS: Readonly<Record<'berth-controller' | 'berth-scheduler', readonly Right[]>> = {
  'berth-controller': [...rights(CONTROLLER, false), ...rights(CONTROLLER_OWN, true)],
  'berth-scheduler': [...rights(EXTENDER, false), ...rights(SCHEDULER_OWN, true)],
};

function rights(rows: readonly Row[], isOwnNamespace: boolean): readonly Right[] {
  return rows.flatMap(([group, resources, verbs, name]) =>
    resources
      .split(' ')
      .flatMap((resource) =>
        verbs.split(' ').map((verb) => ({ verb, group, resource, name, isOwnNamespace })),
      ),
  );
}

/** `patch nodes`, `get secrets/berth-certificates in berth-system`. */
export function describeRight(
  { verb, group, resource, name, isOwnNamespace }: Right,
  namespace: string,
): string {
  const object = name === undefined ? resource : `${resource}/${name}`;
  return `${verb} ${group === '' ? '' : `${group}/`}${object}${isOwnNamespace ? ` in ${namespace}` : ''}`;
}
