/** reports/install.json, to which each suite of the chart adds its part. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../chart/helm.js';
import { writeReport } from '../../fidelity/report.js';

const FILE = join(ROOT, 'reports/install.json');

export interface InstallReport {
  /** Sets of values there are, and how many of them render what the API server takes. */
  readonly valueSets: number;
  readonly valid: number;
  /** Modes in which the installed chart gave pods their nodes. */
  readonly schedulerModes: readonly string[];
}

export function addToInstallReport(part: Partial<InstallReport>): void {
  const before = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<InstallReport>) : {};
  const { valueSets = 0, valid = 0, schedulerModes = [] } = { ...before, ...part };
  writeReport('install', 'make test-cluster', { valueSets, valid, schedulerModes });
}
