/** Writes what was measured to reports/bench.json: how it was made, the rows that issue 6 names, and what else was found. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Row } from './row.js';

export interface ReportHead {
  readonly command: string;
  readonly seed: number;
}

export function writeReport(
  projectRoot: string,
  head: ReportHead,
  { rows, ...others }: { readonly rows: readonly Row[] } & Readonly<Record<string, unknown>>,
): void {
  const folder = join(projectRoot, 'reports');
  mkdirSync(folder, { recursive: true });
  const report = {
    ...circumstances(projectRoot),
    ...head,
    rows: rows.map(shortRow),
    details: rows.map(({ workload, solver, placed, cpuSeconds, claims, berth, remark }) => ({
      ...{ workload, solver, placed, cpuSeconds, claims, ...berth, remark },
    })),
    ...others,
  };
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, undefined, 2)}\n`);
}

/** What can be said of every solver. */
type ShortRow = Omit<Row, 'placed' | 'cpuSeconds' | 'claims' | 'berth' | 'remark'>;

export function shortRow(row: Row): ShortRow {
  const { workload, solver, pods, seconds, coldSeconds, hourly, lowerBound, rssMiB, valid } = row;
  return { workload, solver, pods, seconds, coldSeconds, hourly, lowerBound, rssMiB, valid };
}

/** Of what, and on what, it is measured. */
export function circumstances(projectRoot: string): {
  readonly commit: string | null;
  readonly node: string;
  readonly machine: string;
} {
  const machine = `${String(cpus().length)} x ${cpus()[0]?.model ?? 'unknown'}`;
  return { commit: commit(projectRoot), node: process.version, machine };
}

/** A copy of the tree without its history has none. */
function commit(projectRoot: string): string | null {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
