/** A decision to take nodes away, as it is carried out: which claims, why, and what comes in their place. */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import { policyStatusName } from '../../../domain/policies/policy.js';
import type { DisruptionCommand } from '../../../planning/disrupt/question/disruption.js';
import type { Method } from '../../../planning/disrupt/method.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import type { Deliberated } from '../passes/deliberation.js';

export interface Command {
  /** That of the method which decided. */
  readonly reason: string;
  /** Names. */
  readonly claims: readonly string[];
  /** It is carried out in any case: the nodes are lost anyhow, or have to go. */
  readonly isForced: boolean;
  readonly planned: DisruptionCommand;
  readonly deliberated: Deliberated;
  /** Whether what the command has become by the time of its validation is still what was approved; without it, anything is. */
  readonly allows?: ((command: Command) => boolean) | undefined;
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
export function isForced(cluster: Cluster, { spec }: NodeClaim, reason: string): boolean {
  const status = cluster.policyStatuses.get(policyStatusName('NodePool', spec.nodePool));
  const value = status?.lastAccepted?.value;
  const terms = value?.kind === 'NodePool' ? value.nodePool.disruption : undefined;
  return methodOf(reason)?.isForced(terms) ?? false;
}

/** The method by which it is decided that the claim goes; undefined when Berth has not decided that. */
export function decidedMethod({ status }: NodeClaim): Method | undefined {
  return methodOf(status.disruption?.reason);
}

/** Labels of Karpenter's metrics about decisions. */
export interface DecisionLabels extends Record<'decision' | 'reason' | 'consolidation_type', string> {
  readonly decision: 'delete' | 'replace' | 'terminate-first' | 'reboot';
}

function decisionOf({ claims, terminateFirst, reboots }: DisruptionCommand): DecisionLabels['decision'] {
  if (reboots === true) return 'reboot';
  if (terminateFirst !== undefined) return 'terminate-first';
  return claims.length > 0 ? 'replace' : 'delete';
}

export function labelsOf({
  reason,
  claims,
  planned,
}: Pick<Command, 'reason' | 'claims' | 'planned'>): DecisionLabels {
  return {
    decision: decisionOf(planned),
    reason: reason.toLowerCase(),
    consolidation_type: methodOf(reason)?.consolidationType?.(claims.length) ?? '',
  };
}
