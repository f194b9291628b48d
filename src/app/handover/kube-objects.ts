/** Objects of the Kubernetes API as plain JSON: of kinds that Berth does not watch, and with all their fields. */
import { MERGE_PATCH, pathSegment, type KubeClient } from '../../adapters/kube/transport/index.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { hasCode } from '../../ports/port-error.js';

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

export const NODES: ObjectKind = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' };
export const NAMESPACES: ObjectKind = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' };
export const NODE_CLAIMS: ObjectKind = { apiVersion: 'berth.sh/v1', kind: 'NodeClaim', plural: 'nodeclaims' };
export const KARPENTER_NODE_CLAIMS: ObjectKind = { ...NODE_CLAIMS, apiVersion: 'karpenter.sh/v1' };
export const KARPENTER_NODE_POOLS: ObjectKind = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  plural: 'nodepools',
};

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** Every method is one request with a time-out, and fails with a PortError. */
export interface KubeObjects {
  /** Those of all namespaces. @throws PortError NotFound, when the API server does not have the kind. */
  list(kind: ObjectKind): Promise<readonly KubeObject[]>;
  /** undefined when there is none. */
  get(kind: ObjectKind, name: string, namespace?: string): Promise<KubeObject | undefined>;
  create(kind: ObjectKind, body: JsonObject): Promise<KubeObject>;
  /** Merges into the object. @throws PortError Conflict, when it is not as it was read any more. */
  merge(kind: ObjectKind, object: KubeObject, change: JsonObject): Promise<KubeObject>;
  /** The same with its status. */
  mergeStatus(kind: ObjectKind, object: KubeObject, status: JsonObject): Promise<KubeObject>;
  /** Deletes it as it was read. @throws PortError Conflict, when it is not so any more; NotFound, when it is gone. */
  remove(kind: ObjectKind, object: KubeObject): Promise<void>;
}

export function kubeObjects(client: Pick<KubeClient, 'request'>): KubeObjects {
  const merged = async (
    kind: ObjectKind,
    { metadata }: KubeObject,
    change: JsonObject,
    subresource = '',
  ): Promise<KubeObject> => {
    const { resourceVersion, uid } = metadata;
    const own = change['metadata'] as JsonObject | undefined;
    return (await client.request({
      method: 'PATCH',
      path: `${pathOf(kind, metadata.name, metadata.namespace)}${subresource}`,
      contentType: MERGE_PATCH,
      body: { ...change, metadata: { ...own, resourceVersion, uid } },
      operation: `patch ${nameOf(kind, metadata.name)}${subresource}`,
    })) as KubeObject;
  };
  return {
    list: async (kind) => {
      const operation = `list ${nameOf(kind)}`;
      const { items } = (await client.request({ method: 'GET', path: pathOf(kind), operation })) as {
        readonly items: readonly KubeObject[];
      };
      return items;
    },
    get: async (kind, name, namespace) => {
      try {
        const path = pathOf(kind, name, namespace);
        const operation = `get ${nameOf(kind, name)}`;
        return (await client.request({ method: 'GET', path, operation })) as KubeObject;
      } catch (error) {
        if (hasCode(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    create: async (kind, body) => {
      const operation = `create ${nameOf(kind)}`;
      return (await client.request({ method: 'POST', path: pathOf(kind), body, operation })) as KubeObject;
    },
    merge: (kind, object, change) => merged(kind, object, change),
    mergeStatus: (kind, object, status) => merged(kind, object, { status }, '/status'),
    remove: async (kind, { metadata: { name, namespace, uid, resourceVersion } }) => {
      await client.request({
        method: 'DELETE',
        path: pathOf(kind, name, namespace),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
        operation: `delete ${nameOf(kind, name)}`,
      });
    },
  };
}

function pathOf({ apiVersion, plural }: ObjectKind, name?: string, namespace?: string): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const inside = namespace === undefined ? '' : `/namespaces/${pathSegment(namespace)}`;
  return `${root}${inside}/${plural}${name === undefined ? '' : `/${pathSegment(name)}`}`;
}

/** `nodeclaims.karpenter.sh/general-1`. */
function nameOf({ apiVersion, plural }: ObjectKind, name?: string): string {
  const [group = '', version] = apiVersion.split('/');
  return `${version === undefined ? plural : `${plural}.${group}`}${name === undefined ? '' : `/${name}`}`;
}
