/** The stages of planning import each other one way only: what eslint.layers.js says, and no folder of them in a circle. */
import { dirname, join, normalize } from 'node:path';
import { layers, stages } from '../../eslint.layers.js';
import { type Finding, lintTree } from './planted-tree.js';
import { projectFiles, readProjectFile } from './project-files.js';

const ROOM = 'src/planning';
const names = Object.keys(stages);
/** A list of values and the folder that they are in, which use what the stage gives them: a new method is a row and a file. */
const LISTS: ReadonlySet<string> = new Set([`${ROOM}/disrupt → ${ROOM}/disrupt/methods`]);

/** One file per stage that the others can import, and one per stage that imports all others, the files beside them first. */
function plantedTree(): ReadonlyMap<string, string> {
  const own = 'export const own = 1;\nexport type Own = number;\n';
  const files = new Map([
    [`${ROOM}/own.ts`, own],
    [`${ROOM}/reaching-in.ts`, "export * from './model/deep/own.js';\n"],
    [`${ROOM}/model/deep/own.ts`, own],
    [`${ROOM}/pack/planted.ts`, "export * from '../finish/own.js';\n"],
    [`${ROOM}/pack/twin.ts`, "export * from '../rules/own.js';\n"],
    [
      `${ROOM}/model/deep/planted.ts`,
      "import type { Own } from '../../pack/own.js';\nexport type Mine = Own;\n",
    ],
    [
      `${ROOM}/model/deep/twin.ts`,
      "import type { Own } from '../../snapshot/own.js';\nexport type Mine = Own;\n",
    ],
    ['src/state/own.ts', "export * from '../planning/engine/own.js';\n"],
    ['src/catalogue/own.ts', "export * from '../planning/engine/own.js';\n"],
    ['src/domain/own.ts', own],
  ]);
  for (const stage of names) {
    files.set(`${ROOM}/${stage}/own.ts`, own);
    const others = names.filter((other) => other !== stage);
    files.set(
      `${ROOM}/${stage}/all.ts`,
      `export * from '../own.js';\n${others.map((other) => `export * from '../${other}/own.js';\n`).join('')}`,
    );
  }
  return files;
}

let findings: ReadonlyMap<string, readonly Finding[]>;

beforeAll(async () => {
  findings = await lintTree(plantedTree());
});

const rulesBroken = (path: string): readonly (string | null)[] =>
  (findings.get(path) ?? []).map(({ rule }) => rule);

describe('the stages of planning', () => {
  test.each([
    [`${ROOM}/pack/planted.ts`, 'packing asks a later stage'],
    [`${ROOM}/model/deep/planted.ts`, 'a folder of the model imports a type of a later stage'],
    [`${ROOM}/reaching-in.ts`, 'a file beside the stages imports one'],
    ['src/catalogue/own.ts', 'a room that may not import planning imports a stage'],
  ])('refuses %s: %s', (path) => {
    expect(rulesBroken(path)).toContain('boundaries/dependencies');
  });

  test.each([`${ROOM}/pack/twin.ts`, `${ROOM}/model/deep/twin.ts`, 'src/state/own.ts'])(
    'accepts the twin %s',
    (path) => {
      expect(findings.get(path)).toEqual([]);
    },
  );

  test.each(names)('let %s import exactly the stages that come before it by name', (stage) => {
    const others = names.filter((other) => other !== stage);
    const refused = (findings.get(`${ROOM}/${stage}/all.ts`) ?? []).map(({ line }) => others[line - 2]);
    expect(others.filter((other) => !refused.includes(other)).sort()).toEqual(
      [...(stages[stage] ?? [])].sort(),
    );
    expect(refused).not.toContain(undefined);
  });

  test('have no cycle: each comes after all that it imports', () => {
    const free = (stage: string, left: readonly string[]) =>
      !(stages[stage] ?? []).some((to) => left.includes(to));
    expect(names.reduce((left) => left.filter((stage) => !free(stage, left)), names)).toEqual([]);
  });

  test('prove plans by nothing that made them, and pack without knowing who asks', () => {
    const makers = ['offerings', 'rules', 'pack', 'optimize', 'finish', 'improve'];
    expect((stages['prove'] ?? []).filter((stage) => makers.includes(stage))).toEqual([]);
    expect(layers['planning']).toEqual(['domain', 'apis']);
  });
});

test('docs/planning.md shows the stages of one plan with their arrows', () => {
  const rows = readProjectFile('docs/planning.md').matchAll(
    /^\| \[`([a-z]+)`\]\(\.\.\/src\/planning\/[a-z]+\) \|[^|]* \| ?([a-z, ]*?) ?\|$/gm,
  );
  const shown = [...rows].map(([, stage = '', to = '']): [string, readonly string[]] => [
    stage,
    stagesShown(to),
  ]);
  expect(shown.map(([stage]) => stage).sort()).toEqual([...(stages['engine'] ?? []), 'engine'].sort());
  for (const [stage, to] of shown) expect([stage, to]).toEqual([stage, [...(stages[stage] ?? [])].sort()]);
});

function stagesShown(cell: string): readonly string[] {
  if (cell === 'all above') return [...(stages['engine'] ?? [])].sort();
  return cell === '' ? [] : cell.split(', ').sort();
}

describe('the folders of planning', () => {
  const imports = folderImports();

  test('are the stages that eslint.layers.js names', () => {
    const found = new Set(
      [...imports.keys()].map((folder) => folder.split('/')[2]).filter((stage) => stage !== undefined),
    );
    expect([...found].sort()).toEqual([...names].sort());
  });

  test('never import each other in a circle, sub-folders of a stage included', () => {
    let left = [...imports.keys()];
    for (let before = -1; before !== left.length;) {
      before = left.length;
      left = left.filter((folder) => [...(imports.get(folder) ?? [])].some((to) => left.includes(to)));
    }
    expect(left).toEqual([]);
  });
});

/** Folder of planning → other folders of planning that its files import. */
function folderImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of projectFiles().filter((file) => file.startsWith(`${ROOM}/`))) {
    const folder = dirname(path);
    const into = found.get(folder) ?? new Set<string>();
    found.set(folder, into);
    for (const [, target = ''] of readProjectFile(path).matchAll(/ from '(\.[^']*)'/g)) {
      const to = dirname(normalize(join(folder, target)));
      if (to !== folder && to.startsWith(ROOM) && !LISTS.has(`${folder} → ${to}`)) into.add(to);
    }
  }
  return found;
}
