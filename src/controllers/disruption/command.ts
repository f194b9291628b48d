/** A decision to take nodes away, as it is carried out: which claims, why, and what comes in their place. */
import type { NodeClaim } from '../../domain/node-claim.js';
import { policyStatusName } from '../../domain/policy.js';
import {
  DISRUPTION_REASONS,
  type DisruptionCommand,
  type DisruptionReason,
} from '../../planning/disrupt/disruption.js';
import type { Cluster } from '../../state/cluster.js';
import type { Deliberated } from './deliberation.js';

export interface Command {
  readonly reason: DisruptionReason;
  /** Names. */
  readonly claims: readonly string[];
  /** It goes on whatever happens: the nodes are lost anyhow, or have to go. */
  readonly isForced: boolean;
  readonly planned: DisruptionCommand;
  readonly deliberated: Deliberated;
}

/** The command as the answer has it. */
export function commandOf(cluster: Cluster, planned: DisruptionCommand, deliberated: Deliberated): Command {
  const claims = planned.nodes.flatMap((node) => deliberated.picture.claimOf(node) ?? []);
  return {
    reason: planned.reason,
    claims: claims.map(({ name }) => name),
    isForced: claims.every((claim) => isForced(cluster, claim, planned.reason)),
    planned,
    deliberated,
  };
}

/** Whether claims go for this reason whatever budgets and pods say. */
export function isForced(cluster: Cluster, { spec }: NodeClaim, reason: DisruptionReason): boolean {
  if (reason === 'Interrupted' || reason === 'Unhealthy') return true;
  if (reason !== 'Expired') return false;
  const status = cluster.policyStatuses.get(policyStatusName('NodePool', spec.nodePool));
  const value = status?.lastAccepted?.value;
  return value?.kind !== 'NodePool' || value.nodePool.disruption.expiration === 'Forceful';
}

/** The reason for which we have decided that the claim goes; undefined when it is not we who did. */
export function decidedReason({ status }: NodeClaim): DisruptionReason | undefined {
  return DISRUPTION_REASONS.find((reason) => reason === status.disruption?.reason);
}

/** Labels of Karpenter's metrics about decisions. */
export interface DecisionLabels extends Record<'decision' | 'reason' | 'consolidation_type', string> {
  readonly decision: 'delete' | 'replace';
}

export function labelsOf({
  reason,
  claims,
  planned,
}: Pick<Command, 'reason' | 'claims' | 'planned'>): DecisionLabels {
  const isConsolidation = reason === 'Underutilized';
  return {
    decision: planned.claims.length > 0 ? 'replace' : 'delete',
    reason: reason.toLowerCase(),
    consolidation_type: isConsolidation
      ? claims.length > 1
        ? 'multi'
        : 'single'
      : reason === 'Empty'
        ? 'empty'
        : '',
  };
}
