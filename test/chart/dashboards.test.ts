/** The dashboards ask only for series that Berth has, by labels that these have. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS, grafanaDashboard, queriesOf } from '../../scripts/dashboards.js';
import { createMetrics } from '../../src/runtime/metrics/metrics.js';
import { projectRoot, readProjectFile } from '../architecture/project-files.js';

const FOLDER = 'charts/berth/files/dashboards';
const METRICS = new Map(
  createMetrics()
    .registry.getMetricsAsArray()
    .map((metric) => [metric.name, metric as unknown as { type: string; labelNames: readonly string[] }]),
);
/** What Prometheus adds to all series. */
const ADDED = ['namespace', 'pod', 'le', 'quantile'];

/** The metric of a series of a query: histograms and summaries have several. */
function metricOf(series: string): { type: string; labelNames: readonly string[] } | undefined {
  return METRICS.get(series) ?? METRICS.get(series.replace(/_(?:bucket|sum|count)$/, ''));
}

const QUERIES = Object.entries(DASHBOARDS).flatMap(([name, dashboard]) =>
  queriesOf(dashboard).map((query) => [name, query] as const),
);

test('there are four dashboards with panels in each', () => {
  expect(Object.keys(DASHBOARDS)).toEqual(['capacity', 'provisioning', 'disruption', 'health']);
  expect(QUERIES.length).toBeGreaterThan(40);
});

test.each(QUERIES)('%s: the series and labels of %s are registered', (_, query) => {
  const series = [...query.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)];
  expect(series.length).toBeGreaterThan(0);
  for (const [, name = '', matchers = ''] of series) {
    const metric = metricOf(name);
    expect([name, metric !== undefined]).toEqual([name, true]);
    const wanted = [
      ...(name.endsWith('_bucket') ? ['histogram'] : []),
      ...(matchers.includes('quantile=') ? ['summary'] : []),
    ];
    expect([name, ...wanted]).toEqual([name, ...wanted.map(() => metric?.type)]);
    const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
    const matched = [...matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label);
    const unknown = [...grouped, ...matched].filter(
      (label) => !ADDED.includes(label) && metric?.labelNames.includes(label) !== true,
    );
    expect([name, unknown]).toEqual([name, []]);
  }
});

test.each(Object.entries(DASHBOARDS))('the file of %s is what make generate writes', (name, dashboard) => {
  expect(JSON.parse(readProjectFile(`${FOLDER}/${name}.json`))).toEqual(grafanaDashboard(name, dashboard));
});

test('there is no other file among the dashboards', () => {
  const files = readdirSync(join(projectRoot, FOLDER));
  expect(files.sort()).toEqual(
    Object.keys(DASHBOARDS)
      .map((name) => `${name}.json`)
      .sort(),
  );
});
