// Bundles the program into dist: the executable berth.js, the chunks that it loads, and their source maps.
import { build } from 'esbuild';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// The page is part of the program: file name → text.
const page = Object.fromEntries(
  readdirSync('web').map((name) => [name, readFileSync(`web/${name}`, 'utf8')]),
);

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as berthCreateRequire } from 'node:module';
const require = berthCreateRequire(import.meta.url);`;

/**
 * The Kubernetes client's generated classes are 14 MB that nobody calls: Berth uses the package for kubeconfigs and
 * credentials only, and that part of it needs two names of them, for clients that are never made.
 */
const withoutGeneratedClients = {
  name: 'without-generated-clients',
  setup(bundle) {
    bundle.onLoad({ filter: /@kubernetes\/client-node\/dist\/gen\/index\.js$/ }, () => ({
      contents: `
        export class ServerConfiguration {}
        export function createConfiguration() {
          throw new Error("the Kubernetes client's generated classes are not in this bundle");
        }`,
    }));
  },
};

const { metafile } = await build({
  entryPoints: [{ in: 'src/app/main.ts', out: 'berth' }],
  outdir: 'dist',
  // What only some commands need lies beside the program, and is read when one of them is called.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  metafile: true,
  banner: { js: banner },
  define: { BERTH_VERSION: JSON.stringify(version), BERTH_PAGE: JSON.stringify(JSON.stringify(page)) },
  plugins: [withoutGeneratedClients],
  logLevel: 'warning',
});
chmodSync('dist/berth.js', 0o755);

// Chunks of former builds go last: a program that runs meanwhile still finds its own.
const built = new Set(Object.keys(metafile.outputs));
for (const name of readdirSync('dist/chunks'))
  if (!built.has(`dist/chunks/${name}`)) rmSync(`dist/chunks/${name}`);
