// Bundles the program into one executable file, dist/berth.js, with its source map beside it.
import { build } from 'esbuild';
import { chmodSync, readFileSync } from 'node:fs';

const outfile = 'dist/berth.js';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `#!/usr/bin/env node
import { createRequire as berthCreateRequire } from 'node:module';
const require = berthCreateRequire(import.meta.url);`;

await build({
  entryPoints: ['src/app/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  define: { BERTH_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
