/** Prometheus can read every query of the dashboards, and the chart installs each dashboard when asked to. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DASHBOARDS, queriesOf } from '../../../scripts/dashboards.js';
import { programPath, rendered } from '../helm.js';

const run = promisify(execFile);

test('promtool parses every query', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-dashboards-'));
  try {
    const queries = Object.values(DASHBOARDS).flatMap(queriesOf);
    const rules = queries.map((expr, index) => ({ record: `query:${String(index)}`, expr }));
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    const { stdout } = await run(programPath('promtool'), ['check', 'rules', file]);
    expect(stdout).toContain(`${String(queries.length)} rules found`);
    const broken = { groups: [{ name: 'queries', rules: [{ record: 'query:0', expr: 'sum by (a (b)' }] }] };
    writeFileSync(file, JSON.stringify(broken));
    await expect(run(programPath('promtool'), ['check', 'rules', file])).rejects.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the chart has a ConfigMap for each dashboard, and none unless asked', async () => {
  const dashboards = (objects: Awaited<ReturnType<typeof rendered>>) =>
    objects.filter(({ metadata: { name } }) => name.includes('-dashboard-'));
  expect(dashboards(await rendered({ set: 'minimal.yaml' }))).toEqual([]);
  const maps = dashboards(await rendered({ set: 'monitored.yaml' }));
  expect(maps.map(({ metadata: { name } }) => name).sort()).toEqual(
    Object.keys(DASHBOARDS)
      .map((name) => `berth-dashboard-${name}`)
      .sort(),
  );
  for (const { metadata, data } of maps as unknown as readonly ConfigMap[]) {
    expect(metadata.labels['grafana_dashboard']).toBe('1');
    const [text = ''] = Object.values(data);
    expect(JSON.parse(text)).toMatchObject({ tags: ['berth'] });
  }
});

interface ConfigMap {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly data: Readonly<Record<string, string>>;
}
