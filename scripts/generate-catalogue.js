// Writes src/catalogue/instance-types.generated.ts from the tables in scripts/catalogue-facts/ (`make generate`).
import { build } from 'esbuild';
import { writeFileSync } from 'node:fs';

const bundle = await build({
  entryPoints: ['scripts/catalogue-facts/generated-source.ts'],
  bundle: true,
  format: 'esm',
  write: false,
});
const source = `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`;
const { generatedSource } = await import(source);
writeFileSync('src/catalogue/instance-types.generated.ts', generatedSource());
