/** Where the workloads are that are not ours, if they are anywhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const GENERATOR = 'generate.py';

/**
 * The folder with NAME.json and catalog.json: the one that BERTH_BENCH_DIR names or a sibling of the checkout, or, where
 * that holds only the generator, one that its output was written to. undefined when there is neither.
 */
export function workloadFolder(projectRoot: string): string | undefined {
  const named = process.env['BERTH_BENCH_DIR'] ?? join(projectRoot, '..', 'shared', 'bench');
  if (existsSync(join(named, 'catalog.json'))) return named;
  if (!existsSync(join(named, GENERATOR))) return undefined;
  const folder = join(projectRoot, 'node_modules', '.cache', 'berth', 'workloads');
  if (existsSync(join(folder, 'catalog.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('python3', [join(named, GENERATOR), folder], { stdio: 'ignore' });
  return status === 0 ? folder : undefined;
}
