/** What is measured of one case, or of one phase of it. */
import type { TopFunctions } from '../measuring/profile.js';

/** A consolidated cluster at a moment, beside what the planner's curve says for as many moves. Prices in USD/h. */
export interface PricePoint {
  readonly seconds: number;
  readonly moves: number;
  readonly hourly: number;
  readonly running: number;
  readonly curve: number;
}

export interface Row {
  /** `start 5000 x 30`, `churn 5000 + 50/s filter and prioritize of 1000`. */
  readonly case: string;
  readonly latencyMillis: number;
  /** Of the case: until the first decision, until the last CreateFleet, or the length of the phase. */
  readonly seconds: number;
  /** Of Berth's whole process in that time. */
  readonly cpuSeconds: number;
  /** At the peak, since the start. */
  readonly rssMiB: number;
  readonly loopP99CpuMillis: number;
  /** Requests that changed something in the API server. */
  readonly writes: number;
  /** What else was measured: name → figure. */
  readonly more: Readonly<Record<string, number>>;
  /** Goals of the full size that were missed; empty at other sizes. */
  readonly missed: readonly string[];
  /** What must not happen at any size. */
  readonly failed: readonly string[];
  /** By verb and resource. */
  readonly requests?: Readonly<Record<string, number>> | undefined;
  /** Of consolidation, in the order of time. */
  readonly points?: readonly PricePoint[];
  readonly profile?: TopFunctions | undefined;
}

/** A figure and what it should be at most. */
export interface Goal {
  readonly what: string;
  readonly figure: number;
  readonly atMost: number;
}

/** Those that are missed: `first CreateFleet 18.7, at most 10`. */
export function missedGoals(goals: readonly Goal[]): readonly string[] {
  return goals
    .filter(({ figure, atMost }) => !(figure <= atMost))
    .map(({ what, figure, atMost }) => `${what} ${rounded(figure)}, at most ${rounded(atMost)}`);
}

/** As short as three digits allow. */
export function rounded(figure: number): string {
  return Number.isInteger(figure) ? String(figure) : String(Number(figure.toPrecision(3)));
}
