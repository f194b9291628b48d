// Bundles the benchmark into dist/bench.js: it runs the planner as the program does, outside of any test runner.
import { build } from 'esbuild';

await build({
  entryPoints: ['bench/main.ts'],
  outfile: 'dist/bench.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
});
