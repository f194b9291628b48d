/** From the paths that a user names to the texts of their manifests. */
import type { SourceText } from '../../apis/documents/document.js';
import type { FileSource } from '../command/cli-io.js';
import { UsageError } from '../command/usage-error.js';

const MANIFEST = /\.(ya?ml|json)$/i;

/**
 * Reads files, directories (their manifests at any depth, hidden names left out) and `-`, standard input, in the order
 * given, directories in the order of names. A file that is reached twice is read once.
 * @throws UsageError for a path that does not exist or cannot be read, and for a directory without manifests.
 */
export function readSources(paths: readonly string[], files: FileSource): readonly SourceText[] {
  const seen = new Set<string>();
  return paths.flatMap((path) => {
    const found = attempt(path, () => manifestsAt(path, files, new Set()));
    const fresh = found.filter((file) =>
      isFirst(
        attempt(file, () => files.identity(file)),
        seen,
      ),
    );
    return fresh.map((file) => ({ source: nameOf(file), text: attempt(file, () => files.read(file)) }));
  });
}

function manifestsAt(path: string, files: FileSource, visited: Set<string>): readonly string[] {
  const kind = files.kind(path);
  if (kind === 'missing') throw new UsageError(`${path}: no such file or directory`);
  if (kind === 'file') return [path];
  const found = manifestsBelow(path, files, visited);
  if (found.length === 0) throw new UsageError(`${path}: contains no manifests (*.yaml, *.yml, *.json)`);
  return found;
}

/** `visited` ends the walk where links lead back to a directory already seen. */
function manifestsBelow(directory: string, files: FileSource, visited: Set<string>): readonly string[] {
  if (!isFirst(files.identity(directory), visited)) return [];
  const names = files.list(directory).filter((name) => !name.startsWith('.'));
  return [...names].sort().flatMap((name) => {
    const path = `${directory.replace(/\/+$/, '')}/${name}`;
    const kind = files.kind(path);
    if (kind === 'directory') return manifestsBelow(path, files, visited);
    return kind === 'file' && MANIFEST.test(name) ? [path] : [];
  });
}

function isFirst(name: string, seen: Set<string>): boolean {
  const first = !seen.has(name);
  seen.add(name);
  return first;
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${nameOf(path)}: cannot be read: ${why}`, { cause: error });
  }
}
