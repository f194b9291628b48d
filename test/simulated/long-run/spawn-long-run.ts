/** Starts long runs as processes of their own: what one leaves in its memory, no other can see. */
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LongRun } from './main.js';

const MAIN = join(import.meta.dirname, 'main.ts');
const ROOT = join(import.meta.dirname, '../../..');
/** CommonJS packages inside an ES module still call require(). */
const REQUIRE = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`;

/** One after the other; answers what came of each. @throws Error, when one fails, with what it wrote. */
export async function spawnLongRuns(
  seeds: readonly number[],
  { minutes }: { readonly minutes: number },
): Promise<readonly LongRun[]> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-long-run-'));
  try {
    const program = join(directory, 'long-run.mjs');
    await build({
      entryPoints: [MAIN],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      banner: { js: REQUIRE },
      logLevel: 'error',
    });
    const runs: LongRun[] = [];
    for (const seed of seeds) runs.push(await spawned(program, seed, minutes));
    return runs;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function spawned(program: string, seed: number, minutes: number): Promise<LongRun> {
  const args = [program, String(seed), String(minutes)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout) as LongRun;
}
