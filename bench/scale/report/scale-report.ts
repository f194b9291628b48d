/** The rows for people, and reports/scale.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aligned } from '../../report/aligned.js';
import { circumstances } from '../../report/report-file.js';
import { rounded, type Row } from './row.js';

const HEAD = ['case', 'ms/request', 's', 'CPU s', 'MiB', 'loop p99', 'writes', 'and'];

export const LEGEND = `s: until the first decision (start), until the last CreateFleet (pending, small), until the last change
(consolidate), or of the phase (churn); CPU s: of Berth's whole process in that time, and in all where it consolidates; MiB: resident
at the peak; loop p99: milliseconds of its own processor time that 99 of 100 pieces of work hold the main thread at most; writes:
requests that changed something in the API server.
`;

/** One line for each row, and one more for each goal that it missed. */
export function table(rows: readonly Row[]): string {
  return aligned([HEAD, ...rows.map(cells)]) + rows.flatMap(remarks).join('');
}

function cells(row: Row): readonly string[] {
  return [
    row.case,
    String(row.latencyMillis),
    row.seconds.toFixed(1),
    row.cpuSeconds.toFixed(1),
    String(row.rssMiB),
    row.loopP99CpuMillis.toFixed(1),
    String(row.writes),
    Object.entries(row.more)
      .map(([name, figure]) => `${name} ${rounded(figure)}`)
      .join(', '),
  ];
}

function remarks({ case: name, latencyMillis, missed, failed }: Row): readonly string[] {
  const at = `${name}, ${String(latencyMillis)} ms a request`;
  return [
    ...failed.map((what) => `FAILED ${at}: ${what}\n`),
    ...missed.map((what) => `missed ${at}: ${what}\n`),
  ];
}

/** Rows have the figures of `more` beside their own. */
export function writeScaleReport(root: string, command: string, rows: readonly Row[]): void {
  const folder = join(root, 'reports');
  mkdirSync(folder, { recursive: true });
  const report = {
    ...circumstances(root),
    command,
    rows: rows.map(({ more, ...row }) => ({ ...row, ...more })),
  };
  writeFileSync(join(folder, 'scale.json'), `${JSON.stringify(report, undefined, 2)}\n`);
}
