/** Which node a DaemonSet pod is made for. */
import type { ObservedPod } from '../domain/observed-pod.js';

/**
 * The node that the DaemonSet controller names in the pod's required node affinity (`metadata.name In [node]`);
 * undefined for other pods.
 */
export function pinnedNode(pod: Pick<ObservedPod, 'owner' | 'spec'>): string | undefined {
  if (pod.owner?.kind !== 'DaemonSet') return undefined;
  const term = pod.spec.nodeAffinity.required?.[0];
  const names = term?.fields.get('metadata.name');
  if (names === undefined || names.complement || names.values.size !== 1) return undefined;
  const [name] = names.values;
  return name;
}
