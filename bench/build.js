// Bundles the benchmark into dist/bench.js: it runs the planner as the program does, outside of any test runner.
import { build } from 'esbuild';

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as benchCreateRequire } from 'node:module';
const require = benchCreateRequire(import.meta.url);`;

await build({
  entryPoints: ['bench/main.ts'],
  outfile: 'dist/bench.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  logLevel: 'warning',
});
