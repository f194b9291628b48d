/** Folders that stand beside each other import one way only, so that a reader knows which comes first. */
import { importGraph, importsOf, type ImportGraph } from './import-graph.js';

/** Pairs of folders with one parent that import each other, with an import of the rarer direction. */
function mutualFolders(graph: ImportGraph): readonly string[] {
  const edges = new Map<string, readonly string[]>();
  for (const [path, imports] of graph) {
    for (const target of imports) {
      const pair = graph.has(target) ? siblings(path, target)?.join(' ') : undefined;
      if (pair !== undefined) edges.set(pair, [...(edges.get(pair) ?? []), `${path} imports ${target}`]);
    }
  }
  return [...edges].flatMap(([pair, imports]) => {
    const [from = '', to = ''] = pair.split(' ');
    const back = edges.get(`${to} ${from}`);
    if (back === undefined || back.length < imports.length) return [];
    return back.length > imports.length || from < to ? [`${from} and ${to}: ${imports[0] ?? ''}`] : [];
  });
}

/** The folders of two files where their paths part; undefined where one of them stands in the folder itself. */
function siblings(one: string, other: string): readonly [string, string] | undefined {
  const left = one.split('/');
  const right = other.split('/');
  let depth = 0;
  while (left[depth] === right[depth]) depth++;
  if (depth >= left.length - 1 || depth >= right.length - 1) return undefined;
  return [left.slice(0, depth + 1).join('/'), right.slice(0, depth + 1).join('/')];
}

test('folders of src and world import each other one way', () => {
  expect(mutualFolders(importGraph('src', 'world'))).toEqual([]);
});

test('two folders that import each other are named, with an import to mend', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['src/a/x/one.ts', "import { two } from '../y/two.js';\nimport { three } from '../y/three.js';\n"],
    ['src/a/y/two.ts', "export { four } from '../x/four.js';\n"],
    ['src/a/y/three.ts', ''],
    ['src/a/x/four.ts', "import { own } from '../own.js';\n"],
    ['src/a/own.ts', "import { one } from './x/one.js';\n"],
  ];
  const graph = new Map(texts.map(([path, text]) => [path, importsOf(path, text)]));
  expect(mutualFolders(graph)).toEqual(['src/a/y and src/a/x: src/a/y/two.ts imports src/a/x/four.ts']);
});
