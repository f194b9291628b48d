import { createMetrics } from '../../../src/runtime/metrics/metrics.js';

describe('createMetrics', () => {
  test("has Karpenter's names for what Karpenter measures", async () => {
    const text = await createMetrics().registry.metrics();
    const names = [...text.matchAll(/^# TYPE (karpenter_\S+)/gm)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'karpenter_pods_state',
        'karpenter_nodes_created_total',
        'karpenter_nodes_terminated_total',
        'karpenter_nodeclaims_created_total',
        'karpenter_nodeclaims_terminated_total',
        'karpenter_nodeclaims_disrupted_total',
        'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
        'karpenter_disruption_evaluation_duration_seconds',
        'karpenter_scheduler_scheduling_duration_seconds',
        'karpenter_scheduler_queue_depth',
        'karpenter_scheduler_unschedulable_pods_count',
        'karpenter_cluster_state_synced',
        'karpenter_cluster_state_node_count',
        'karpenter_pods_startup_duration_seconds',
        'karpenter_nodepools_usage',
        'karpenter_nodepools_limit',
      ]),
    );
  });

  test("gives everything else a name of Berth's or of client-go's work queue, and every label a word of help", async () => {
    const metrics = createMetrics();
    const all = await metrics.registry.getMetricsAsJSON();
    const strange = all.filter(({ name }) => !/^(karpenter|berth|workqueue)_[a-z0-9_]+$/.test(name));
    expect(strange.map(({ name }) => name)).toEqual([]);
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(({ help }) => help === '')).toEqual([]);
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
    let pods = 0;
    const stop = metrics.onScrape(() => {
      metrics.podsState.set({ phase: 'Pending' }, ++pods);
    });
    expect(await metrics.registry.metrics()).toContain('karpenter_pods_state{phase="Pending"} 1');
    expect(await metrics.registry.metrics()).toContain('karpenter_pods_state{phase="Pending"} 2');
    stop();
    expect(await metrics.registry.metrics()).toContain('karpenter_pods_state{phase="Pending"} 2');
  });
});
