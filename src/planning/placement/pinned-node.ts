/** Which node a DaemonSet pod is made for. */
import type { Pod } from '../../domain/pods/pod.js';

const NODE_NAME = 'metadata.name';

/**
 * The node that the DaemonSet controller names in the pod's required node affinity, which it replaces by the single term
 * `matchFields: metadata.name In [node]` (ReplaceDaemonSetPodNodeNameNodeAffinity); undefined for other pods. An owner
 * reference alone proves nothing, since a user who creates a pod may write any. A pod pinned like this can run on no other
 * node, as one of a DaemonSet of its author's own.
 */
export function pinnedNode(pod: Pick<Pod, 'owner' | 'spec'>): string | undefined {
  if (pod.owner?.kind !== 'DaemonSet') return undefined;
  const [term, ...others] = pod.spec.nodeAffinity.required ?? [];
  if (term === undefined || others.length > 0 || term.labels.size > 0) return undefined;
  const names = term.fields.get(NODE_NAME);
  if (names === undefined || names.complement || names.values.size !== 1) return undefined;
  const [name] = names.values;
  return name;
}
