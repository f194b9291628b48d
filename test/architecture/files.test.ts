/** The shape of the project's files: their size, names and places, and what none of them may contain. */
import { layers } from '../../eslint.layers.js';
import { projectFiles, readProjectFile } from './project-files.js';

const files = projectFiles();
const isCode = (path: string) => /\.(ts|tsx|js|mjs|css)$/.test(path);
const isGenerated = (path: string) => /\.generated\.\w+$/.test(path);
const code = files.filter((path) => isCode(path) && !isGenerated(path));
const product = code.filter((path) => /^(src|world|web|bench)\//.test(path));

function nonBlankLines(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

/** The places in a text that name a folder of somebody's machine, or of what lies beside this checkout. */
function foreignPaths(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w.\-}])\/(?:work|root|home|Users)\/[\w.-]*|\.{2}\/shared/g)].map(
    ([found]) => found,
  );
}

describe('files of src, world, web and bench', () => {
  test('have at most 500 lines that are not blank, unless generated', () => {
    const long = product.map((path) => ({ path, lines: nonBlankLines(readProjectFile(path)) }));
    expect(long.filter(({ lines }) => lines > 500)).toEqual([]);
    expect(product.length).toBeGreaterThan(0);
  });

  test('are named in kebab-case, after what they hold', () => {
    const names = product.map((path) => path.slice(path.lastIndexOf('/') + 1));
    expect(names.filter((name) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(names.filter((name) => /^(utils?|helpers?|common|misc|shared|types)\b/.test(name))).toEqual([]);
  });

  test('stand in a room of the DAG', () => {
    const rooms = Object.keys(layers);
    const source = files.filter((path) => path.startsWith('src/'));
    expect(source.filter((path) => !rooms.some((room) => path.startsWith(`src/${room}/`)))).toEqual([]);
  });
});

describe('all files', () => {
  test('name no folder of a machine', () => {
    const found = files
      .filter((path) => path !== '.ci/run' && path !== 'package-lock.json')
      .flatMap((path) => foreignPaths(readProjectFile(path)).map((name) => `${path}: ${name}`));
    expect(found).toEqual([]);
  });

  test.each([
    ['a home folder', ['', 'home', 'someone', 'x.ts'].join('/'), 1],
    ['what lies beside the checkout', ['..', 'shared', 'x'].join('/'), 1],
    ['a folder of the project', 'docs/home/x.md', 0],
    ['an address', 'https://example.org/work/x', 0],
  ])('would be found out when they named %s, and only then', (_what, text, count) => {
    expect(foreignPaths(text)).toHaveLength(count);
  });

  test('leave nothing open, skipped or unchecked', () => {
    const open = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '@ts-' + '(ignore|nocheck)'].join('|'));
    const skipped = /\b(it|test|describe)\.(skip|only|todo)\b|\bx(it|describe)\(/;
    const found = code.filter((path) => [open, skipped].some((sign) => sign.test(readProjectFile(path))));
    expect(found).toEqual([]);
  });
});

describe('dependencies', () => {
  interface Manifest {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
    readonly workspaces: readonly string[];
  }
  interface Lockfile {
    readonly packages: Readonly<Record<string, Locked>>;
  }
  interface Locked {
    readonly link?: boolean;
    readonly resolved?: string;
    readonly integrity?: string;
    readonly optional?: boolean;
    readonly os?: readonly string[];
    readonly cpu?: readonly string[];
  }

  /** Binaries for platforms that Berth does not run on are named by version only. */
  function isForeignBinary({ optional, os = [], cpu = [] }: Locked): boolean {
    const runsOn = os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64'));
    return optional === true && os.length > 0 && !runsOn;
  }

  test('are asked for by exact version', () => {
    const { dependencies, devDependencies } = JSON.parse(readProjectFile('package.json')) as Manifest;
    const wanted = Object.entries({ ...dependencies, ...devDependencies });
    expect(wanted.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('and programs of the lockfile are those of package.json', () => {
    const own = JSON.parse(readProjectFile('package.json')) as Readonly<Record<string, unknown>>;
    const { packages } = JSON.parse(readProjectFile('package-lock.json')) as Lockfile;
    const kept = ['name', 'version', 'bin', 'engines', 'dependencies', 'devDependencies', 'workspaces'];
    const wanted = Object.fromEntries(kept.map((key) => [key, own[key]]));
    expect(packages['']).toMatchObject(wanted);
    expect(Object.keys(packages[''] ?? {}).sort()).toEqual([...kept, 'license'].sort());
  });

  test('are locked by content, and to no registry', () => {
    const { packages } = JSON.parse(readProjectFile('package-lock.json')) as Lockfile;
    const { workspaces } = JSON.parse(readProjectFile('package.json')) as Manifest;
    // The packages of this repository, and the links to them.
    const own = ['', ...workspaces];
    const installed = Object.entries(packages).filter(
      ([path, { link, resolved }]) => !own.includes(path) && !(link === true && own.includes(resolved ?? '')),
    );
    expect(installed.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
    const unchecked = installed.filter(
      ([, entry]) => entry.integrity === undefined && !isForeignBinary(entry),
    );
    expect(unchecked).toEqual([]);
    expect(installed.length).toBeGreaterThan(0);
  });
});
