/** The node class that a nodeClassRef names, as it was last accepted. */
import type { NodeClass } from '../../domain/policies/node-class.js';
import { policyStatusName } from '../../domain/policies/policy.js';
import type { Cluster } from '../cluster/cluster.js';

/** undefined when no such class was ever accepted, or none that can still be read. A missing document keeps its last. */
export function acceptedNodeClass(
  cluster: Cluster,
  { kind, name }: { readonly kind: string; readonly name: string },
): NodeClass | undefined {
  const value = cluster.policyStatuses.get(policyStatusName(kind, name))?.lastAccepted?.value;
  return value !== undefined && 'nodeClass' in value ? value.nodeClass : undefined;
}
