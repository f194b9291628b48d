// Writes docs/schemas/*.json, the JSON Schemas of all policies, from the schemas in src/apis (`make generate`).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { loadSource } from './load-source.js';

const folder = 'docs/schemas';
const { schemaFiles } = await loadSource('scripts/policy-schemas.ts');

mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (name.endsWith('.json')) rmSync(`${folder}/${name}`);
for (const [name, schema] of schemaFiles()) {
  writeFileSync(
    `${folder}/${name}`,
    await format(JSON.stringify(schema), { parser: 'json', printWidth: 110 }),
  );
}
