// Bundles the differential fuzz into dist/fuzz.js: it runs the planner as the program does, outside of any test runner.
import { build } from 'esbuild';

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as fuzzCreateRequire } from 'node:module';
const require = fuzzCreateRequire(import.meta.url);`;

await build({
  entryPoints: ['test/fuzz/main.ts'],
  outfile: 'dist/fuzz.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  logLevel: 'warning',
});
