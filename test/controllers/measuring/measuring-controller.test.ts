/** What Prometheus reads about the cluster: its nodes, pools, pods and offerings. */
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { instanceType, offering } from '../../support/builders/instance-type.js';
import { measured, stopMeasuring } from './measured.js';

afterEach(stopMeasuring);

const POOL = { 'karpenter.sh/nodepool': 'general', 'node.kubernetes.io/instance-type': 'm6i.large' };
const POOL_LABELS = [
  'nodepool="general",managed="true",zone="us-east-1a",region="us-east-1"',
  'instance_type="m6i.large",arch="amd64",os="linux",capacity_type="on-demand"',
].join(',');

function node(name: string, cores = '2') {
  const whole = observedNode({ name, labels: POOL, providerID: `kwok://${name}` });
  const capacity = amounts({ cpu: cores, memory: '8Gi' });
  return { ...whole, capacity, allocatable: amounts({ cpu: '1', memory: '6Gi' }) };
}

function claimOf(name: string, hourlyPrice: number) {
  return nodeClaim({
    name,
    status: { providerID: `kwok://${name}`, instanceType: 'm6i.large', hourlyPrice },
  });
}

test('pods are counted by phase and place, and phases without pods too', async () => {
  const { cluster, read } = await measured();
  cluster.put('Node', node('n1'));
  cluster.put('Pod', observedPod({ name: 'a', uid: 'a' }));
  cluster.put('Pod', observedPod({ name: 'b', uid: 'b' }));
  cluster.put('Pod', observedPod({ name: 'c', uid: 'c', phase: 'Running', nodeName: 'n1' }));
  expect(await read('karpenter_pods_state')).toEqual([
    '{managed="false",scheduled="false",phase="Pending",ready="false"} 2',
    '{nodepool="general",zone="us-east-1a",arch="amd64",capacity_type="on-demand",instance_type="m6i.large",managed="true",scheduled="true",phase="Running",ready="true"} 1',
    '{managed="false",scheduled="false",phase="Unknown",ready="false"} 0',
  ]);
  cluster.delete('Pod', 'default/a');
  expect((await read('karpenter_pods_state'))[0]).toMatch(/phase="Pending".* 1$/);
});

test('in full detail each pod has a series with its name, owner and node', async () => {
  const { cluster, read } = await measured({ detail: 'full' });
  const owner = { kind: 'ReplicaSet', name: 'web' };
  cluster.put('Pod', observedPod({ name: 'c', uid: 'c', phase: 'Running', nodeName: 'n1', owner }));
  expect((await read('karpenter_pods_state'))[0]).toBe(
    '{managed="false",scheduled="true",phase="Running",ready="true",name="c",namespace="default",owner="ReplicaSet/web",node="n1"} 1',
  );
});

test('nodes and reserved pods are counted', async () => {
  const { cluster, read } = await measured();
  cluster.put('Node', observedNode({ name: 'n1' }));
  cluster.put('NodeClaim', nodeClaim());
  cluster.put(
    'Reservation',
    reservation({ entries: [reservationEntry({ podUID: 'a' }), reservationEntry({ count: 3 })] }),
  );
  expect(await read('karpenter_cluster_state_node_count')).toEqual(['1']);
  expect(await read('karpenter_cluster_state_synced')).toEqual(['1']);
  expect(await read('berth_reservations')).toEqual(['1']);
  expect(await read('berth_reserved_pods')).toEqual(['4']);
});

test('how long the caches have not been in sync is measured until they are', async () => {
  const { clock, read, sync } = await measured({ isSynced: false });
  expect(await read('karpenter_cluster_state_unsynced_time_seconds')).toEqual(['0']);
  await clock.advance(20_000);
  expect(await read('karpenter_cluster_state_unsynced_time_seconds')).toEqual(['20']);
  expect(await read('karpenter_cluster_state_synced')).toEqual(['0']);
  sync();
  expect(await read('karpenter_cluster_state_unsynced_time_seconds')).toEqual(['0']);
});

test('nodes report what they have and what pods request of it, those of DaemonSets apart', async () => {
  const { cluster, read } = await measured();
  cluster.put('Node', node('n1'));
  const pod = (name: string, kind: string, cpu: string) =>
    observedPod({ name, uid: name, nodeName: 'n1', owner: { kind, name }, requests: { cpu } });
  cluster.put('Pod', pod('web', 'ReplicaSet', '500m'));
  cluster.put('Pod', pod('agent', 'DaemonSet', '100m'));
  cluster.put('Pod', { ...pod('done', 'Job', '400m'), phase: 'Succeeded' });
  const cpu = `{node_name="n1",${POOL_LABELS},resource_type="cpu"}`;
  expect(await read('karpenter_nodes_allocatable')).toContain(`${cpu} 1`);
  expect(await read('karpenter_nodes_total_pod_requests')).toContain(`${cpu} 0.6`);
  expect(await read('karpenter_nodes_total_daemon_requests')).toContain(`${cpu} 0.1`);
  expect(await read('karpenter_nodes_system_overhead')).toContain(`${cpu} 1`);
  expect(await read('karpenter_cluster_utilization_percent')).toContain('{resource_type="cpu"} 60');
});

test('the nodes of a large cluster are added up, unless detail is full', async () => {
  const bounded = await measured();
  const full = await measured({ detail: 'full' });
  for (let index = 0; index < 101; index++)
    for (const { cluster } of [bounded, full]) cluster.put('Node', node(`n${String(index)}`));
  expect(await bounded.read('karpenter_nodes_allocatable')).toContain(
    `{${POOL_LABELS},resource_type="cpu"} 101`,
  );
  expect((await full.read('karpenter_nodes_allocatable')).length).toBe(202);
});

test('the price of a pool is shared by what namespaces request of its nodes, and what nothing requests', async () => {
  const { cluster, read } = await measured();
  cluster.put('Node', node('n1'));
  cluster.put('NodeClaim', claimOf('n1', 1));
  cluster.put('NodeClaim', claimOf('starting', 0.5));
  const pod = (namespace: string, requests: Record<string, string>) =>
    observedPod({ name: namespace, uid: namespace, namespace, nodeName: 'n1', requests });
  cluster.put('Pod', pod('web', { cpu: '500m', memory: '3Gi' }));
  cluster.put('Pod', pod('batch', { cpu: '250m', memory: '0' }));
  expect(await read('karpenter_nodepools_cost_total')).toEqual(['{nodepool="general"} 1.5']);
  expect(await read('berth_namespace_cost')).toEqual([
    '{namespace="web",nodepool="general"} 0.5',
    '{namespace="batch",nodepool="general"} 0.125',
  ]);
  expect(await read('berth_idle_cost')).toEqual(['{nodepool="general"} 0.375']);
});

test('only the hundred dearest namespaces have series of their own, and nothing of the cost is lost', async () => {
  const { cluster, read } = await measured();
  for (let index = 0; index < 150; index++) {
    const name = `n${String(index)}`;
    cluster.put('Node', node(name));
    cluster.put('NodeClaim', claimOf(name, 1));
    const requests = { cpu: `${String(500 + index)}m`, memory: '3Gi' };
    cluster.put('Pod', observedPod({ name, uid: name, namespace: name, nodeName: name, requests }));
  }
  const series = await read('berth_namespace_cost');
  const sum = (lines: readonly string[]) =>
    lines.map((line) => Number(line.split(' ')[1])).reduce((total, cost) => total + cost, 0);
  expect(series).toHaveLength(101);
  expect(series.some((line) => line.startsWith('{namespace="(other)"'))).toBe(true);
  expect(series.some((line) => line.startsWith('{namespace="n149"'))).toBe(true);
  expect(sum(series) + sum(await read('berth_idle_cost'))).toBeCloseTo(150);
});

test("a pool's limits and what its nodes use of them are reported in Kubernetes' units", async () => {
  const { cluster, read } = await measured();
  const document = nodePoolDocument('general', { limits: { cpu: '100', 'nvidia.com/gpu': '4' } });
  cluster.put('PolicyStatus', policyStatus({ lastAccepted: acceptedPolicy(document) }));
  cluster.put('Node', { ...node('n1'), capacity: amounts({ cpu: '2500m', memory: '1Gi' }) });
  const series = (resource: string, value: number): string =>
    `{nodepool="general",resource_type="${resource}"} ${String(value)}`;
  const sorted = async (name: string) => [...(await read(name))].sort();
  expect(await sorted('karpenter_nodepools_limit')).toEqual([
    series('cpu', 100),
    series('nvidia.com/gpu', 4),
  ]);
  expect(await sorted('karpenter_nodepools_usage')).toEqual([
    series('cpu', 2.5),
    series('memory', 2 ** 30),
    series('nodes', 1),
    series('nvidia.com/gpu', 0),
  ]);
  cluster.delete('PolicyStatus', 'nodepool.general');
  expect(await read('karpenter_nodepools_limit')).toEqual([]);
});

test('the offerings of the instance types in use have a price and tell whether they can be launched', async () => {
  const offerings = [
    offering({ zone: 'a', capacityType: 'spot', price: 0.04 }),
    offering({ zone: 'a', capacityType: 'on-demand', price: 0.1 }),
  ];
  const types = ['m6i.large', 'c7g.xlarge'].map((name) => instanceType({ name, offerings }));
  const scene = await measured({ instanceTypes: types });
  scene.cluster.put('NodeClaim', claimOf('n1', 0.1));
  const out = { instanceType: 'm6i.large', zone: 'a', capacityType: 'spot' } as const;
  scene.unavailableOfferings.mark(out, scene.clock.now());
  const labels = (capacityType: string) =>
    `{instance_type="m6i.large",capacity_type="${capacityType}",zone="a"}`;
  expect(await scene.read('karpenter_cloudprovider_instance_type_offering_price_estimate')).toEqual([
    `${labels('spot')} 0.04`,
    `${labels('on-demand')} 0.1`,
  ]);
  expect(await scene.read('karpenter_cloudprovider_instance_type_offering_available')).toEqual([
    `${labels('spot')} 0`,
    `${labels('on-demand')} 1`,
  ]);
  const full = await measured({ instanceTypes: types, detail: 'full' });
  expect(await full.read('karpenter_cloudprovider_instance_type_cpu_cores')).toHaveLength(2);
});

test('what no longer leads counts nothing', async () => {
  const { cluster, read, stop, ended } = await measured();
  cluster.put('Node', node('n1'));
  expect(await read('karpenter_nodes_allocatable')).not.toEqual([]);
  stop.abort();
  await ended;
  expect(await read('karpenter_pods_state')).toEqual([]);
  expect(await read('karpenter_nodes_allocatable')).toEqual([]);
  expect(await read('karpenter_cluster_state_node_count')).toEqual(['0']);
});
