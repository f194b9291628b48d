/** The cloud takes the instance back, or maintains its host (the interruption controller writes the condition). */
import { withCondition, type Method } from '../method.js';
import { replaceDue } from './replace-due.js';

export const interruption: Method = {
  reason: 'Interrupted',
  condition: { type: 'Interrupted' },
  due: (input) => withCondition(input, 'Interrupted'),
  budgetReason: undefined,
  isForced: () => true,
  isEventual: false,
  isUrgent: true,
  decide: (draft) => {
    replaceDue(draft, interruption);
  },
};
