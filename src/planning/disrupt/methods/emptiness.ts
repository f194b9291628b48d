/** Empty nodes: all that rules and budgets let go, in one command. */
import { NOTHING_INSTEAD, type Draft } from '../draft.js';
import type { Method } from '../method.js';
import { consolidationRefusal, CONSOLIDATION_TERMS_TEXTS } from './consolidation-terms.js';

export const emptiness: Method = {
  reason: 'Empty',
  budgetReason: 'Empty',
  isForced: () => false,
  isEventual: false,
  isUrgent: false,
  consolidationType: () => 'empty',
  words: { cause: 'no pods need the node' },
  forbids: consolidationRefusal,
  refusals: CONSOLIDATION_TERMS_TEXTS,
  decide: removeEmpty,
};

function removeEmpty(draft: Draft): void {
  const taken = draft.nodes.fork();
  const going = draft.candidates.all().filter((candidate) => {
    if (candidate.pods.length > 0) return false;
    const refusal =
      draft.candidates.refusal(candidate, emptiness) ?? taken.refusal(emptiness, candidate.node);
    if (refusal === undefined) taken.take(candidate.node);
    else draft.refuse(candidate, emptiness, refusal);
    return refusal === undefined;
  });
  if (going.length > 0) draft.carryOut(emptiness, going, NOTHING_INSTEAD);
}
