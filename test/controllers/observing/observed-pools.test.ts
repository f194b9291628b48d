/** What is observed as a pool: Karpenter's, or node groups. */
import '../../../src/app/clouds.js';
import { fleetCost } from '../../../src/controllers/observing/fleet-cost.js';
import { ObservedPools } from '../../../src/controllers/observing/observed-pools.js';
import { groupOf, nodePoolsOfGroups } from '../../../src/clouds/aws/api/node-groups.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { instanceType, ZONE_A } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { policyConfigMap, policyDocument } from '../../support/builders/policy-document.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';

const SIGNAL = new AbortController().signal;
const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
const DEDICATED = { 'karpenter.k8s.aws/instance-tenancy': 'dedicated' };
const GROUP = 'eks.amazonaws.com/nodegroup';
const CATALOGUE = { instanceTypes: [instanceType()], forNodeClass: () => [] };

function observed(cluster: Cluster, own: readonly PoolOffer[] = []): ObservedPools {
  return new ObservedPools({
    cluster,
    offers: { now: () => Promise.resolve(own), typesOf: () => [] },
    catalogue: () => CATALOGUE,
    nodeGroups: { nodePools: nodePoolsOfGroups, groupOf },
  });
}

function groupNode(name: string, capacityType = 'ON_DEMAND') {
  const place = { [TYPE]: 'm5.large', [ZONE]: ZONE_A };
  const labels = { [GROUP]: 'Workers_1', 'eks.amazonaws.com/capacityType': capacityType, ...place };
  return observedNode({ name, labels });
}

test('nodes of groups are of a pool with the name of the group, bought as their labels say', async () => {
  const cluster = new Cluster();
  for (const node of [groupNode('a'), groupNode('b', 'SPOT'), observedNode({ name: 'c' })])
    cluster.put('Node', node);
  const pools = observed(cluster);
  const offers = await pools.now(SIGNAL);
  expect(pools.system).toBe('nodegroup');
  expect(offers.map(({ pool, instanceTypes }) => [pool.name, instanceTypes])).toEqual([
    ['workers-1', CATALOGUE.instanceTypes],
  ]);
  expect(offers[0]?.pool.limits.size).toBe(0);
  const bought = [...cluster.nodes.values()].flatMap((node) => pools.boughtAs(node) ?? []);
  const place = { nodePool: 'workers-1', instanceType: 'm5.large', zone: ZONE_A };
  const common = { ...place, tenancy: 'default' as const };
  expect(bought).toEqual([
    { ...common, capacityType: 'on-demand' },
    { ...common, capacityType: 'spot' },
  ]);
  const prices = {
    pools: new Map(offers.map(({ pool }) => [pool.name, pool])),
    typesOf: pools.typesOf.bind(pools),
  };
  const unknown = { ...common, instanceType: 'x9.large', capacityType: 'spot' as const };
  expect(fleetCost([...bought, unknown], prices)).toMatchObject({ nodes: 3, unpriced: 1 });
  expect(fleetCost(bought, prices).hourly).toBeCloseTo(0.096 * 1.4, 9);
});

test('the pool of a group stays when its last node goes, and is the same object while nothing changes', async () => {
  const cluster = new Cluster();
  cluster.put('Node', groupNode('a'));
  const pools = observed(cluster);
  const [before] = await pools.now(SIGNAL);
  cluster.put('Node', groupNode('b'));
  expect((await pools.now(SIGNAL))[0]?.pool).toBe(before?.pool);
  cluster.delete('Node', 'a');
  cluster.delete('Node', 'b');
  expect((await pools.now(SIGNAL))[0]?.pool).toBe(before?.pool);
});

test("a policy of Berth's own with the name of the group is used instead of it", async () => {
  const cluster = new Cluster();
  cluster.put('Node', groupNode('a'));
  const own = poolOffer({ name: 'workers-1', weight: 7 });
  expect(await observed(cluster, [own]).now(SIGNAL)).toEqual([own]);
});

test('where Karpenter has NodePools, node groups are left alone', async () => {
  const cluster = new Cluster();
  cluster.put('Node', groupNode('a'));
  cluster.put(
    'Node',
    observedNode({
      name: 'b',
      labels: { 'karpenter.sh/nodepool': 'general', [TYPE]: 'm5.large', [ZONE]: ZONE_A, ...DEDICATED },
    }),
  );
  const documents = [policyDocument(nodePoolDocument('general'))];
  cluster.put('PolicyConfigMap', policyConfigMap(documents, { name: 'nodepools.karpenter.sh/general' }));
  const pools = observed(cluster, [poolOffer({ name: 'general' })]);
  expect((await pools.now(SIGNAL)).map(({ pool }) => pool.name)).toEqual(['general']);
  expect(pools.system).toBe('karpenter');
  const bought = [...cluster.nodes.values()].flatMap((node) => pools.boughtAs(node) ?? []);
  expect(bought).toEqual([
    {
      ...{ nodePool: 'general', instanceType: 'm5.large', zone: ZONE_A },
      ...{ capacityType: 'on-demand', tenancy: 'dedicated' },
    },
  ]);
});
