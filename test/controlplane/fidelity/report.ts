/** Writes reports/<name>.json with the commit, the command and the cluster that it is about. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chosenMinor } from '../fixture/process/server-binary.js';

const ROOT = join(import.meta.dirname, '../../..');

/** `rows` stand beside what the report was made with. */
export function writeReport(name: string, command: string, content: Readonly<Record<string, unknown>>): void {
  const folder = join(ROOT, 'reports');
  mkdirSync(folder, { recursive: true });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const report = { command, commit, kubernetes: chosenMinor(), ...content };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`);
}
