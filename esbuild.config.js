/**
 * Bundles the program into dist: the executable berth.js, the chunks that it loads, and their source maps; and beside it world.js,
 * the simulated world that `berth demo` loads. dist/inputs.json says which files each of the two is made
 * of; `--inputs` prints that and writes nothing.
 */
import { build } from 'esbuild';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// The page is part of the program: file name → text.
const page = Object.fromEntries(
  readdirSync('web').map((name) => [name, readFileSync(`web/${name}`, 'utf8')]),
);

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as berthCreateRequire } from 'node:module';
const require = berthCreateRequire(import.meta.url);`;

/**
 * Packages that others import and Berth never calls, and what stands in their place. Of the Kubernetes client Berth uses kubeconfigs
 * and credentials only: none of its 14 MB of generated classes, no SOCKS proxy, no fetch. Berth reads bodies of requests itself.
 */
const NEVER_CALLED = {
  './gen/index.js': `
    export class ServerConfiguration {}
    export function createConfiguration() {
      throw new Error("the Kubernetes client's generated classes are not in this bundle");
    }`,
  'node-fetch': 'export const { Headers } = globalThis;',
  'socks-proxy-agent': `
    export class SocksProxyAgent {
      constructor() {
        throw new Error('SOCKS proxies are not in this bundle');
      }
    }`,
  'body-parser': 'export {};',
};

const withoutNeverCalled = {
  name: 'without-never-called',
  setup(bundle) {
    bundle.onResolve(
      { filter: /^(\.\/gen\/index\.js|node-fetch|socks-proxy-agent|body-parser)$/ },
      ({ path, importer }) => {
        const isMeant = !path.startsWith('.') || importer.includes('@kubernetes/client-node');
        return isMeant ? { path, namespace: 'never-called' } : undefined;
      },
    );
    bundle.onLoad({ filter: /.*/, namespace: 'never-called' }, ({ path }) => ({
      contents: NEVER_CALLED[path],
    }));
  },
};

const listsInputs = process.argv.includes('--inputs');

/** What both bundles have in common. */
const options = {
  outdir: 'dist',
  write: !listsInputs,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  // Without comments: one character beyond Latin-1 in them, and V8 keeps the whole file in two bytes a character, in each thread.
  minifyWhitespace: true,
  lineLimit: 140,
  metafile: true,
  banner: { js: banner },
  define: { BERTH_VERSION: JSON.stringify(version), BERTH_PAGE: JSON.stringify(JSON.stringify(page)) },
  plugins: [withoutNeverCalled],
  logLevel: 'warning',
};

const { metafile: program } = await build({
  ...options,
  entryPoints: [{ in: 'src/app/main.ts', out: 'berth' }],
  // What only some commands need lies beside the program, and is read when one of them is called.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
const { metafile: world } = await build({
  ...options,
  entryPoints: [{ in: 'world/demo/main.ts', out: 'world' }],
});

const code = Object.entries(program.outputs).filter(([path]) => path.endsWith('.js'));
const inputs = JSON.stringify({
  program: Object.keys(program.inputs),
  world: Object.keys(world.inputs),
  programBytes: code.reduce((sum, [, { bytes }]) => sum + bytes, 0),
});

if (listsInputs) {
  process.stdout.write(`${inputs}\n`);
} else {
  writeFileSync('dist/inputs.json', `${inputs}\n`);
  chmodSync('dist/berth.js', 0o755);
  // Chunks of former builds go last: a program that runs meanwhile still finds its own.
  const built = new Set(Object.keys(program.outputs));
  for (const name of readdirSync('dist/chunks'))
    if (!built.has(`dist/chunks/${name}`)) rmSync(`dist/chunks/${name}`);
}
