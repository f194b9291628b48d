/** What the import graph must look like: the product holds only what it can reach, and the world's folders import one way. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderGraph, foldersInCircles, importGraph, importsOf, reachableFrom } from './import-graph.js';
import { projectRoot } from './project-files.js';

const ENTRY = 'src/app/main.ts';

describe('src', () => {
  const graph = importGraph('src');

  test('holds nothing that the program or its threads cannot reach', () => {
    const reached = reachableFrom(ENTRY, graph);
    expect([...graph.keys()].filter((path) => !reached.has(path))).toEqual([]);
    expect(reached.size).toBeGreaterThan(500);
  });

  test('would be found out when it held a file that nothing imports', () => {
    const path = 'src/domain/planted.ts';
    const planted = new Map([...graph, [path, new Set(['src/domain/pods/pod.ts'])]]);
    expect(reachableFrom(ENTRY, planted).has(path)).toBe(false);
    const imported = new Map([...planted, [ENTRY, new Set([path])]]);
    expect([...reachableFrom(ENTRY, imported)]).toContain('src/domain/pods/pod.ts');
  });

  test('imports nothing of any other folder', () => {
    const outside = [...graph].flatMap(([path, imports]) =>
      [...imports].filter((target) => !graph.has(target)).map((target) => `${path} → ${target}`),
    );
    expect(outside).toEqual([]);
  });
});

describe('the folders of world', () => {
  test('never import each other in a circle', () => {
    expect(foldersInCircles(folderGraph(importGraph('world')))).toEqual([]);
  });

  test('have at most fifteen entries', () => {
    const folders = [
      'world',
      ...[...folderGraph(importGraph('world')).keys()].filter((path) => path !== 'world'),
    ];
    const large = folders.filter((folder) => readdirSync(join(projectRoot, folder)).length > 15);
    expect(large).toEqual([]);
  });
});

describe('the import graph', () => {
  test('sees imports, exports and what is loaded later, of values and types', () => {
    const text = [
      "import type { A } from './a.js';",
      "export { b } from '../b.js';",
      "import './c.js';",
      "const load = async () => (await import('./d.js')).d;",
      "import { readFileSync } from 'node:fs';",
    ].join('\n');
    expect([...importsOf('src/x/y.ts', text)]).toEqual([
      'src/x/a.ts',
      'src/b.ts',
      'src/x/c.ts',
      'src/x/d.ts',
    ]);
  });

  test('finds folders that import each other over a third', () => {
    const folders = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['a'])],
      ['d', new Set(['a'])],
      ['e', new Set<string>()],
    ]);
    expect(foldersInCircles(folders)).toEqual(['a', 'b', 'c', 'd']);
  });
});
