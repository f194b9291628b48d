/** Writes reports/<name>.json with the commit, the command and the cluster that it is about. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headCommit } from '../../support/head-commit.js';
import { chosenMinor } from '../fixture/process/server-binary.js';

const ROOT = join(import.meta.dirname, '../../..');

const FIDELITY = join(ROOT, 'reports/fidelity.json');

interface Row {
  /** What the pods are, and what happens to them. */
  readonly workload: string;
}

/** Writes rows into reports/fidelity.json, beside those that other suites have written there of the same commit. */
export function writeFidelity(rows: readonly Row[]): void {
  const own = new Set(rows.map(({ workload }) => workload));
  const others = rowsBefore().filter(({ workload }) => !own.has(workload));
  writeReport('fidelity', 'make fidelity', { rows: [...others, ...rows] });
}

function rowsBefore(): readonly Row[] {
  if (!existsSync(FIDELITY)) return [];
  const { commit, rows } = JSON.parse(readFileSync(FIDELITY, 'utf8')) as {
    readonly commit: string | null;
    readonly rows: readonly Row[];
  };
  return commit !== null && commit === headCommit() ? rows : [];
}

/** `content` stands beside what the report was made with. */
export function writeReport(name: string, command: string, content: Readonly<Record<string, unknown>>): void {
  const folder = join(ROOT, 'reports');
  mkdirSync(folder, { recursive: true });
  const report = { command, commit: headCommit(), kubernetes: chosenMinor(), ...content };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`);
}
