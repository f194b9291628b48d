/** Nodes that are no longer what their pool and node class ask for. */
import { DRIFT_REASONS } from '../../../domain/nodes/claim-conditions.js';
import type { Draft } from '../draft.js';
import { keptCondition, NEVER_DUE, withCondition, type Method } from '../method.js';
import { DRIFT_TEXTS, type DriftHold, type DriftRefusal } from '../question/drift-hold.js';
import type { Candidate } from '../sets/candidates.js';
import { replaceDue } from './replace-due.js';

export const drift: Method = {
  reason: 'Drifted',
  condition: keptCondition({
    type: 'Drifted',
    meaning: 'the node is no longer what its NodePool and node class ask for',
    reasons: DRIFT_REASONS,
    from: ({ drift: found }) => (found === undefined ? NEVER_DUE : { at: -Infinity, ...found }),
  }),
  due: (input) => withCondition(input, 'Drifted'),
  budgetReason: 'Drifted',
  isForced: () => false,
  isEventual: true,
  isUrgent: false,
  refusals: DRIFT_TEXTS,
  decide: (draft) => {
    replaceDue(draft, drift, heldBy(draft));
  },
};

/** Why a node waits for others of its pool, given those that the answer takes. */
function heldBy({ input, commands }: Draft): (candidate: Candidate) => DriftRefusal | undefined {
  const { driftHolds = new Map<string, DriftHold>(), nodes: managed } = input;
  if (driftHolds.size === 0) return () => undefined;
  const poolOf = new Map(managed.map(({ name, nodePool }) => [name, nodePool]));
  return ({ node: { nodePool } }) => {
    const hold = driftHolds.get(nodePool);
    if (hold === undefined) return undefined;
    const going = commands.flatMap(({ reason, nodes }) => (reason === drift.reason ? nodes : []));
    const taken = going.filter((name) => poolOf.get(name) === nodePool).length;
    return taken < hold.room ? undefined : hold.refusal;
  };
}
