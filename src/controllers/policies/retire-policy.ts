/** What becomes of the nodes of a policy whose document is gone for good: taken away, or left to the user. */
import { instanceID, TERMINATION_FINALIZER, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { hasNodes, type PolicyKind } from '../../domain/policies/policy.js';
import { CLUSTER_TAG, type Cloud } from '../../ports/cloud.js';
import { hasCode } from '../../ports/port-error.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { endClaim, type EndContext } from '../node-claim/end-claim.js';

/** The tag value of an orphaned instance in place of the cluster's id, so that garbage collection ignores it. */
const ORPHANED = 'orphaned';

export interface RetireOptions extends EndContext {
  /** `NodePool general`, for people. */
  readonly policy: string;
  readonly cloud: Pick<Cloud, 'tagInstances'>;
}

/** Claims that were made of the policy. */
export function claimsOf(cluster: Cluster, kind: PolicyKind, name: string): readonly NodeClaim[] {
  if (!hasNodes(kind)) return [];
  return [...cluster.nodeClaims.values()].filter(({ spec }) =>
    kind === 'NodePool'
      ? spec.nodePool === name
      : spec.nodeClassRef.kind === kind && spec.nodeClassRef.name === name,
  );
}

/** Asks for the claim's deletion; its instance is drained and terminated as any other. */
export function drainClaim(options: RetireOptions, claim: NodeClaim, signal: AbortSignal): Promise<void> {
  const news = {
    action: 'Disrupt',
    reason: 'PolicyDeleted',
    message: `${options.policy} was removed, and its nodes are deleted`,
    trigger: 'policies',
    event: 'Normal',
  } as const;
  return endClaim(options, claim, news, signal);
}

/**
 * Lets the claim's instance and node go on without Berth: the instance loses its mark, then the claim its finalizer, whereby
 * Berth no longer manages its node, then the node, and then the claim is released. Killed in between, it can be done again
 * from the start.
 */
export async function orphanClaim(
  options: RetireOptions,
  claim: NodeClaim,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, writer, cloud } = options;
  const { providerID } = claim.status;
  if (providerID === undefined || claim.deletionTimestamp !== undefined) {
    await drainClaim(options, claim, signal);
    return;
  }
  await untag(cloud, instanceID(providerID), signal);
  if (!(await writer.releaseClaim(claim, signal))) return;
  const node = cluster.nodeOfClaim(claim.name);
  if (node?.finalizers.includes(TERMINATION_FINALIZER) === true)
    await writer.patchNode(node, { finalizers: { remove: [TERMINATION_FINALIZER] } }, signal);
  await writer.deleteClaim(claim, signal);
}

/** An instance that is gone needs no mark. */
async function untag(cloud: RetireOptions['cloud'], instance: string, signal: AbortSignal): Promise<void> {
  try {
    await cloud.tagInstances([instance], new Map([[CLUSTER_TAG, ORPHANED]]), signal);
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}
