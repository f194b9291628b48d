/** Nodes that are no longer what their pool and node class ask for. */
import { DRIFT_REASONS } from '../../../domain/nodes/claim-conditions.js';
import { keptCondition, NEVER_DUE, withCondition, type Method } from '../method.js';
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
  decide: (draft) => {
    replaceDue(draft, drift);
  },
};
