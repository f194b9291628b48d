/** What planning the workloads came to: a table for people and a report file that says how it was made. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../architecture/project-files.js';
import { headCommit } from '../support/head-commit.js';

export interface WorkloadRow {
  readonly workload: string;
  readonly pods: number;
  readonly claims: number;
  /** USD/h. */
  readonly price: number;
  readonly lowerBound: number | null;
  /** USD/h. */
  readonly karpenter: number;
  /** Price by Karpenter's. */
  readonly ratio: number;
  /** Of planning alone, on the clock, the first plan of a process. */
  readonly seconds: number;
}

/** Rows in columns, numbers to the right. */
export function workloadTable(rows: readonly WorkloadRow[]): string {
  const head = ['workload', 'pods', 'claims', 'price', 'bound', 'karpenter', 'ratio', 'seconds'];
  const body = rows.map((row) => [
    row.workload,
    String(row.pods),
    String(row.claims),
    row.price.toFixed(2),
    row.lowerBound?.toFixed(2) ?? '',
    row.karpenter.toFixed(2),
    row.ratio.toFixed(3),
    row.seconds.toFixed(2),
  ]);
  const lines = [head, ...body];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return `${lines.map(format).join('\n')}\n`;
}

/** Writes reports/workloads.json. */
export function writeWorkloadReport(rows: readonly WorkloadRow[]): void {
  const folder = join(projectRoot, 'reports');
  mkdirSync(folder, { recursive: true });
  const report = {
    commit: headCommit(),
    node: process.version,
    command: 'BERTH_WORKLOADS=FOLDER npm test -- test/workloads',
    rows,
  };
  writeFileSync(join(folder, 'workloads.json'), `${JSON.stringify(report, undefined, 2)}\n`);
}
