/** Certificates and keys as files of one folder. Keys are readable by their owner alone, and a CA is never overwritten. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './command/usage-error.js';

const PEM_FILE_BYTES_MAX = 2 ** 20;
const KEY_MODE = 0o600;
const CERTIFICATE_MODE = 0o644;
const OTHERS = 0o077;

/**
 * The texts of those files that exist. A key that others may read is closed to them first.
 * @throws UsageError when the folder or a file cannot be read.
 */
export function readCertificates(folder: string, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name) => {
      const text = attempt(join(folder, name), (path) => readPem(path));
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/**
 * Writes the files in their order, making the folder if need be. Each appears whole or not at all, so that a server that
 * reads it meanwhile sees the old one or the new one.
 * @throws UsageError when the folder or a file cannot be written, or a CA has appeared there.
 */
export function writeCertificates(folder: string, files: ReadonlyMap<string, string>): void {
  attempt(folder, (path) => mkdirSync(path, { recursive: true }));
  for (const [name, text] of files)
    attempt(join(folder, name), (path) => {
      writePem(path, text, name.startsWith('ca.'));
    });
}

function readPem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.size > PEM_FILE_BYTES_MAX) throw new Error('too large for a certificate or a key');
  if (isKey(path) && (stats.mode & OTHERS) !== 0) chmodSync(path, KEY_MODE);
  return readFileSync(path, 'utf8');
}

function writePem(path: string, text: string, isAuthority: boolean): void {
  const mode = isKey(path) ? KEY_MODE : CERTIFICATE_MODE;
  if (isAuthority) {
    writeFileSync(path, text, { mode, flag: 'wx' });
    return;
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function isKey(path: string): boolean {
  return path.endsWith('.key');
}

function attempt<T>(path: string, act: (path: string) => T): T {
  try {
    return act(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path}: ${reason}`, { cause: error });
  }
}
