/** Documents that name a kind of Kubernetes wrongly: passed over in silence they would be missing from the plan. */
import { nearest } from '../../decode/nearest.js';
import type { Document } from '../../documents/document.js';
import type { ObjectFinding } from './finding.js';

/** The version to write, by kind. A ConfigMap may hold policies. */
const API_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['ConfigMap', 'v1'],
  ['CSINode', 'storage.k8s.io/v1'],
  ['DaemonSet', 'apps/v1'],
  ['Deployment', 'apps/v1'],
  ['Job', 'batch/v1'],
  ['Namespace', 'v1'],
  ['Node', 'v1'],
  ['PersistentVolume', 'v1'],
  ['PersistentVolumeClaim', 'v1'],
  ['Pod', 'v1'],
  ['PodDisruptionBudget', 'policy/v1'],
  ['PriorityClass', 'scheduling.k8s.io/v1'],
  ['ReplicaSet', 'apps/v1'],
  ['ReplicationController', 'v1'],
  ['StatefulSet', 'apps/v1'],
  ['StorageClass', 'storage.k8s.io/v1'],
]);

const GROUPS: ReadonlySet<string> = new Set([...API_VERSIONS.values()].map(groupOf));

/** Kinds of the same groups that are spelled alike, and right. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  'CSIDriver',
  'CronJob',
  'PodTemplate',
  'Secret',
  'Service',
]);

/**
 * What is wrong with a document that is not read: a kind of Kubernetes under another API group, or a misspelt kind in
 * one of Kubernetes' groups. Groups that Berth does not read may name their kinds as they like; Kubernetes' oldest ones
 * have no dot.
 */
export function misnamedKind({
  apiVersion,
  kind,
}: Pick<Document, 'apiVersion' | 'kind'>): ObjectFinding | undefined {
  const group = groupOf(apiVersion);
  if (group.includes('.') && !GROUPS.has(group)) return undefined;
  const right = API_VERSIONS.get(kind);
  if (right !== undefined) {
    if (groupOf(right) === group) return undefined;
    const text = `must be ${right} for ${kind}, not ${apiVersion}`;
    return { severity: 'error', code: 'unknown-version', path: ['apiVersion'], text, allowed: [right] };
  }
  if (OTHER_KINDS.has(kind)) return undefined;
  const ofGroup = [...API_VERSIONS].filter(([, version]) => groupOf(version) === group).map(([name]) => name);
  const guess =
    nearest(kind, ofGroup) ?? (ofGroup.length > 0 ? nearest(kind, API_VERSIONS.keys()) : undefined);
  if (guess === undefined) return undefined;
  const text = `is not a kind of ${apiVersion}: ${kind}`;
  return { severity: 'error', code: 'unknown-kind', path: ['kind'], text, guess };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
