// Bundles the program into one executable file, dist/berth.js, with its source map beside it.
import { build } from 'esbuild';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';

const outfile = 'dist/berth.js';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// The page is part of the program: file name → text.
const page = Object.fromEntries(
  readdirSync('web').map((name) => [name, readFileSync(`web/${name}`, 'utf8')]),
);

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `#!/usr/bin/env node
import { createRequire as berthCreateRequire } from 'node:module';
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

await build({
  entryPoints: ['src/app/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  define: { BERTH_VERSION: JSON.stringify(version), BERTH_PAGE: JSON.stringify(page) },
  plugins: [withoutGeneratedClients],
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
