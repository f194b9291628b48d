/** The file of a method that Berth does not have: nodes that somebody annotates as retired are replaced, unless many pods move. */
import { NEVER_DUE, withCondition, type Method } from '../../../../src/planning/disrupt/method.js';
import { replaceDue } from '../../../../src/planning/disrupt/methods/replace-due.js';
import type { RefusalWords } from '../../../../src/planning/disrupt/question/refusal.js';

interface TooManyPods {
  readonly code: 'TooManyPods';
  readonly pods: number;
}

const WORDS: RefusalWords<TooManyPods> = {
  TooManyPods: ({ pods }) => `it runs ${String(pods)} pods, and no retired node may have more than two`,
};

export const retirement: Method = {
  reason: 'Retired',
  condition: {
    type: 'Retired',
    meaning: 'the node is annotated as retired',
    reasons: { Retired: 'the annotation is there' },
    from: ({ node }) =>
      node?.annotations.get('example.com/retired') === 'true' ? { at: -Infinity } : NEVER_DUE,
  },
  due: (input) => withCondition(input, 'Retired'),
  budgetReason: undefined,
  isForced: () => false,
  isEventual: false,
  isUrgent: false,
  forbids: ({ pods }): TooManyPods | undefined =>
    pods.length > 2 ? { code: 'TooManyPods', pods: pods.length } : undefined,
  refusals: { words: WORDS, quiet: [] },
  decide: (draft) => {
    replaceDue(draft, retirement);
  },
};
