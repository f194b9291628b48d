/** Disruption budgets: how many nodes of a pool may be disrupted at a moment (Karpenter: disruption budgets). */
import { isWindowOpen, nextFire, type Schedule } from '../values/schedule.js';

/** Reasons that budgets name. */
export const BUDGET_REASONS = ['Underutilized', 'Empty', 'Drifted', 'Unhealthy'] as const;
export type BudgetReason = (typeof BUDGET_REASONS)[number];

export interface DisruptionBudget {
  /** A count of nodes, or a percentage of the pool's managed, initialised nodes. */
  readonly nodes: { readonly count: number } | { readonly percent: number };
  /** undefined: every reason. */
  readonly reasons: readonly BudgetReason[] | undefined;
  /** The window in which it holds; undefined: always. */
  readonly window: BudgetWindow | undefined;
}

/** How much may be disrupted at a moment beside the number of nodes. Of all that are active, each holds. */
export interface LoadBudget extends Pick<DisruptionBudget, 'reasons' | 'window'> {
  /** Pods that have to move; undefined: any number. */
  readonly pods: number | undefined;
  /** What the nodes cost, USD/h; undefined: any amount. */
  readonly usdPerHour: number | undefined;
}

export interface BudgetWindow {
  /** When windows open. */
  readonly schedule: Schedule;
  readonly durationSeconds: number;
}

/** Whether one of the windows is open at this moment (milliseconds since the epoch). */
export function isAnyOpen(windows: readonly BudgetWindow[], now: number): boolean {
  return windows.some(({ schedule, durationSeconds }) => isWindowOpen(schedule, durationSeconds, now));
}

/** When the next of the windows opens, in milliseconds since the epoch; undefined: none does. */
export function nextOpening(windows: readonly BudgetWindow[], now: number): number | undefined {
  const opens = windows.flatMap(({ schedule }) => nextFire(schedule, now) ?? []);
  return opens.length === 0 ? undefined : Math.min(...opens);
}

/** A time in which reasons are allowed: a reason that windows name is allowed while one of them is open, and at no other. */
export interface AllowWindow extends BudgetWindow {
  readonly allow: readonly BudgetReason[];
}

/** Whether the windows let nodes be disrupted for this reason now: no window names it, or one that does is open. */
export function isReasonAllowed(windows: readonly AllowWindow[], reason: BudgetReason, now: number): boolean {
  const naming = windows.filter(({ allow }) => allow.includes(reason));
  return naming.length === 0 || isAnyOpen(naming, now);
}

/** Dates between which nodes stay. */
export interface Freeze {
  /** undefined: every reason but Unhealthy, and expiration that waits for budgets. */
  readonly reasons: readonly BudgetReason[] | undefined;
  /** Milliseconds since the epoch; the first moment of it. */
  readonly from: number;
  /** Milliseconds since the epoch; the first moment after it. */
  readonly until: number;
}

/** When the freezes that hold for the reason at this moment are over, in milliseconds since the epoch; undefined: none holds. */
export function frozenUntil(
  freezes: readonly Freeze[],
  reason: BudgetReason | undefined,
  now: number,
): number | undefined {
  const ends = freezes.flatMap(({ reasons, from, until }) => {
    const isNamed =
      reasons === undefined ? reason !== 'Unhealthy' : reason !== undefined && reasons.includes(reason);
    return isNamed && from <= now && now < until ? [until] : [];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** Why no node of a pool may be disrupted, whatever its budgets say. */
export type Closed =
  | {
      readonly code: 'Freeze';
      /** Milliseconds since the epoch. */
      readonly until: number;
    }
  | { readonly code: 'OutsideWindows' };

/** Whether freezes or windows forbid the reason now; no window holds for one that budgets cannot name, undefined. */
export function disruptionClosed(
  { freezes, windows }: { readonly freezes: readonly Freeze[]; readonly windows: readonly AllowWindow[] },
  reason: BudgetReason | undefined,
  now: number,
): Closed | undefined {
  const until = frozenUntil(freezes, reason, now);
  if (until !== undefined) return { code: 'Freeze', until };
  const isOpen = reason === undefined || isReasonAllowed(windows, reason, now);
  return isOpen ? undefined : { code: 'OutsideWindows' };
}

/**
 * Whether the budget says anything about this reason at this moment (milliseconds since the epoch). Of a reason that budgets
 * cannot name, undefined, those for every reason do.
 */
export function isBudgetActive(
  budget: Pick<DisruptionBudget, 'reasons' | 'window'>,
  reason: BudgetReason | undefined,
  now: number,
): boolean {
  if (budget.reasons !== undefined && (reason === undefined || !budget.reasons.includes(reason)))
    return false;
  return (
    budget.window === undefined || isWindowOpen(budget.window.schedule, budget.window.durationSeconds, now)
  );
}

/** Nodes that the budget allows of `total` managed, initialised nodes; percentages are rounded up, as Karpenter does. */
export function budgetedNodes(budget: DisruptionBudget, total: number): number {
  if ('count' in budget.nodes) return budget.nodes.count;
  return Math.ceil((total * budget.nodes.percent) / 100);
}

/**
 * Whether budgets count the node as disrupted already: one that goes, and one that is NotReady or whose disruption is proposed,
 * but not for repair, which would have to wait for the nodes that it is about (Karpenter), or for an approval.
 */
export function countsAgainst(
  reason: BudgetReason | undefined,
  node: {
    readonly ready: boolean;
    readonly leaving: boolean;
    readonly rebooting?: boolean | undefined;
    readonly proposed?: boolean | undefined;
  },
): boolean {
  const { ready, leaving, rebooting = false, proposed = false } = node;
  return leaving || rebooting || ((!ready || proposed) && reason !== 'Unhealthy');
}

/** The moment a set of budgets is asked about. */
export interface BudgetQuestion {
  /** undefined: one that budgets cannot name. */
  readonly reason: BudgetReason | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Managed, initialised nodes of the pool. */
  readonly total: number;
  /** Of them, those that count as disrupted already: see countsAgainst. */
  readonly used: number;
}

/** How many more nodes may be disrupted: the least of the active budgets less what is used; never negative. */
export function allowedDisruptions(budgets: readonly DisruptionBudget[], question: BudgetQuestion): number {
  const active = budgets.filter((budget) => isBudgetActive(budget, question.reason, question.now));
  const least = Math.min(question.total, ...active.map((budget) => budgetedNodes(budget, question.total)));
  return Math.max(0, least - question.used);
}
