/** Karpenter's dashboards find their series: its registry, as facts, beside Berth's own. Writes reports/metrics.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '../../src/runtime/metrics/metrics.js';
import { projectRoot } from '../architecture/project-files.js';
import { writeReport } from '../controlplane/fidelity/report.js';

/** A metric of Karpenter 1.15 with its AWS provider. */
interface Fact {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(projectRoot, path), 'utf8'));
}

const FACTS = readJson('test/karpenter/metrics.json') as readonly Fact[];
/** Name → why Berth does not have it. */
const ABSENT = readJson('scripts/compatibility/metrics.json') as Readonly<Record<string, string>>;
const OURS = new Map(
  createMetrics()
    .registry.getMetricsAsArray()
    .map((metric) => [metric.name, metric as unknown as { type: string; labelNames: readonly string[] }]),
);

test.each(FACTS.filter(({ name }) => ABSENT[name] === undefined))(
  '$name is there with its type and labels',
  ({ name, type, labels }) => {
    const own = OURS.get(name);
    expect(own?.type).toBe(type);
    expect(labels.filter((label) => own?.labelNames.includes(label) !== true)).toEqual([]);
  },
);

test('every metric that is not there has its reason, and no other has one', () => {
  const missing = FACTS.map(({ name }) => name).filter((name) => !OURS.has(name));
  expect(Object.keys(ABSENT).sort()).toEqual(missing.sort());
  expect(Object.values(ABSENT).filter((why) => why.length < 20)).toEqual([]);
});

test('Berth invents no name that looks like one of Karpenter', () => {
  const theirs = new Set(FACTS.map(({ name }) => name));
  const invented = [...OURS.keys()].filter((name) => !name.startsWith('berth_') && !theirs.has(name));
  // Its name before Karpenter 1.0, for dashboards of that time.
  expect(invented).toEqual(['karpenter_disruption_evaluation_duration_seconds']);
});

afterAll(() => {
  const ours = FACTS.filter(({ name }) => OURS.has(name)).length;
  const missing = Object.entries(ABSENT).map(([name, why]) => ({ name, why }));
  writeReport('metrics', 'make test', { theirs: FACTS.length, ours, missing });
});
