// Writes the pages of docs/reference (`make generate`).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { loadSource } from './load-source.js';
import {
  conditionsPage,
  crdsPage,
  eventsPage,
  flagsPage,
  metricsPage,
  policiesPage,
  reasonsPage,
} from './reference-pages.js';

/** The files of a folder by name, decoded. */
const decoded = (folder, isMeant, decode) =>
  readdirSync(folder)
    .filter(isMeant)
    .sort()
    .map((name) => [name, decode(readFileSync(`${folder}/${name}`, 'utf8'))]);
const isDefinition = (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml';
const definitions = decoded('manifests/crds', isDefinition, parse).map(([, definition]) => definition);
const schemas = decoded('docs/schemas', (name) => name.endsWith('.json'), JSON.parse);

const source = await loadSource('scripts/reference-source.ts');
const { COMMANDS, METHODS } = source;
const pages = {
  'flags.md': await flagsPage(COMMANDS),
  'metrics.md': metricsPage(source.createMetrics().registry.getMetricsAsArray()),
  'events.md': eventsPage(source.EVENT_REASONS),
  'conditions.md': conditionsPage({
    claims: source.CLAIM_CONDITIONS,
    policies: source.POLICY_CONDITIONS,
    methods: METHODS,
  }),
  'reasons.md': reasonsPage({
    pools: source.poolReasons(),
    refusals: source.nodeRefusals(),
    methods: METHODS,
    decisions: source.DECISION_REASONS,
  }),
  'crds.md': crdsPage(definitions),
  'policies.md': policiesPage(schemas),
};
mkdirSync('docs/reference', { recursive: true });
for (const [name, text] of Object.entries(pages)) writeFileSync(`docs/reference/${name}`, text);
