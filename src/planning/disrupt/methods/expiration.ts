/** Nodes older than expireAfter: forceful, as Karpenter's, unless their pool says that expiration waits for budgets. */
import { expiresAt } from '../../../domain/nodes/node-claim.js';
import type { Draft } from '../draft.js';
import { keptCondition, NEVER_DUE, type Method } from '../method.js';
import { replaceDue } from './replace-due.js';

export const expiration: Method = {
  reason: 'Expired',
  condition: keptCondition({
    type: 'Expired',
    meaning: 'the node is older than the expireAfter of its NodeClaim',
    reasons: { Expired: 'its time is over' },
    from: ({ claim }) => {
      const at = claim.status.providerID === undefined ? undefined : expiresAt(claim);
      return at === undefined ? NEVER_DUE : { at };
    },
  }),
  due: ({ nodes, now }) =>
    new Map(
      nodes.flatMap(({ name, expiresAt: at }) => (at === undefined || at > now ? [] : [[name, at] as const])),
    ),
  budgetReason: undefined,
  isForced: (terms) => terms?.expiration !== 'Budgeted',
  isEventual: true,
  isUrgent: false,
  decide: (draft) => {
    refuseFrozen(draft);
    replaceDue(draft, expiration);
  },
};

/** The nodes of a frozen pool are left, for nothing could come instead. */
function refuseFrozen(draft: Draft): void {
  for (const candidate of draft.dueOf(expiration)) {
    const { nodePool } = candidate.node;
    if (draft.candidates.pool(nodePool) === undefined)
      draft.refuse(candidate, expiration, draft.candidates.frozen(nodePool));
  }
}
