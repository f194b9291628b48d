/** Nodes that are no longer what their pool and node class ask for. */
import { NEVER_DUE, withCondition, type Method } from '../method.js';
import { replaceDue } from './replace-due.js';

export const drift: Method = {
  reason: 'Drifted',
  condition: {
    type: 'Drifted',
    from: ({ drift: found }) => (found === undefined ? NEVER_DUE : { at: -Infinity, ...found }),
  },
  due: (input) => withCondition(input, 'Drifted'),
  budgetReason: 'Drifted',
  isForced: () => false,
  isEventual: true,
  isUrgent: false,
  decide: (draft) => {
    replaceDue(draft, drift);
  },
};
