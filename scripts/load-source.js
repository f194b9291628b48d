import { build } from 'esbuild';

// CommonJS packages inside an ES module bundle still call require() for Node's own modules.
const banner = "import { createRequire } from 'node:module'; const require = createRequire('file:///');";

/** The exports of a TypeScript file of the project, bundled in memory. */
export async function loadSource(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: banner },
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
