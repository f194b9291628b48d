/** The node class of a name as it was last accepted. */
import { policyStatusName } from '../../domain/policies/policy.js';
import type { NodeClassSource } from '../../ports/cloud.js';
import type { Cluster } from '../cluster/cluster.js';

/** undefined when none of that name was ever accepted, or none that can still be read. A missing document keeps its last. */
export function acceptedNodeClass(cluster: Cluster, name: string): NodeClassSource | undefined {
  const status = cluster.policyStatuses.get(policyStatusName('EC2NodeClass', name));
  const value = status?.lastAccepted?.value;
  return value?.kind === 'EC2NodeClass'
    ? { nodeClass: value.nodeClass, document: value.document }
    : undefined;
}
