/** charts/berth agrees with the program: its settings are the program's, its alerts are about metrics that there are. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { AWS_OPTIONS } from '../../src/clouds/aws/options.js';
import { OPTION_TABLE } from '../../src/app/service/options/option-table.js';
import { createMetrics } from '../../src/runtime/metrics/metrics.js';
import { projectRoot, readProjectFile } from '../architecture/project-files.js';

const CHART = 'charts/berth';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const { rules } = parse(readProjectFile(`${CHART}/files/alerts.yaml`)) as {
  readonly rules: readonly Alert[];
};

/** Paths of all keys, as far down as `deeper` goes too. */
function paths(value: unknown, deeper: unknown, before = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (typeof deeper !== 'object' || deeper === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const path = `${before}${key}`;
    return [path, ...paths(child, (deeper as Readonly<Record<string, unknown>>)[key], `${path}.`)];
  });
}

describe('values', () => {
  test('are those that the schema describes, and the chart knows', () => {
    const known = JSON.parse(readProjectFile(`${CHART}/files/known-values.json`)) as unknown;
    const values = parse(readProjectFile(`${CHART}/values.yaml`)) as unknown;
    expect([...paths(values, known)].sort()).toEqual([...paths(known, known)].sort());
  });

  test('reach the program as variables that it reads', () => {
    const template = readProjectFile(`${CHART}/templates/_settings.tpl`);
    const variables = [...template.matchAll(/(?:^\w+: |name: )([A-Z][A-Z_]+)$/gm)].map(([, name]) => name);
    const read = [...OPTION_TABLE, ...AWS_OPTIONS].map(({ env }) => env);
    expect(variables.length).toBeGreaterThan(15);
    expect(variables.filter((name) => !read.includes(name ?? ''))).toEqual([]);
  });

  test('leave the defaults of durations as the program has them', () => {
    const { settings } = parse(readProjectFile(`${CHART}/values.yaml`)) as {
      readonly settings: Readonly<Record<string, unknown>>;
    };
    const fallback = (key: string): string =>
      `${OPTION_TABLE.find((row) => row.key === key)?.fallback ?? ''}s`;
    expect(settings).toMatchObject({
      batchMaxDuration: fallback('batchMaxMillis'),
      batchIdleDuration: fallback('batchIdleMillis'),
    });
  });
});

test('both charts have the version of the program', () => {
  const { version } = JSON.parse(readProjectFile('package.json')) as { readonly version: string };
  const charts = ['', '/charts/berth-crd'].map(
    (folder) => parse(readProjectFile(`${CHART}${folder}/Chart.yaml`)) as object,
  );
  for (const chart of charts) expect(chart).toMatchObject({ version, appVersion: version });
  expect(charts[0]).toMatchObject({ dependencies: [{ name: 'berth-crd', version }] });
});

test('the chart has every definition', () => {
  const names = (folder: string): readonly string[] =>
    readdirSync(join(projectRoot, folder)).filter((name) => name !== 'kustomization.yaml');
  expect(names(`${CHART}/charts/berth-crd/templates`)).toEqual(names('manifests/crds'));
});

describe('alerts', () => {
  // labelNames is missing in the types of prom-client.
  const known = createMetrics().registry.getMetricsAsArray() as readonly (object & {
    readonly name: string;
    readonly labelNames?: readonly string[];
  })[];
  const metrics = new Map(known.map(({ name, labelNames = [] }) => [name, new Set(labelNames)]));
  /** That Prometheus adds when it scrapes a pod, and those of histograms. */
  const added = ['namespace', 'pod', 'le'];

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s is about metrics and labels that there are',
    (_, rule) => {
      const series = [...rule.expr.matchAll(/\b((?:berth|karpenter)_\w+?)(?:_bucket)?\{([^}]*)\}/g)];
      expect(series).not.toEqual([]);
      const labels = series.flatMap(([, name = '', matchers = '']) => {
        expect([...metrics.keys()]).toContain(name);
        const own = metrics.get(name) ?? new Set();
        const used = [...matchers.matchAll(/(\w+)!?=/g)].map(([, label = '']) => label);
        expect(used.filter((label) => !own.has(label) && !added.includes(label))).toEqual([]);
        expect(used).toContain('namespace');
        return [...own];
      });
      const grouped = [...rule.expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const told = [
        ...Object.values(rule.annotations)
          .join(' ')
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label = '']) => label);
      expect(
        [...grouped, ...told].filter((label) => !labels.includes(label) && !added.includes(label)),
      ).toEqual([]);
      // What an annotation tells has to be left by the expression.
      const left = grouped.length > 0 ? grouped : labels.concat(added);
      expect(told.filter((label) => !left.includes(label))).toEqual([]);
    },
  );

  test('have a section each in docs/alerts.md, in their order', () => {
    const sections = [...readProjectFile('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
  });
});
