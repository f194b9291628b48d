/** The generated pages of docs/reference are those that the program of now would give. */
import { flagsPage, metricsPage } from '../../scripts/reference-pages.js';
import { COMMANDS } from '../../src/app/cli/commands.js';
import { createMetrics } from '../../src/runtime/metrics.js';
import { readProjectFile } from './project-files.js';

type Metrics = Parameters<typeof metricsPage>[0];

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
});
