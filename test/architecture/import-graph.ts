/** Which files of the project import which: every `import … from`, `export … from` and `import('…')` of a relative path. */
import { dirname, normalize } from 'node:path/posix';
import { projectFiles, readProjectFile } from './project-files.js';

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)'(\.{1,2}\/[^']*)\.js'/g;

/** TypeScript file below one of the folders → the TypeScript files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

export function importGraph(...folders: readonly string[]): ImportGraph {
  const paths = projectFiles().filter(
    (path) => path.endsWith('.ts') && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
  return new Map(paths.map((path) => [path, importsOf(path, readProjectFile(path))]));
}

/** The files that the text of a file imports. */
export function importsOf(path: string, text: string): ReadonlySet<string> {
  const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => target);
  return new Set(targets.map((target) => `${normalize(`${dirname(path)}/${target}`)}.ts`));
}

/** What the entry imports, and what that imports, and so on, itself included. */
export function reachableFrom(entry: string, graph: ImportGraph): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...(graph.get(path) ?? []));
  }
  return reached;
}

/** Folder → the other folders that its files import. */
export function folderGraph(graph: ImportGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const [path, imports] of graph) {
    const folder = dirname(path);
    const into = folders.get(folder) ?? new Set<string>();
    folders.set(folder, into);
    for (const target of imports)
      if (graph.has(target) && dirname(target) !== folder) into.add(dirname(target));
  }
  return folders;
}

/** The folders that import each other, directly or over others; empty when all arrows go one way. */
export function foldersInCircles(folders: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  let left = [...folders.keys()];
  for (let before = -1; before !== left.length;) {
    before = left.length;
    left = left.filter((folder) => [...(folders.get(folder) ?? [])].some((to) => left.includes(to)));
  }
  return left;
}
