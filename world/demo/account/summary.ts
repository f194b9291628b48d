/** What the demo says at its end: every expectation beside what was seen. */
import { counted } from '../../../src/domain/values/text.js';
import type { Style } from '../../../src/app/cli/render/text/style.js';
import { tableLines } from '../../../src/app/cli/render/text/table.js';
import type { PaceReport } from '../../clock/pace.js';
import { timeText } from './account.js';
import type { Finding } from '../stages/stage.js';

export interface StageResult {
  readonly name: string;
  readonly findings: readonly Finding[];
  /** Of the world's time, in milliseconds. */
  readonly millis: number;
}

const COLUMNS = [
  { header: 'STAGE' },
  { header: 'TOOK' },
  { header: 'WHAT' },
  { header: 'EXPECTED' },
  { header: 'SEEN' },
  { header: '' },
];

export function summaryLines(results: readonly StageResult[], style: Style): readonly string[] {
  const rows = results.flatMap(({ name, findings, millis }) =>
    findings.map(({ what, expected, seen, isMet }, index) => [
      ...(index === 0 ? [style.bold(name), timeText(millis)] : ['', '']),
      what,
      expected,
      seen,
      isMet ? style.green('ok') : style.red('MISSED'),
    ]),
  );
  const missed = missedFindings(results).length;
  const total = results.reduce((sum, { findings }) => sum + findings.length, 0);
  const verdict =
    missed === 0
      ? style.green(`all ${String(total)} expectations were met`)
      : style.red(`${String(missed)} of ${counted(total, 'expectation')} missed`);
  return [...tableLines(COLUMNS, rows), '', verdict];
}

export function missedFindings(results: readonly StageResult[]): readonly Finding[] {
  return results.flatMap(({ findings }) => findings.filter(({ isMet }) => !isMet));
}

/** How fast time was in the end, and what it waited for most. */
export function paceLine({ wallMillis, virtualMillis, waitedMillis }: PaceReport, speed: number): string {
  const average = wallMillis === 0 ? speed : virtualMillis / wallMillis;
  const waits = [...waitedMillis]
    .filter(([, millis]) => millis >= 1000)
    .toSorted(([, left], [, right]) => right - left)
    .map(([what, millis]) => `${String(Math.round(millis / 1000))} s for ${what}`);
  const why = waits.length === 0 ? '' : `; it waited ${waits.join(', ')}`;
  return `simulated time ran ${average.toFixed(1)} times faster than real time on average, ${String(speed)} at most${why}`;
}
