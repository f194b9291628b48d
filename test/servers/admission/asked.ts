/** The admission webhooks without a socket between: a cluster, what they are asked, and what they answer. */
import '../../../src/app/clouds.js';
import { decodePolicyConfigMap } from '../../../src/apis/berth/policy-config-map.js';
import { POLICY_LABEL } from '../../../src/apis/policies/policy-documents.js';
import type { PolicyConfigMap } from '../../../src/domain/policies/policy.js';
import type { PatchOperation } from '../../../src/planning/placement/stamp-pod-patch.js';
import type { ObservedKind } from '../../../src/ports/cluster-feed.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details: { readonly causes: readonly { readonly field: string; readonly message: string }[] };
  };
  readonly warnings?: readonly string[];
  readonly patchType?: string;
  readonly patch?: string;
}

export const SYNCED: readonly ObservedKind[] = ['PolicyConfigMap', 'PolicyStatus', 'Namespace', 'Lease'];

/** A cluster that has been listed, with these policy ConfigMaps; each is its keys and their texts. */
export function clusterWith(
  configMaps: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Cluster {
  const cluster = new Cluster();
  for (const [name, data] of Object.entries(configMaps)) cluster.put('PolicyConfigMap', stored(name, data));
  for (const kind of SYNCED) cluster.synced(kind);
  return cluster;
}

/** A policy ConfigMap as the feed puts it. */
export function stored(name: string, data: Readonly<Record<string, string>>): PolicyConfigMap {
  const metadata = {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const { value } = decodePolicyConfigMap({ ...configMap(name, data), metadata });
  if (value === undefined) throw new Error(`ConfigMap ${name} cannot be decoded`);
  return value;
}

/** A policy ConfigMap as users submit it. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const metadata = { name, namespace: 'berth-system', labels: { [POLICY_LABEL]: 'true' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** An AdmissionReview that creates a pod in namespace shop, but for what is overridden. */
export function review(request: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review-1',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      name: 'web',
      namespace: 'shop',
      operation: 'CREATE',
      dryRun: false,
      ...request,
    },
  };
}

/** An AdmissionReview about a policy ConfigMap. */
export function configMapReview(
  object: Readonly<Record<string, unknown>> | null,
  request: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  return review({ resource, name: 'pools', namespace: 'berth-system', object, ...request });
}

/** What a response changes. */
export function patchOf({ patch }: AdmissionResponse): readonly PatchOperation[] {
  if (patch === undefined) return [];
  return JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as readonly PatchOperation[];
}
