/** When the nodes of a NodePool may be disrupted in days to come, by its budgets, windows and freezes. */
import { nextFire, type Schedule } from '../values/schedule.js';
import {
  disruptionClosed,
  isBudgetActive,
  type BudgetReason,
  type Closed,
  type DisruptionBudget,
  type LoadBudget,
} from './budget.js';
import type { Disruption } from './node-pool.js';

/** A time in which the same is allowed. */
export interface CalendarSpan {
  /** Milliseconds since the epoch; inside. */
  readonly from: number;
  /** Milliseconds since the epoch; outside. */
  readonly until: number;
  /** Why no node may be disrupted; undefined: budgets decide. */
  readonly closed: Closed['code'] | undefined;
  /** Active budgets over the nodes of the pool; the smallest holds. */
  readonly budgets: readonly DisruptionBudget['nodes'][];
  /** Active budgets over the nodes of all pools; the smallest holds. */
  readonly clusterBudgets: readonly DisruptionBudget['nodes'][];
  /** Active budgets in pods and USD/h; each holds. */
  readonly loadBudgets: readonly Pick<LoadBudget, 'pods' | 'usdPerHour'>[];
}

export interface CalendarQuestion {
  readonly disruption: Pick<Disruption, 'budgets' | 'loadBudgets' | 'windows' | 'freezes'>;
  /** Those of all pools. */
  readonly clusterBudgets: readonly DisruptionBudget[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

/** Moments at which anything changes: a calendar with more ends earlier than asked. */
const MOST_MOMENTS = 1000;

export class DisruptionCalendar {
  readonly #question: CalendarQuestion;
  /** Ascending, from the first of the calendar to its end. */
  readonly #moments: readonly number[];

  constructor(question: CalendarQuestion) {
    this.#question = question;
    this.#moments = momentsOf(question);
  }

  /** Milliseconds since the epoch: what was asked for, or where there would be too many spans. */
  get until(): number {
    return this.#moments.at(-1) ?? this.#question.from;
  }

  /** Of the whole calendar, one after the other; of a reason that budgets cannot name, undefined. */
  spans(reason: BudgetReason | undefined): readonly CalendarSpan[] {
    const spans: CalendarSpan[] = [];
    let last = '';
    for (const [index, from] of this.#moments.slice(0, -1).entries()) {
      const until = this.#moments[index + 1] ?? from;
      const allowed = this.#at(from, reason);
      const key = JSON.stringify(allowed);
      const before = key === last ? spans.pop() : undefined;
      spans.push({ from: before?.from ?? from, until, ...allowed });
      last = key;
    }
    return spans;
  }

  #at(now: number, reason: BudgetReason | undefined): Omit<CalendarSpan, 'from' | 'until'> {
    const { disruption, clusterBudgets } = this.#question;
    const { budgets, loadBudgets } = disruption;
    const closed = disruptionClosed(disruption, reason, now)?.code;
    if (closed !== undefined) return { closed, budgets: [], clusterBudgets: [], loadBudgets: [] };
    const active = <T extends Pick<DisruptionBudget, 'reasons' | 'window'>>(
      list: readonly T[],
    ): readonly T[] => list.filter((budget) => isBudgetActive(budget, reason, now));
    return {
      closed: undefined,
      budgets: active(budgets).map(({ nodes }) => nodes),
      clusterBudgets: active(clusterBudgets).map(({ nodes }) => nodes),
      loadBudgets: active(loadBudgets).map(({ pods, usdPerHour }) => ({ pods, usdPerHour })),
    };
  }
}

/** When anything begins or ends, with the ends of the calendar. */
function momentsOf({ disruption, clusterBudgets, from, until }: CalendarQuestion): readonly number[] {
  const { windows, freezes, budgets, loadBudgets } = disruption;
  const moments = new Set(freezes.flatMap((freeze) => [freeze.from, freeze.until]));
  let end = until;
  const scheduled = [
    ...windows,
    ...[...budgets, ...clusterBudgets, ...loadBudgets].flatMap(({ window }) => window ?? []),
  ];
  for (const { schedule, durationSeconds } of scheduled) {
    const fires = firesOf(schedule, { from: Math.max(0, from - durationSeconds * 1000), until: end });
    if (fires.length === MOST_MOMENTS) end = Math.min(end, fires.at(-1) ?? end);
    for (const fire of fires) moments.add(fire).add(fire + durationSeconds * 1000);
  }
  const within = [...moments].filter((moment) => from < moment && moment < end).sort((a, b) => a - b);
  const all = [from, ...within, end];
  return all.length <= MOST_MOMENTS ? all : all.slice(0, MOST_MOMENTS);
}

/** At most MOST_MOMENTS. */
function firesOf(
  schedule: Schedule,
  { from, until }: { readonly from: number; readonly until: number },
): readonly number[] {
  const fires: number[] = [];
  for (let at = nextFire(schedule, from); at !== undefined && at < until; at = nextFire(schedule, at)) {
    fires.push(at);
    if (fires.length === MOST_MOMENTS) break;
  }
  return fires;
}
