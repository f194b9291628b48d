/** Writes what was measured to reports/bench.json, with how it was made at the top. */
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
  findings: { readonly rows: readonly Row[] } & Readonly<Record<string, unknown>>,
): void {
  const folder = join(projectRoot, 'reports');
  mkdirSync(folder, { recursive: true });
  const machine = `${String(cpus().length)} x ${cpus()[0]?.model ?? 'unknown'}`;
  const report = { commit: commit(projectRoot), node: process.version, machine, ...head, ...findings };
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, undefined, 2)}\n`);
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
