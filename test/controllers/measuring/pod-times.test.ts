/** How long pods wait to be planned, bound and ready. */
import { observedPod } from '../../support/builders/observed-pod.js';
import { measured, stopMeasuring } from './measured.js';

afterEach(stopMeasuring);

test('a pod is timed from its creation and from its place in a plan, until it is bound and ready', async () => {
  const { clock, cluster, podTimes, read } = await measured();
  const created = observedPod({ name: 'a', uid: 'a', createdAt: clock.now() });
  const pod = '{name="a",namespace="default"}';
  cluster.put('Pod', created);
  await clock.advance(2_000);
  expect(await read('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toEqual([`${pod} 2`]);
  podTimes.planned([created], new Set());
  await clock.advance(30_000);
  expect(await read('karpenter_pods_unbound_time_seconds')).toEqual([
    '{name="a",namespace="default",dynamic_resources="false"} 32',
  ]);
  expect(await read('karpenter_pods_provisioning_unstarted_time_seconds')).toEqual([`${pod} 30`]);
  expect(await read('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toEqual([]);
  const bound = { ...created, resourceVersion: '2', nodeName: 'n' };
  cluster.put('Pod', bound);
  expect(await read('karpenter_pods_unbound_time_seconds')).toEqual([]);
  expect(await read('karpenter_pods_unstarted_time_seconds')).toEqual([`${pod} 32`]);
  await clock.advance(10_000);
  for (const resourceVersion of ['3', '4'])
    cluster.put('Pod', { ...bound, resourceVersion, phase: 'Running', ready: true });
  expect(await read('karpenter_pods_unstarted_time_seconds')).toEqual([]);
  expect(await read('karpenter_pods_scheduling_decision_duration_seconds_sum')).toEqual(['2']);
  expect(await read('karpenter_pods_bound_duration_seconds_sum')).toEqual(['{dynamic_resources="false"} 32']);
  expect(await read('karpenter_pods_provisioning_bound_duration_seconds_sum')).toEqual([
    '{dynamic_resources="false"} 30',
  ]);
  expect(await read('karpenter_pods_provisioning_startup_duration_seconds_sum')).toEqual(['40']);
  expect(await read('karpenter_pods_startup_duration_seconds_sum')).toEqual(['42']);
  expect(await read('karpenter_pods_startup_duration_seconds_count')).toEqual(['1']);
  expect(await read('karpenter_pods_startup_duration_seconds')).toContain('{quantile="0.5"} 42');
});

test('a pod without a place has been decided about, and has no time since a place', async () => {
  const { clock, cluster, podTimes, read } = await measured();
  const pod = observedPod({ name: 'a', uid: 'a', createdAt: clock.now() });
  cluster.put('Pod', pod);
  podTimes.planned([pod], new Set(['a']));
  await clock.advance(1_000);
  expect(await read('karpenter_pods_provisioning_unbound_time_seconds')).toEqual([]);
  expect(await read('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toEqual([]);
  expect(await read('karpenter_pods_unbound_time_seconds')).toHaveLength(1);
});

test('pods that ran when they were first seen, fail or are deleted are not timed', async () => {
  const { clock, cluster, read } = await measured();
  cluster.put('Pod', observedPod({ name: 'old', uid: 'old', nodeName: 'n', phase: 'Running' }));
  const failing = observedPod({ name: 'a', uid: 'a', createdAt: clock.now() });
  cluster.put('Pod', failing);
  cluster.put('Pod', observedPod({ name: 'b', uid: 'b', createdAt: clock.now() }));
  await clock.advance(5_000);
  cluster.put('Pod', { ...failing, resourceVersion: '2', phase: 'Failed' });
  cluster.delete('Pod', 'default/b');
  expect(await read('karpenter_pods_startup_duration_seconds_count')).toEqual(['0']);
  expect(await read('karpenter_pods_unstarted_time_seconds')).toEqual([]);
});

test('of many waiting pods only a hundred have series, unless detail is full', async () => {
  const bounded = await measured();
  const full = await measured({ detail: 'full' });
  for (let index = 0; index < 150; index++)
    for (const { cluster } of [bounded, full])
      cluster.put('Pod', observedPod({ name: `p${String(index)}`, uid: `p${String(index)}` }));
  expect(await bounded.read('karpenter_pods_unstarted_time_seconds')).toHaveLength(100);
  expect(await full.read('karpenter_pods_unstarted_time_seconds')).toHaveLength(150);
});
