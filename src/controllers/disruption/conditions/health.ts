/** Node repair: whether a node is in a condition that a repair policy of its cloud calls bad, and until when that is tolerated. */
import type { NodeCondition, ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { RepairPolicy } from '../../../ports/cloud.js';

export interface Ailment {
  readonly condition: NodeCondition;
  /** End of its toleration duration, in milliseconds since 1970. */
  readonly until: number;
}

function policyFor(condition: NodeCondition, policies: readonly RepairPolicy[]): RepairPolicy | undefined {
  return policies.find(({ type, status }) => type === condition.type && status === condition.status);
}

/**
 * Whether a repair policy calls the node unhealthy now, however short a time it has been so: the brake counts it at once
 * (Karpenter: areNodesHealthy).
 */
export function isUnhealthyNow({ conditions }: ObservedNode, policies: readonly RepairPolicy[]): boolean {
  return conditions.some((condition) => policyFor(condition, policies) !== undefined);
}

/** The bad condition whose toleration ends first; undefined for a healthy node. */
export function ailmentOf(
  { conditions }: ObservedNode,
  policies: readonly RepairPolicy[],
): Ailment | undefined {
  let first: Ailment | undefined;
  for (const condition of conditions) {
    const policy = policyFor(condition, policies);
    if (policy === undefined || condition.since === undefined) continue;
    const until = condition.since + policy.tolerationMillis;
    if (first === undefined || until < first.until) first = { condition, until };
  }
  return first;
}
