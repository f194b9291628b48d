/** Placement groups of EC2: their limits, one zone of a cluster, and partitions that pods spread over. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { SeenNode, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const GROUP = 'karpenter.k8s.aws/placement-group-id';
const PARTITION = 'karpenter.k8s.aws/placement-group-partition';
const ZONE = 'topology.kubernetes.io/zone';

export const PLACEMENT_GROUPS: readonly ScenarioCase[] = [
  {
    name: 'a spread placement group gets seven nodes in a zone and no more, and the pod that is left over learns why',
    run: spread,
  },
  {
    name: 'pods that spread over the partitions of a placement group get a node in each, and other nodes have the partition of EC2',
    run: partitions,
  },
  {
    name: 'nodes of a cluster placement group are all in one zone, and of a type that it can have',
    run: cluster,
  },
];

async function spread(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('apart');
  world.cloud.addPlacementGroup({ id: 'pg-0a1b2c3d', name: 'apart', strategy: 'spread' });
  await scenario.given(
    nodeClass('default', { placementGroupSelector: { name: 'apart' } }),
    pool.manifest({ requirements: { [ZONE]: ['eu-west-3a'] } }),
  );
  await scenario.whenApplied(deployment({ name: 'apart', replicas: 8, requests: ALONE, pod: pool.wanted() }));
  await pool.expectSettled(world, 7, 120);
  const why = 'placement group apart has 7 running instances in each zone';
  await world.until(
    'the eighth pod learns why',
    async () => (await world.events()).some(({ message }) => message.includes(why)),
    120,
  );
  await world.quietFor(15);
  await pool.expectSettled(world, 7);
  const nodes = await nodesOf(world, pool);
  expect(nodes.map(({ labels }) => labels[GROUP])).toEqual(nodes.map(() => 'pg-0a1b2c3d'));
  expect((await pool.podsOf(world, 'apart')).filter(({ nodeName }) => nodeName === undefined)).toHaveLength(
    1,
  );
}

async function partitions(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('parted');
  world.cloud.addPlacementGroup({ id: 'pg-1a2b3c4d', name: 'parted', strategy: 'partition', partitions: 3 });
  await scenario.given(
    nodeClass('default', { placementGroupSelector: { id: 'pg-1a2b3c4d' } }),
    pool.manifest(),
  );
  const constraint = {
    topologyKey: PARTITION,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'parted' } },
  };
  await scenario.whenApplied(
    deployment({
      name: 'parted',
      replicas: 3,
      requests: { cpu: '200m' },
      pod: { ...pool.wanted(), topologySpreadConstraints: [constraint] },
    }),
  );
  await scenario.expectScheduled({ app: 'parted', pods: 3 });
  await pool.expectSettled(world, 3);
  expect(valuesOf(await nodesOf(world, pool), PARTITION)).toEqual(['1', '2', '3']);
  await scenario.whenApplied(
    deployment({ name: 'anywhere', replicas: 5, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'anywhere', pods: 5, whereFirstPlanned: false });
  await pool.expectSettled(world, 5);
  expect(valuesOf(await nodesOf(world, pool), PARTITION).every((value) => /^[123]$/.test(value))).toBe(true);
}

async function cluster(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('close');
  world.cloud.addPlacementGroup({ id: 'pg-2a3b4c5d', name: 'close', strategy: 'cluster' });
  await scenario.given(
    nodeClass('default', { placementGroupSelector: { name: 'close' } }),
    pool.manifest({
      requirements: { 'node.kubernetes.io/instance-type': ['t3.large', 'm5.large'] },
      spec: { disruption: { consolidateAfter: 'Never' } },
    }),
  );
  await scenario.whenApplied(deployment({ name: 'close', replicas: 3, requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'close', pods: 3 });
  await scenario.whenScaled('close', 5);
  await scenario.expectScheduled({ app: 'close', pods: 5 });
  const claims = await pool.expectSettled(world, 5);
  expect(new Set(claims.map(({ zone }) => zone)).size).toBe(1);
  expect(new Set(claims.map(({ instanceType }) => instanceType))).toEqual(new Set(['m5.large']));
}

async function nodesOf(world: World, pool: OwnPool): Promise<readonly SeenNode[]> {
  return (await world.nodes()).filter(({ labels }) => labels['scenario'] === pool.name);
}

/** Of nodes, sorted; '' where it is missing. */
function valuesOf(nodes: readonly SeenNode[], label: string): readonly string[] {
  return nodes.map(({ labels }) => labels[label] ?? '').sort();
}
