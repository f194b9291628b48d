/**
 * Installs the locked dependencies with `npm ci`, and says how far it is, since npm itself says nothing for minutes.
 * Exit code: npm's.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const EVERY_MILLIS = 5000;
const startedAt = performance.now();

/** Folders of the packages that npm is about to make; what belongs to other platforms is left out by it. */
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const folders = Object.entries(lock.packages)
  .filter(([path, { os, cpu, libc }]) => path !== '' && [os, cpu, libc].every((only) => only === undefined))
  .map(([path]) => path);

function progress() {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const there = folders.filter((folder) => existsSync(join(folder, 'package.json'))).length;
  const what =
    there === 0 ? 'npm is fetching packages' : `${String(there)} of ${String(folders.length)} packages`;
  process.stdout.write(`  ${what}, ${String(seconds)} s\n`);
}

process.stdout.write(
  `installing ${String(folders.length)} packages with npm, as package-lock.json says (once; a minute or two)\n`,
);
const reporting = setInterval(progress, EVERY_MILLIS);
const npm = spawn('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund', ...process.argv.slice(2)], {
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: process.platform === 'win32',
});
npm.once('error', ({ message }) => {
  clearInterval(reporting);
  process.stderr.write(`npm cannot be started: ${message}\n`);
  process.exitCode = 1;
});
npm.once('close', (code, signal) => {
  clearInterval(reporting);
  if (code === 0) progress();
  process.exitCode = code ?? 1;
  if (signal !== null) process.stderr.write(`npm ended by ${signal}\n`);
});
