/** What Prometheus reads about the cluster. */
import { MeasuringController } from '../../../src/controllers/measuring/measuring-controller.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const stops: AbortController[] = [];

async function measured() {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const metrics = createMetrics();
  const stop = new AbortController();
  stops.push(stop);
  for (const kind of ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PolicyStatus'] as const)
    cluster.synced(kind);
  const ended = new MeasuringController({ cluster, clock, metrics }).run(stop.signal);
  await clock.settle();
  const read = async (name: string): Promise<readonly string[]> => {
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  };
  return { clock, cluster, read, stop, ended };
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

test('pods are counted by phase, and phases without pods too', async () => {
  const { cluster, read } = await measured();
  cluster.put('Pod', observedPod({ name: 'a', uid: 'a' }));
  cluster.put('Pod', observedPod({ name: 'b', uid: 'b' }));
  cluster.put('Pod', observedPod({ name: 'c', uid: 'c', phase: 'Running', nodeName: 'n' }));
  expect(await read('karpenter_pods_state')).toEqual([
    'karpenter_pods_state{phase="Pending"} 2',
    'karpenter_pods_state{phase="Running"} 1',
    'karpenter_pods_state{phase="Succeeded"} 0',
    'karpenter_pods_state{phase="Failed"} 0',
    'karpenter_pods_state{phase="Unknown"} 0',
  ]);
  cluster.delete('Pod', 'default/a');
  expect((await read('karpenter_pods_state'))[0]).toBe('karpenter_pods_state{phase="Pending"} 1');
});

test('nodes and reserved pods are counted', async () => {
  const { cluster, read } = await measured();
  cluster.put('Node', observedNode({ name: 'n1' }));
  cluster.put('NodeClaim', nodeClaim());
  cluster.put(
    'Reservation',
    reservation({ entries: [reservationEntry({ podUID: 'a' }), reservationEntry({ count: 3 })] }),
  );
  expect(await read('karpenter_cluster_state_node_count')).toEqual(['karpenter_cluster_state_node_count 1']);
  expect(await read('karpenter_cluster_state_synced')).toEqual(['karpenter_cluster_state_synced 1']);
  expect(await read('berth_reservations')).toEqual(['berth_reservations 1']);
  expect(await read('berth_reserved_pods')).toEqual(['berth_reserved_pods 4']);
});

test("a pool's limits and what its nodes use of them are reported in Kubernetes' units", async () => {
  const { cluster, read } = await measured();
  const document = nodePoolDocument('general', { limits: { cpu: '100', 'nvidia.com/gpu': '4' } });
  cluster.put('PolicyStatus', policyStatus({ lastAccepted: acceptedPolicy(document) }));
  const node = observedNode({ name: 'n1' });
  cluster.put('Node', {
    ...node,
    labels: new Map([['karpenter.sh/nodepool', 'general']]),
    capacity: amounts({ cpu: '2500m', memory: '1Gi' }),
  });
  const series = (name: string, resource: string, value: number): string =>
    `karpenter_nodepools_${name}{nodepool="general",resource_type="${resource}"} ${String(value)}`;
  expect(await read('karpenter_nodepools_limit')).toEqual([
    series('limit', 'cpu', 100),
    series('limit', 'nvidia.com/gpu', 4),
  ]);
  expect(await read('karpenter_nodepools_usage')).toEqual([
    series('usage', 'cpu', 2.5),
    series('usage', 'memory', 2 ** 30),
    series('usage', 'nodes', 1),
    series('usage', 'nvidia.com/gpu', 0),
  ]);
  cluster.delete('PolicyStatus', 'nodepool.general');
  expect(await read('karpenter_nodepools_limit')).toEqual([]);
});

test('the time that a pod takes to run is measured, once, where its beginning was seen', async () => {
  const { clock, cluster, read } = await measured();
  const created = observedPod({ name: 'a', uid: 'a', createdAt: clock.now() });
  cluster.put('Pod', created);
  cluster.put('Pod', observedPod({ name: 'old', uid: 'old', phase: 'Running' }));
  await clock.advance(42_000);
  for (const resourceVersion of ['2', '3'])
    cluster.put('Pod', { ...created, resourceVersion, nodeName: 'n', phase: 'Running' });
  expect(await read('karpenter_pods_startup_duration_seconds_sum')).toEqual([
    'karpenter_pods_startup_duration_seconds_sum 42',
  ]);
  expect(await read('karpenter_pods_startup_duration_seconds_count')).toEqual([
    'karpenter_pods_startup_duration_seconds_count 1',
  ]);
});

test('who leads no more counts nothing', async () => {
  const { cluster, read, stop, ended } = await measured();
  cluster.put('Node', observedNode({ name: 'n1' }));
  stop.abort();
  await ended;
  expect(await read('karpenter_pods_state')).toEqual([]);
  expect(await read('karpenter_cluster_state_node_count')).toEqual(['karpenter_cluster_state_node_count 0']);
});
