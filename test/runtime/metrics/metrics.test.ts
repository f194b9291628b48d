import { projectFiles, readProjectFile } from '../../architecture/project-files.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';

describe('createMetrics', () => {
  test('every label and every metric has a word of help', async () => {
    const all = await createMetrics().registry.getMetricsAsJSON();
    expect(all.length).toBeGreaterThan(130);
    expect(all.filter(({ help }) => help === '')).toEqual([]);
  });

  test('nothing is registered that no other file sets', () => {
    const setters = projectFiles()
      .filter((path) =>
        /^src\/(?!runtime\/metrics\/metric|runtime\/metrics\/[a-z]+-metrics).*\.ts$/.test(path),
      )
      .map(readProjectFile)
      .join('\n');
    const names = Object.keys(createMetrics()).filter((name) => name !== 'registry');
    const unset = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(setters));
    expect(unset).toEqual([]);
  });

  test('says which version runs', async () => {
    const text = await createMetrics({ version: '1.2.3' }).registry.metrics();
    expect(text).toContain('berth_build_info{version="1.2.3"} 1');
  });

  test('counts on a registry of its own', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.launches.inc({ nodepool: 'general', outcome: 'Launched' });
    const line = 'berth_launches_total{nodepool="general",outcome="Launched"} 1';
    expect(await one.registry.metrics()).toContain(line);
    expect(await other.registry.metrics()).not.toContain(line);
  });

  test('asks at every scrape for what is counted only then, before it is read', async () => {
    const metrics = createMetrics();
    let nodes = 0;
    const stop = metrics.onScrape(() => {
      metrics.clusterStateNodes.set(++nodes);
    });
    expect(await metrics.registry.metrics()).toContain('karpenter_cluster_state_node_count 1');
    expect(await metrics.registry.metrics()).toContain('karpenter_cluster_state_node_count 2');
    stop();
    expect(await metrics.registry.metrics()).toContain('karpenter_cluster_state_node_count 2');
  });
});
