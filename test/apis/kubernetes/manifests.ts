/** Kubernetes objects for tests, as manifests write them; what is not said is the least that the API server takes. */
import { formatRequirement } from '../../../src/domain/values/requirement.js';
import type { Requirements } from '../../../src/domain/values/requirements.js';
import { readDocuments } from '../../../src/apis/documents/read-documents.js';
import { readCluster, type ReadClusterResult } from '../../../src/apis/kubernetes/cluster/read-cluster.js';

export type Manifest = Record<string, unknown>;

export interface PodParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly metadata?: Manifest;
  readonly spec?: Manifest;
  readonly status?: Manifest;
}

export const CONTAINER: Manifest = { name: 'c', image: 'x' };

/** A pod of one container, `web` in no namespace. */
export function podManifest({ name = 'web', namespace, metadata, spec, status }: PodParts = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
    spec: { containers: [CONTAINER], ...spec },
    ...(status && { status }),
  };
}

/** A container with requests, and limits where given. */
export function container(requests: Manifest, more: Manifest = {}): Manifest {
  const { limits, ...rest } = more;
  return { name: 'c', image: 'x', resources: { requests, ...(limits !== undefined && { limits }) }, ...rest };
}

export interface WorkloadParts extends PodParts {
  readonly kind?: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job';
  /** Of the pod template. */
  readonly template?: { readonly metadata?: Manifest; readonly spec?: Manifest };
}

/** A Deployment `web` of one replica, or another workload; `spec` is the workload's, `template` its pods'. */
export function workloadManifest(parts: WorkloadParts = {}): Manifest {
  const { kind = 'Deployment', name = 'web', namespace, metadata, spec, status, template } = parts;
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
    spec: {
      template: {
        metadata: { labels: { app: name } },
        ...template,
        spec: { containers: [CONTAINER], ...template?.spec },
      },
      ...spec,
    },
    ...(status && { status }),
  };
}

/** metadata.ownerReferences that name one controller. */
export function ownedBy(kind: string, name: string): Manifest {
  return { ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: `uid-${name}`, controller: true }] };
}

/** The cluster that these objects describe, each in a document of its own. */
export function clusterOf(...objects: readonly Manifest[]): ReadClusterResult {
  return clusterOfText(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}

/** The cluster that a YAML text describes. */
export function clusterOfText(text: string): ReadClusterResult {
  return readCluster(readDocuments({ source: 'cluster.yaml', text }).documents);
}

/** `namespace/name` of the pods, sorted. */
export function podNames({ cluster }: ReadClusterResult): readonly string[] {
  return cluster.pods.map((pod) => `${pod.namespace}/${pod.name}`).sort();
}

/** Requirements in words, in their order. */
export function requirementTexts(requirements: Requirements | undefined): readonly string[] {
  return [...(requirements?.values() ?? [])].map((item) => `${item.key} ${formatRequirement(item)}`);
}

/** What was said, one line each: `error spec.replicas must be …`. */
export function messages({ issues }: Pick<ReadClusterResult, 'issues'>): readonly string[] {
  return issues.map((issue) => `${issue.severity} ${issue.message}`);
}
