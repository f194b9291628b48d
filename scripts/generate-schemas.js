// Writes docs/schemas/*.json, the JSON Schemas of all policies, from the schemas in src/apis (`make generate`).
import { build } from 'esbuild';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';

const folder = 'docs/schemas';
const bundle = await build({
  entryPoints: ['src/apis/schema/schema-for.ts'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');" },
  write: false,
});
const source = `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`;
const { schemaFiles } = await import(source);

mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (name.endsWith('.json')) rmSync(`${folder}/${name}`);
for (const [name, schema] of schemaFiles()) {
  writeFileSync(
    `${folder}/${name}`,
    await format(JSON.stringify(schema), { parser: 'json', printWidth: 110 }),
  );
}
