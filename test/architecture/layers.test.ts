/** The layer rule holds: each room of src/ can import what the DAG says and nothing else, and the pure rooms stay pure. */
import { layers as sourceLayers, pureLayers, worldLayers } from '../../eslint.layers.js';
import { type Finding, lintTree } from './planted-tree.js';
import { readProjectFile } from './project-files.js';

/** A violation, and the nearest code that is in order. */
interface Plant {
  readonly what: string;
  readonly folder: string;
  readonly rule: string;
  readonly planted: string;
  readonly twin: string;
}

const plants: readonly Plant[] = [
  {
    what: 'planning imports adapters/kube',
    folder: 'src/planning',
    rule: 'boundaries/dependencies',
    planted: "import { own } from '../adapters/kube/own.js';\nexport const next = own + 1;\n",
    twin: "import { own } from '../domain/own.js';\nexport const next = own + 1;\n",
  },
  {
    what: 'planning imports a type of state',
    folder: 'src/planning',
    rule: 'boundaries/dependencies',
    planted: "import type { Own } from '../state/own.js';\nexport type Other = Own;\n",
    twin: "import type { Own } from '../apis/own.js';\nexport type Other = Own;\n",
  },
  {
    what: 'domain imports node:fs',
    folder: 'src/domain',
    rule: 'no-restricted-imports',
    planted: "import { existsSync } from 'node:fs';\nexport const there = existsSync('x');\n",
    twin: "import { own } from './own.js';\nexport const there = own;\n",
  },
  {
    what: "apis imports domain's package",
    folder: 'src/apis',
    rule: 'no-restricted-imports',
    planted: "import { Cron } from 'croner';\nexport const parse = Cron;\n",
    twin: "import { parse } from 'yaml';\nexport const read: unknown = parse('{}');\n",
  },
  {
    what: 'a controller imports types of the Kubernetes client',
    folder: 'src/controllers',
    rule: 'no-restricted-imports',
    planted:
      "import type { V1Pod } from '@kubernetes/client-node';\nexport interface Seen {\n  readonly pod: V1Pod;\n}\n",
    twin: "import type { Own } from '../ports/own.js';\nexport interface Seen {\n  readonly pod: Own;\n}\n",
  },
  {
    what: 'clouds/aws imports adapters/kube',
    folder: 'src/clouds/aws',
    rule: 'boundaries/dependencies',
    planted: "import { own } from '../../adapters/kube/own.js';\nexport const next = own + 1;\n",
    twin: "import { own } from '../../ports/own.js';\nexport const next = own + 1;\n",
  },
  {
    what: 'a controller imports a type of a cloud',
    folder: 'src/controllers',
    rule: 'boundaries/dependencies',
    planted: "import type { Own } from '../clouds/aws/own.js';\nexport type Other = Own;\n",
    twin: "import type { Own } from '../ports/own.js';\nexport type Other = Own;\n",
  },
  {
    what: 'a cloud imports another',
    folder: 'src/clouds/kwok',
    rule: 'boundaries/dependencies',
    planted: "import { own } from '../aws/catalogue/own.js';\nexport const next = own + 1;\n",
    twin: "import { own } from '../../catalogue/own.js';\nexport const next = own + 1;\n",
  },
  {
    what: 'the simulated scheduler imports planning',
    folder: 'world/scheduler',
    rule: 'boundaries/dependencies',
    planted: "import { own } from '../../src/planning/own.js';\nexport const next = own + 1;\n",
    twin: "import { own } from '../../src/catalogue/own.js';\nexport const next = own + 1;\n",
  },
  {
    what: 'the command line imports a type of the simulated world',
    folder: 'src/app/cli',
    rule: 'boundaries/dependencies',
    planted: "import type { Own } from '../../../world/demo/own.js';\nexport type Other = Own;\n",
    twin: "import type { Own } from '../../state/own.js';\nexport type Other = Own;\n",
  },
  {
    what: 'a simulated kubelet reads the clock',
    folder: 'world/kubelet',
    rule: 'no-restricted-properties',
    planted: 'export function age(since: number): number {\n  return Date.now() - since;\n}\n',
    twin: 'export function age(since: number, now: number): number {\n  return now - since;\n}\n',
  },
  {
    what: 'planning reads the clock',
    folder: 'src/planning',
    rule: 'no-restricted-properties',
    planted: 'export function age(since: number): number {\n  return Date.now() - since;\n}\n',
    twin: 'export function age(since: number, now: number): number {\n  return now - since;\n}\n',
  },
  {
    what: 'planning asks for the present date',
    folder: 'src/planning',
    rule: 'no-restricted-syntax',
    planted: 'export function year(): number {\n  return new Date().getUTCFullYear();\n}\n',
    twin: 'export function year(now: number): number {\n  return new Date(now).getUTCFullYear();\n}\n',
  },
  {
    what: 'planning draws lots',
    folder: 'src/planning',
    rule: 'no-restricted-properties',
    planted: 'export function pick(size: number): number {\n  return Math.floor(Math.random() * size);\n}\n',
    twin: 'export function pick(size: number, draw: number): number {\n  return Math.floor(draw * size);\n}\n',
  },
  {
    what: 'domain waits',
    folder: 'src/domain',
    rule: 'no-restricted-syntax',
    planted:
      'export async function load(read: () => PromiseLike<string>): Promise<string> {\n  return await read();\n}\n',
    twin: 'export function load(read: () => string): string {\n  return read();\n}\n',
  },
  {
    what: "domain compares by the machine's language",
    folder: 'src/domain',
    rule: 'no-restricted-syntax',
    planted: 'export function before(a: string, b: string): boolean {\n  return a.localeCompare(b) < 0;\n}\n',
    twin: 'export function before(a: string, b: string): boolean {\n  return a < b;\n}\n',
  },
  {
    what: 'apis reads the environment',
    folder: 'src/apis',
    rule: 'no-restricted-globals',
    planted: "export const region = process.env['REGION'] ?? 'none';\n",
    twin: "export const region = { name: 'none' }.name;\n",
  },
  {
    what: 'a file stands in no room',
    folder: 'src',
    rule: 'boundaries/no-unknown-files',
    planted: 'export const stray = 1;\n',
    twin: '',
  },
  {
    what: 'a test replaces a module',
    folder: 'test/planning',
    rule: 'no-restricted-properties',
    planted: "import { jest } from '@jest/globals';\njest.doMock('x', () => ({}));\n",
    twin: "import { own } from '../../src/planning/own.js';\nexport const next = own;\n",
  },
  {
    what: 'a test of planning imports an SDK',
    folder: 'test/planning',
    rule: 'no-restricted-imports',
    planted:
      "import type { V1Pod } from '@kubernetes/client-node';\nexport interface Seen {\n  readonly pod: V1Pod;\n}\n",
    twin: "import type { Own } from '../../src/planning/own.js';\nexport interface Seen {\n  readonly pod: Own;\n}\n",
  },
];

const layers: Readonly<Record<string, readonly string[]>> = { ...sourceLayers, ...worldLayers };
const rooms = Object.keys(layers);

function folderOf(room: string): string {
  return room in sourceLayers ? `src/${room}` : room;
}

/** One file per room that the others can import, one per room that imports all others, and the plants with their twins. */
function plantedTree(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const room of rooms) {
    const folder = folderOf(room);
    files.set(`${folder}/own.ts`, 'export const own = 1;\nexport type Own = number;\n');
    const up = '../'.repeat(folder.split('/').length);
    const others = rooms.filter((other) => other !== room);
    files.set(
      `${folder}/all.ts`,
      others.map((other) => `export * from '${up}${folderOf(other)}/own.js';\n`).join(''),
    );
  }
  plants.forEach((plant, index) => {
    files.set(plantPath(plant, 'planted', index), plant.planted);
    if (plant.twin !== '') files.set(plantPath(plant, 'twin', index), plant.twin);
  });
  return files;
}

function plantPath(plant: Plant, name: string, index: number): string {
  return `${plant.folder}/${name}-${String(index)}.ts`;
}

let findings: ReadonlyMap<string, readonly Finding[]>;

beforeAll(async () => {
  findings = await lintTree(plantedTree());
});

describe('the layer rule', () => {
  test.each(plants.map((plant, index) => ({ ...plant, index })))('refuses: $what', ({ index, ...plant }) => {
    const found = findings.get(plantPath(plant, 'planted', index)) ?? [];
    expect(found.map(({ rule }) => rule)).toContain(plant.rule);
  });

  test.each(plants.map((plant, index) => ({ ...plant, index })).filter(({ twin }) => twin !== ''))(
    'accepts the twin of: $what',
    ({ index, ...plant }) => {
      expect(findings.get(plantPath(plant, 'twin', index))).toEqual([]);
    },
  );

  test.each(rooms)('lets %s import exactly the rooms that the DAG names', (room) => {
    const others = rooms.filter((other) => other !== room);
    const refused = new Set(
      (findings.get(`${folderOf(room)}/all.ts`) ?? []).map(({ line }) => others[line - 1]),
    );
    expect(others.filter((other) => !refused.has(other)).sort()).toEqual([...(layers[room] ?? [])].sort());
  });
});

describe('layers', () => {
  test('have no cycle: each room comes after all that it imports', () => {
    const free = (room: string, left: readonly string[]) =>
      !(layers[room] ?? []).some((to) => left.includes(to));
    const remaining = rooms.reduce((left) => left.filter((room) => !free(room, left)), rooms);
    expect(remaining).toEqual([]);
  });

  test('keep the simulated world and the planner apart, and the two SDKs', () => {
    expect(layers['world']).not.toContain('planning');
    expect(layers['adapters/kube']).not.toContain('clouds/aws');
    expect(layers['clouds/aws']).not.toContain('adapters/kube');
    expect(Object.keys(pureLayers)).toEqual(['domain', 'apis', 'planning', 'clouds/aws/api']);
  });

  test('let no room of src but app import a cloud, and no cloud another', () => {
    const cloudOf = (room: string) => /^clouds\/[^/]+/.exec(room)?.[0];
    const arrows = Object.entries(sourceLayers).flatMap(([room, allowed]) =>
      room === 'app' ? [] : allowed.flatMap((to) => (cloudOf(to) === undefined ? [] : [[room, to] as const])),
    );
    expect(arrows.filter(([room, to]) => cloudOf(room) !== cloudOf(to))).toEqual([]);
    expect(new Set(Object.keys(sourceLayers).map(cloudOf)).size).toBeGreaterThan(2);
  });

  test('are the ones that docs/architecture.md tells its readers', () => {
    const rows = readProjectFile('docs/architecture.md').matchAll(
      /^\| `((?:src|world)[a-z/]*)` \|[^|]*\| ([^|]*) \|$/gm,
    );
    const told = new Map([...rows].map(([, folder = '', names = '']) => [folder, roomsTold(names)]));
    expect(told).toEqual(
      new Map(Object.entries(layers).map(([room, allowed]) => [folderOf(room), [...allowed].sort()])),
    );
  });
});

function roomsTold(names: string): readonly string[] {
  if (names === 'all')
    return Object.keys(sourceLayers)
      .filter((room) => room !== 'app')
      .sort();
  return names === 'nothing' ? [] : names.split(', ').sort();
}
