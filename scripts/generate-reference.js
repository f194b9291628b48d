// Writes the pages of docs/reference (`make generate`).
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { crdsPage, flagsPage, metricsPage, policiesPage } from './reference-pages.js';

/** The files of a folder by name, decoded. */
const decoded = (folder, isMeant, decode) =>
  readdirSync(folder)
    .filter(isMeant)
    .sort()
    .map((name) => [name, decode(readFileSync(`${folder}/${name}`, 'utf8'))]);
const isDefinition = (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml';
const definitions = decoded('manifests/crds', isDefinition, parse).map(([, definition]) => definition);
const schemas = decoded('docs/schemas', (name) => name.endsWith('.json'), JSON.parse);

const scratch = mkdtempSync(join(tmpdir(), 'berth-'));
try {
  await build({
    entryPoints: [
      { in: 'src/app/cli/commands.ts', out: 'commands' },
      { in: 'src/runtime/metrics/metrics.ts', out: 'metrics' },
    ],
    outdir: scratch,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as berthCreateRequire } from 'node:module'; const require = berthCreateRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  const load = (name) => import(pathToFileURL(join(scratch, `${name}.mjs`)).href);
  const { COMMANDS } = await load('commands');
  const { createMetrics } = await load('metrics');
  const pages = {
    'flags.md': await flagsPage(COMMANDS),
    'metrics.md': metricsPage(createMetrics().registry.getMetricsAsArray()),
    'crds.md': crdsPage(definitions),
    'policies.md': policiesPage(schemas),
  };
  mkdirSync('docs/reference', { recursive: true });
  for (const [name, text] of Object.entries(pages)) writeFileSync(`docs/reference/${name}`, text);
} finally {
  rmSync(scratch, { recursive: true });
}
