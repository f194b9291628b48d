// Bundles the benchmarks into dist/bench.js, which runs the planner as the program does, outside of any test runner, and
// dist/bench-scale.js, which runs the program itself beside a synthetic cluster.
import { build } from 'esbuild';

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as benchCreateRequire } from 'node:module';
const require = benchCreateRequire(import.meta.url);`;

await build({
  entryPoints: [
    { in: 'bench/main.ts', out: 'bench' },
    { in: 'bench/scale/main.ts', out: 'bench-scale' },
  ],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  logLevel: 'warning',
});
