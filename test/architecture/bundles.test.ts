/** What the two bundles are made of: the program holds nothing of the simulated world, which `berth demo` loads. */
import { spawnSync } from 'node:child_process';
import { projectFiles, projectRoot, readProjectFile } from './project-files.js';

interface Bundles {
  /** The files that each bundle is made of, as paths below the project's root. */
  readonly program: readonly string[];
  readonly world: readonly string[];
  /** Code of the program and its chunks. */
  readonly programBytes: number;
}

function inputsOfBundles(): Bundles {
  const { stdout, stderr } = spawnSync('node', ['esbuild.config.js', '--inputs'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Bundles;
}

const isOfTheWorld = (path: string) => path.startsWith('world/');

test('the program holds no file of world/, and the bundle that the demo loads does', () => {
  const { program, world } = inputsOfBundles();
  expect(program).toContain('src/app/main.ts');
  expect(program.filter(isOfTheWorld)).toEqual([]);
  expect(world).toContain('world/demo/main.ts');
  expect(world.filter(isOfTheWorld).length).toBeGreaterThan(100);
});

test('the program is at most 9.5 MB of code that is not minified', () => {
  const { programBytes } = inputsOfBundles();
  expect(programBytes).toBeGreaterThan(1e6);
  expect(programBytes).toBeLessThanOrEqual(9.5e6);
});

test("nothing reads a body with express' own parsers, which are not in the bundles", () => {
  const parser =
    /import [^;]*\b(json|raw|text|urlencoded)\b[^;]* from 'express'|\bexpress\.(json|raw|text|urlencoded)\b/;
  const code = projectFiles().filter((path) => /^(src|world)\/.*\.ts$/.test(path));
  expect(code.filter((path) => parser.test(readProjectFile(path)))).toEqual([]);
});
