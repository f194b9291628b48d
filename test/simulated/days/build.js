// Bundles the simulated days, or another entry, into dist/days.js or the file that is named: Berth runs as in the program, outside of any
// test runner. node test/simulated/days/build.js [OUTPUT [ENTRY]]
import { build } from 'esbuild';

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = `import { createRequire as daysCreateRequire } from 'node:module';
const require = daysCreateRequire(import.meta.url);`;

await build({
  entryPoints: [process.argv[3] ?? 'test/simulated/days/main.ts'],
  outfile: process.argv[2] ?? 'dist/days.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  banner: { js: banner },
  logLevel: 'warning',
});
