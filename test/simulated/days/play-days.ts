/** Days in processes of their own, for tests. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DayResult } from './play-day.js';

const ROOT = join(import.meta.dirname, '../../..');

/** One after the other. @throws Error, when one fails, with what it wrote. */
export async function playDays(
  seeds: readonly number[],
  { hours }: { readonly hours: number },
): Promise<readonly DayResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-days-'));
  const run = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 2 ** 26 })).stdout;
  try {
    const program = join(folder, 'days.mjs');
    await run('test/simulated/days/build.js', program);
    const days: DayResult[] = [];
    for (const seed of seeds)
      days.push(JSON.parse(await run(program, 'day', String(seed), String(hours))) as DayResult);
    return days;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
