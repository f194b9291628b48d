/**
 * Which lists of the built-in types are merged rather than replaced, and by which field of their items: `patchMergeKey` and
 * `patchStrategy` of k8s.io/api.
 */

/** How a list is merged: items by a key, or as a set of plain values. */
export type ListMerge = { readonly key: string } | 'set';

/** These mean the same wherever they stand. */
const BY_NAME: Readonly<Record<string, ListMerge>> = {
  containers: { key: 'name' },
  initContainers: { key: 'name' },
  ephemeralContainers: { key: 'name' },
  env: { key: 'name' },
  volumes: { key: 'name' },
  volumeMounts: { key: 'mountPath' },
  volumeDevices: { key: 'devicePath' },
  imagePullSecrets: { key: 'name' },
  hostAliases: { key: 'ip' },
  topologySpreadConstraints: { key: 'topologyKey' },
  schedulingGates: { key: 'name' },
  resourceClaims: { key: 'name' },
  resourceClaimStatuses: { key: 'name' },
  podIPs: { key: 'ip' },
  podCIDRs: 'set',
  conditions: { key: 'type' },
  addresses: { key: 'type' },
  ownerReferences: { key: 'uid' },
  finalizers: 'set',
  webhooks: { key: 'name' },
  matchConditions: { key: 'name' },
  secrets: { key: 'name' },
  drivers: { key: 'name' },
};

/** The field `ports` has a key of its own in every kind. */
const PORTS: Readonly<Record<string, ListMerge | undefined>> = {
  Service: { key: 'port' },
  Endpoints: undefined,
  EndpointSlice: undefined,
  NetworkPolicy: undefined,
};

/** Where the objects of any kind, custom ones too, have them. */
const OF_ALL_KINDS = ['conditions', 'ownerReferences', 'finalizers'];

/** Stands for the kind of a custom resource, whose lists are not known here. */
export const CUSTOM_KIND = '';

/** undefined: the list is replaced as a whole. */
export function listMergeOf(kind: string, field: string): ListMerge | undefined {
  if (kind === CUSTOM_KIND && !OF_ALL_KINDS.includes(field)) return undefined;
  if (field === 'ports') return Object.hasOwn(PORTS, kind) ? PORTS[kind] : { key: 'containerPort' };
  if (field === 'volumes' && kind === 'PersistentVolume') return undefined;
  return BY_NAME[field];
}
