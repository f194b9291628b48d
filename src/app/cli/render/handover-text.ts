/** A handover as text and as a document. */
import { counted } from '../../../domain/values/text.js';
import { instanceID } from '../../../domain/nodes/node-claim.js';
import type { HandoverStep } from '../../../planning/handover/steps.js';
import type { HandoverOutcome, HandoverResult } from '../../handover/hand-over.js';

/** What each step changes, for people. */
const MEANINGS: Readonly<Record<HandoverStep, string>> = {
  CreateNodeClaim:
    'create the NodeClaim of Berth, with the annotation berth.sh/handover: its controllers leave it alone',
  HoldNodeClaim:
    'set the annotation berth.sh/handover on the NodeClaim of Berth: its controllers leave it alone',
  WriteNodeClaimStatus:
    'write instance, node, type, zone, price and image to the status of the NodeClaim of Berth',
  AddTags: 'add the tags of Berth to the instance',
  TakeNode: 'replace the finalizer and the owner of Karpenter on the Node by the finalizer of Berth',
  RemoveKarpenterTags: 'remove the tags of Karpenter from the instance',
  RemoveKarpenterFinalizer: 'remove the finalizer from the NodeClaim of Karpenter',
  DeleteKarpenterNodeClaim: 'delete the NodeClaim of Karpenter',
  ActivateNodeClaim: 'remove the annotation berth.sh/handover: from now on the node is managed by Berth',
  CreateKarpenterNodeClaim: 'create the NodeClaim of Karpenter, with its finalizer',
  WriteKarpenterNodeClaimStatus: 'write instance and node to the status of the NodeClaim of Karpenter',
  AddKarpenterTags: 'add the tags of Karpenter to the instance',
  GiveNode: 'replace the finalizer of Berth on the Node by the finalizer and the owner of Karpenter',
  RemoveTags: 'remove the tags of Berth from the instance',
  RemoveFinalizer: 'remove the finalizer from the NodeClaim of Berth',
  DeleteNodeClaim: 'delete the NodeClaim of Berth',
};

export type HandoverVerb = 'adopt' | 'release';

/** How many nodes have each outcome. */
export function outcomes(results: readonly HandoverResult[]): Readonly<Record<HandoverOutcome, number>> {
  const count = (outcome: HandoverOutcome): number =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    planned: count('planned'),
    done: count('done'),
    unchanged: count('unchanged'),
    refused: count('refused'),
    failed: count('failed'),
  };
}

/** `node ip-10-0-0-1 (NodeClaim general-1, i-0123)`. */
export function nodeText({ it }: HandoverResult): string {
  const { name, node, providerID } = it;
  const instance = providerID === '' ? 'no instance' : instanceID(providerID);
  return `${node === undefined ? 'NodeClaim' : `node ${node.metadata.name}, NodeClaim`} ${name}, ${instance}`;
}

/** What a dry run would do, node by node. */
export function stepsText(results: readonly HandoverResult[]): string {
  const lines = results.flatMap((result) => {
    if (result.outcome === 'unchanged') return [];
    if (result.outcome === 'refused') return [`${nodeText(result)}: refused: ${result.message ?? ''}`];
    const steps = result.steps.map((step, index) => `  ${String(index + 1)}. ${MEANINGS[step]}`);
    return [`${nodeText(result)}:`, ...steps];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** `adopted 3 nodes, refused 1`. */
export function summaryText(results: readonly HandoverResult[], verb: HandoverVerb): string {
  const { planned, done, unchanged, refused, failed } = outcomes(results);
  const parts = [
    planned > 0 ? `would ${verb} ${counted(planned, 'node')}` : `${pastOf(verb)} ${counted(done, 'node')}`,
    ...(unchanged > 0 ? [`nothing to do for ${String(unchanged)}`] : []),
    ...(refused > 0 ? [`refused ${String(refused)}`] : []),
    ...(failed > 0 ? [`failed for ${String(failed)}: run the command again`] : []),
  ];
  return parts.join(', ');
}

export function pastOf(verb: HandoverVerb): string {
  return verb === 'adopt' ? 'adopted' : 'released';
}

export function handoverDocument(
  results: readonly HandoverResult[],
  about: { readonly command: HandoverVerb; readonly dryRun: boolean },
): unknown {
  return {
    ...about,
    summary: outcomes(results),
    nodes: results.map(({ it, outcome, steps, message }) => ({
      nodeClaim: it.name,
      nodePool: it.nodePool,
      node: it.node?.metadata.name ?? null,
      providerID: it.providerID,
      outcome,
      steps: steps.map((step) => ({ step, description: MEANINGS[step] })),
      ...(message !== undefined && { message }),
    })),
  };
}
