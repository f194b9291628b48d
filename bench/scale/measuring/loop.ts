/** How long pieces of work hold the main thread of Berth, from what the probe writes (../probe.cjs). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ProbeLine {
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  /** Turns of the loop since the line before. */
  readonly ticks: number;
  /** Of turns that were long: milliseconds by the clock, and of the thread's own processor time. */
  readonly pieces: readonly (readonly [wall: number, cpu: number])[];
}

export interface LoopFigures {
  /** 99 of 100 turns took at most so much of the thread's processor time. */
  readonly loopP99CpuMillis: number;
  readonly loopMaxCpuMillis: number;
}

const SHARE = 0.99;
/** Where the probe notes no pieces; what is shorter is this at most. */
const LEAST_MILLIS = 2;

/** Over the turns from one moment to another, in milliseconds since 1970. */
export function loopFigures(folder: string, from: number, to: number): LoopFigures {
  return figuresOf(
    readFileSync(join(folder, 'loop.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as ProbeLine)
      .filter(({ at }) => at >= from && at <= to),
  );
}

/** Percentiles count turns, as perf_hooks does. */
export function figuresOf(lines: readonly Pick<ProbeLine, 'ticks' | 'pieces'>[]): LoopFigures {
  const ticks = lines.reduce((sum, line) => sum + line.ticks, 0);
  const cpu = lines.flatMap(({ pieces }) => pieces.map(([, own]) => own)).sort((left, right) => right - left);
  return {
    loopP99CpuMillis: cpu[Math.floor(ticks * (1 - SHARE))] ?? LEAST_MILLIS,
    loopMaxCpuMillis: cpu[0] ?? LEAST_MILLIS,
  };
}
