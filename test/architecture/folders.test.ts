/** Folders that stand beside each other import one way only, so that a reader knows which comes first. */
import { dirname, join, normalize } from 'node:path/posix';
import { projectFiles, readProjectFile } from './project-files.js';

/** Path → text. */
type Tree = ReadonlyMap<string, string>;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** Pairs of folders with one parent that import each other, with an import of the rarer direction. */
function mutualFolders(tree: Tree): readonly string[] {
  const edges = new Map<string, string[]>();
  for (const [path, text] of tree) {
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      const target = normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts');
      const pair = tree.has(target) ? siblings(path, target) : undefined;
      if (pair === undefined) continue;
      const known = edges.get(pair.join(' ')) ?? [];
      edges.set(pair.join(' '), [...known, `${path} imports ${target}`]);
    }
  }
  return [...edges].flatMap(([pair, imports]) => {
    const [from = '', to = ''] = pair.split(' ');
    const back = edges.get(`${to} ${from}`);
    const isRarer =
      back !== undefined && (imports.length < back.length || (imports.length === back.length && from < to));
    return isRarer ? [`${from} and ${to}: ${imports[0] ?? ''}`] : [];
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

test('folders of src import each other one way', () => {
  const paths = projectFiles().filter((path) => /^src\/.*\.ts$/.test(path));
  expect(mutualFolders(new Map(paths.map((path) => [path, readProjectFile(path)])))).toEqual([]);
});

test('two folders that import each other are named, with an import to mend', () => {
  const tree = new Map([
    ['src/a/x/one.ts', "import { two } from '../y/two.js';\nimport { three } from '../y/three.js';\n"],
    ['src/a/y/two.ts', "export { four } from '../x/four.js';\n"],
    ['src/a/y/three.ts', ''],
    ['src/a/x/four.ts', "import { own } from '../own.js';\n"],
    ['src/a/own.ts', "import { one } from './x/one.js';\n"],
  ]);
  expect(mutualFolders(tree)).toEqual(['src/a/y and src/a/x: src/a/y/two.ts imports src/a/x/four.ts']);
});
