/** The generated pages of docs/reference are those that the program of now would give. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { crdsPage, flagsPage, metricsPage, policiesPage } from '../../scripts/reference-pages.js';
import { COMMANDS } from '../../src/app/cli/commands.js';
import { createMetrics } from '../../src/runtime/metrics/metrics.js';
import { projectRoot, readProjectFile } from './project-files.js';

type Metrics = Parameters<typeof metricsPage>[0];
type Definition = Parameters<typeof crdsPage>[0][number];
type Schema = Parameters<typeof policiesPage>[0][number][1];

/** The names of a folder's files with this ending, sorted. */
function namesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith(ending) && name !== 'kustomization.yaml')
    .sort();
}

describe('docs/reference (make generate writes it)', () => {
  test('has every command and flag as the command line gives them', async () => {
    expect(readProjectFile('docs/reference/flags.md')).toBe(await flagsPage(COMMANDS));
  });

  test('has every metric as the registry gives it', () => {
    // prom-client's types leave out the names of labels.
    const metrics = createMetrics().registry.getMetricsAsArray() as unknown as Metrics;
    expect(metrics.length).toBeGreaterThan(50);
    expect(readProjectFile('docs/reference/metrics.md')).toBe(metricsPage(metrics));
  });

  test('has every field of the CustomResourceDefinitions', () => {
    const definitions = namesIn('manifests/crds', '.yaml').map(
      (name) => parse(readProjectFile(`manifests/crds/${name}`)) as Definition,
    );
    expect(definitions).toHaveLength(4);
    expect(readProjectFile('docs/reference/crds.md')).toBe(crdsPage(definitions));
  });

  test('has every field of the schemas of policies', () => {
    const schemas = namesIn('docs/schemas', '.json').map(
      (name) => [name, JSON.parse(readProjectFile(`docs/schemas/${name}`)) as Schema] as const,
    );
    expect(schemas.length).toBeGreaterThan(5);
    expect(readProjectFile('docs/reference/policies.md')).toBe(policiesPage(schemas));
  });
});
