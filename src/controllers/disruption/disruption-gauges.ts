/** Karpenter's gauges of a look at the cluster: how many nodes may go, and how many the budgets let go. */
import {
  allowedDisruptions,
  BUDGET_REASONS,
  isReasonAllowed,
  type BudgetReason,
} from '../../domain/budget.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { ManagedNode } from '../../planning/disrupt/disruption.js';
import { METHODS } from '../../planning/disrupt/methods.js';
import type { Deliberated } from './deliberation.js';
import type { DisruptionContext } from './disruption-context.js';

export function measure(
  { metrics }: Pick<DisruptionContext, 'metrics'>,
  { answer, picture, pools }: Deliberated,
): void {
  const { nodes, now } = picture.input;
  metrics.disruptionEligibleNodes.reset();
  metrics.allowedDisruptions.reset();
  metrics.disruptionEligibleNodes.set({ reason: 'consolidation' }, answer.candidates.length);
  for (const { reason, due, budgetReason } of METHODS) {
    if (due === undefined || budgetReason === undefined) continue;
    const eligible = due(picture.input);
    const staying = nodes.filter(({ name, leaving }) => eligible.has(name) && !leaving);
    metrics.disruptionEligibleNodes.set({ reason: reason.toLowerCase() }, staying.length);
  }
  for (const { pool } of pools)
    for (const reason of BUDGET_REASONS)
      metrics.allowedDisruptions.set(
        { nodepool: pool.name, reason: reason.toLowerCase() },
        allowed(pool, reason, { nodes, now }),
      );
}

function allowed(
  { name, disruption }: NodePool,
  reason: BudgetReason,
  { nodes, now }: { readonly nodes: readonly ManagedNode[]; readonly now: number },
): number {
  if (!isReasonAllowed(disruption.windows, reason, now)) return 0;
  const counted = nodes.filter(({ nodePool, initialized }) => nodePool === name && initialized);
  const used = counted.filter(({ ready, leaving }) => !ready || leaving).length;
  return allowedDisruptions(disruption.budgets, { reason, now, total: counted.length, used });
}
