/** A command in words, as Karpenter's events begin: `Underutilized/Replace`. */
import { counted } from '../../../domain/values/text.js';
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type { Command } from './command.js';

/** Types named in a message. */
const FEW = 3;

export function describeCommand(
  { reason, claims, planned }: Pick<Command, 'reason' | 'claims' | 'planned'>,
  claim: NodeClaim,
): string {
  const { placements, claims: replacements, unplaced } = planned;
  const words = methodOf(reason)?.words;
  const decision = replacements.length > 0 ? 'Replace' : 'Delete';
  const instances = replacements.map(
    ({ nodePool, instanceTypes }) => `NodePool ${nodePool}: ${instanceTypes.slice(0, FEW).join(', ')}`,
  );
  const parts = [
    words?.cause ?? causeOf(claim, reason),
    claims.length > 1 ? `${counted(claims.length, 'node')} together` : '',
    placements.length > 0 ? `${have(placements.length)} room on other nodes` : '',
    unplaced.length > 0 ? `${have(unplaced.length)} no room yet` : '',
    instances.length > 0 ? `${counted(instances.length, 'replacement')} (${instances.join('; ')})` : '',
    words?.gain?.(planned) ?? '',
  ];
  return `${reason}/${decision}: ${parts.filter((part) => part !== '').join(', ')}`;
}

/** What the claim's own condition says of the reason. */
function causeOf({ status }: NodeClaim, reason: string): string {
  const condition = status.conditions.find(({ type, status: value }) => type === reason && value === 'True');
  if (condition === undefined || condition.reason === reason) return '';
  return condition.message === '' ? condition.reason : `${condition.reason}, ${condition.message}`;
}

/** `1 pod has`, `2 pods have`. */
function have(pods: number): string {
  return `${counted(pods, 'pod')} ${pods === 1 ? 'has' : 'have'}`;
}
