/** Budgets that never bind, and budgets that never allow anything. */
import { BUDGET_REASONS, type DisruptionBudget } from '../../domain/policies/budget.js';
import type { Findings } from '../decode/findings.js';
import { openTime } from './open-time.js';

/** Budgets at their place in the document. */
export interface BudgetsAt {
  readonly path: readonly string[];
  readonly budgets: readonly DisruptionBudget[];
}

/** Warns of each budget that says nothing, and of those that forbid disruption for good. */
export function warnOfBudgets({ path, budgets }: BudgetsAt, findings: Findings): void {
  for (const [index, budget] of budgets.entries()) {
    const at = [...path, index];
    const idle = whyIdle(budget, index, budgets);
    if (idle !== undefined)
      findings.warning({ code: 'budget-never-binds', path: at, text: `never has an effect: ${idle}` });
    else if (isAlways(budget) && amountOf(budget) === 0) {
      const reasons = budget.reasons?.join(', ') ?? 'any reason';
      findings.warning({
        code: 'budget-never-allows',
        path: at,
        text: `never allows anything: no node is ever disrupted for ${reasons}`,
      });
    }
  }
}

/** Why the budget never limits anything; undefined when it does at some time. */
function whyIdle(
  budget: DisruptionBudget,
  index: number,
  all: readonly DisruptionBudget[],
): string | undefined {
  if (budget.reasons?.length === 0) return 'its list of reasons is empty';
  if (budget.window && openTime(budget.window.schedule, budget.window.durationSeconds) === 'never')
    return 'its schedule never fires';
  if ('percent' in budget.nodes && budget.nodes.percent === 100) return '100% allows every node at once';
  const tighter = all.findIndex(
    (other, place) =>
      other !== budget && isTighter(other, budget) && (place < index || !isTighter(budget, other)),
  );
  if (tighter < 0) return undefined;
  return `budget ${String(tighter)} is always active and at least as small, and the smallest active budget applies`;
}

/** Whether `left` holds whenever `right` does, and never allows more. Counts and percentages compare at 0 only. */
function isTighter(left: DisruptionBudget, right: DisruptionBudget): boolean {
  const covers = (right.reasons ?? BUDGET_REASONS).every((reason) => left.reasons?.includes(reason) ?? true);
  if (!covers || !isAlways(left)) return false;
  if (amountOf(left) === 0) return true;
  return 'percent' in left.nodes === 'percent' in right.nodes && amountOf(left) <= amountOf(right);
}

function amountOf({ nodes }: DisruptionBudget): number {
  return 'percent' in nodes ? nodes.percent : nodes.count;
}

function isAlways({ window }: DisruptionBudget): boolean {
  return window === undefined || openTime(window.schedule, window.durationSeconds) === 'always';
}
