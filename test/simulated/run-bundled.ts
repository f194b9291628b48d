/** Programs that play days: bundled, which is faster than jest, and each call in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** What the program prints as JSON for each list of arguments, one after the other. @throws Error, when one fails, with what it wrote. */
export async function runBundled(
  entry: string,
  calls: readonly (readonly string[])[],
): Promise<readonly unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-days-'));
  const run = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 2 ** 26 })).stdout;
  try {
    const program = join(folder, 'program.mjs');
    await run('test/simulated/days/build.js', program, entry);
    const answers: unknown[] = [];
    for (const args of calls) answers.push(JSON.parse(await run(program, ...args)));
    return answers;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
