/** What the demo says at its end: every expectation beside what was seen. */
import { counted } from '../cli/render/numbers.js';
import type { Style } from '../cli/render/style.js';
import { tableLines } from '../cli/render/table.js';
import { timeText } from './account.js';
import type { Finding } from './stage.js';

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
