/** The project's own files, found by walking the tree, so that tests about its shape need no git. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that holds package.json. */
export const projectRoot = join(import.meta.dirname, '../..');

const notOurs = new Set(['.git', 'node_modules', 'dist', 'coverage', 'reports', '.berth']);

/** Every file of the project that is not installed, built or ignored, as sorted paths below its root with forward slashes. */
export function projectFiles(): readonly string[] {
  return filesBelow('').sort();
}

/** The text of a file given by its path below the project's root. */
export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
