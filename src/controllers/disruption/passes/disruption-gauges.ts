/** Karpenter's gauges of a look at the cluster: how many nodes may go, and how many the budgets let go. */
import {
  allowedDisruptions,
  BUDGET_REASONS,
  disruptionClosed,
  type BudgetReason,
} from '../../../domain/policies/budget.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { PoolCensus } from '../../../ports/planner.js';
import type { Deliberated } from './deliberation.js';
import type { DisruptionContext } from './disruption-context.js';

export function measure(
  { metrics }: Pick<DisruptionContext, 'metrics'>,
  { answer, census, now, pools }: Pick<Deliberated, 'answer' | 'census' | 'now' | 'pools'>,
): void {
  metrics.disruptionEligibleNodes.reset();
  metrics.allowedDisruptions.reset();
  metrics.budgetsConsumed.reset();
  metrics.disruptionEligibleNodes.set({ reason: 'consolidation' }, answer.candidates.length);
  for (const [reason, nodes] of census.eligible)
    metrics.disruptionEligibleNodes.set({ reason: reason.toLowerCase() }, nodes);
  for (const { pool } of pools) {
    const counted = census.pools.find(({ nodePool }) => nodePool === pool.name);
    for (const reason of BUDGET_REASONS) {
      const labels = { nodepool: pool.name, reason: reason.toLowerCase() };
      metrics.allowedDisruptions.set(labels, allowed(pool, reason, now, counted));
      metrics.budgetsConsumed.set(labels, usedOf(counted, reason));
    }
  }
}

function allowed(
  { disruption }: NodePool,
  reason: BudgetReason,
  now: number,
  counted: PoolCensus | undefined,
): number {
  if (disruptionClosed(disruption, reason, now) !== undefined) return 0;
  const total = counted?.initialized ?? 0;
  return allowedDisruptions(disruption.budgets, { reason, now, total, used: usedOf(counted, reason) });
}

/** As countsAgainst has it. */
function usedOf(counted: PoolCensus | undefined, reason: BudgetReason): number {
  return (reason === 'Unhealthy' ? counted?.leaving : counted?.unusable) ?? 0;
}
