/** Repeats a piece of work until its time no longer falls. */

export interface RepeatOptions {
  readonly leastRuns: number;
  readonly mostRuns: number;
  /** Seconds of processor time, so that a busy host changes little, after which no run begins but the first few. */
  readonly budget: number;
}

/** Runs in a row that must not be faster than the fastest before them. */
const STEADY_RUNS = 6;
const FASTER = 0.98;

/** Whether the last runs were no faster than those before: the compiler has done what it does. */
export function isSteady(runs: readonly number[]): boolean {
  if (runs.length <= STEADY_RUNS) return false;
  const before = Math.min(...runs.slice(0, -STEADY_RUNS));
  return Math.min(...runs.slice(-STEADY_RUNS)) >= FASTER * before;
}

/** Runs that are made however long they take. */
const FEWEST_RUNS = 3;

/** Calls `run`, which says how long it took, until its times are steady or the budget is spent. */
export function repeat(run: () => number, { leastRuns, mostRuns, budget }: RepeatOptions): readonly number[] {
  const start = process.cpuUsage();
  const runs: number[] = [];
  while (runs.length < mostRuns) {
    const isLate = processorSeconds(start) > budget;
    if (runs.length >= FEWEST_RUNS && (isLate || (runs.length >= leastRuns && isSteady(runs)))) break;
    runs.push(run());
  }
  return runs;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** What the work gives, and the seconds that it took. */
export function timed<T>(work: () => T): readonly [T, number] {
  const start = performance.now();
  const result = work();
  return [result, (performance.now() - start) / 1000];
}

/** Seconds of all processors that this process has taken since then. */
export function processorSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}
