/** Plans a workload as a user would: the bundle in a process of its own, from files to JSON. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../architecture/project-files.js';

/** What of the printed plan the workloads look at. */
export interface PrintedPlan {
  readonly nodeClaims: readonly { readonly name: string; readonly pods: readonly string[] }[];
  readonly unschedulable: readonly unknown[];
  readonly cost: { readonly hourly: number; readonly lowerBound: number | null };
  readonly solveMillis: number;
}

/** Builds dist/berth.js from the sources as they are. */
export function buildBundle(): void {
  execFileSync(process.execPath, ['esbuild.config.js'], { cwd: projectRoot });
}

/**
 * Runs `berth plan` on a workload's manifests and catalog file.
 * @throws Error when it exits with anything but 0.
 */
export function berthPlan(folder: string, name: string): PrintedPlan {
  const files = ['-f', join(folder, `${name}.manifests.json`), '--catalog', join(folder, 'catalog.json')];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot, 'dist/berth.js'), 'plan', ...files, '-o', 'json'],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`${name}: berth plan exits with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout) as PrintedPlan;
}
