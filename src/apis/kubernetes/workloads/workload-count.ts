/** ReplicaSets, StatefulSets and Jobs of the API server → how many pods are to be there, and how many are. */
import type { Workload } from '../../../domain/pods/workload.js';
import { member, optionalInteger, rootField } from '../object/field.js';
import { readLabelSelector } from '../object/label-selector.js';
import type { Decoded } from '../object/finding.js';
import { readWorkload } from '../pods/workload.js';

const MOST = 2 ** 31 - 1;

/**
 * Decodes the counts of a workload. A Job wants as many pods as run at once, less those that need not run any more, and
 * counts as created what is active; pods that ended have been replaced or need not be. Never throws.
 */
export function decodeWorkloadCount(kind: Workload['kind'], object: unknown): Decoded<Workload> {
  const { value: workload, findings } = readWorkload(kind, object);
  if (workload === undefined) return { value: undefined, findings };
  const { namespace, name, replicas, completions, succeeded, gang, owner } = workload;
  const root = rootField(object);
  const field = member(member(root, 'status'), kind === 'Job' ? 'active' : 'replicas');
  const createdPods = optionalInteger(field, 0, MOST) ?? 0;
  const isQueue = kind === 'Job' && completions === undefined;
  const left = isQueue && succeeded > 0 ? createdPods : (completions ?? Infinity) - succeeded;
  const wantedPods = Math.max(0, Math.min(replicas, left));
  const selector = kind === 'Job' ? undefined : readLabelSelector(member(member(root, 'spec'), 'selector'));
  const deployment = owner?.kind === 'Deployment' ? `${namespace}/${owner.name}` : undefined;
  const counts = { wantedPods, createdPods };
  const value: Workload = { kind, namespace, name, ...counts, selector, gang, deployment };
  return { value, findings: [...findings, ...root.findings] };
}
