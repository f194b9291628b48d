/** Kubernetes' own gangs (KEP 4671): kube-scheduler schedules them with gates of 1.36 that are off by default. */
import { deployment, nodeClass } from '../../scenario/objects.js';
import { OwnPool } from '../../scenario/own-pool.js';
import { Scenario } from '../../scenario/scenario.js';
import type { SeenPod } from '../../scenario/world.js';
import { BerthCluster, type BerthClusterOptions } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
import { chosenMinor } from '../fixture/process/server-binary.js';

const MEMBERS = 4;
const GROUP = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'train', namespace: 'default' },
  spec: { schedulingPolicy: { gang: { minCount: MEMBERS } } },
};
/** Older API servers have no such kind. */
const isKnown = chosenMinor() !== '1.34';
const GATED = {
  featureGates: { GenericWorkload: true, GangScheduling: true },
  flags: { 'kube-apiserver': ['--runtime-config=scheduling.k8s.io/v1alpha2=true'] },
};

describe('PodGroups of Kubernetes itself', () => {
  if (isKnown)
    test('have their pods launched for and bound as a whole, or not at all', async () => {
      expect(await inCluster({ controlPlane: GATED }, playGang)).toHaveLength(MEMBERS);
    });
  else
    test('are not missed where the API server has none: pods are launched for one by one', async () => {
      expect(await inCluster({}, playAlone)).toHaveLength(MEMBERS);
    });
});

async function inCluster(
  options: BerthClusterOptions,
  play: (world: RealWorld) => Promise<readonly SeenPod[]>,
): Promise<readonly SeenPod[]> {
  const berth = await BerthCluster.start(options);
  try {
    return await play(new RealWorld(berth));
  } finally {
    await berth.stop();
  }
}

/** At first the pool has room for three of the four, each of which has a node of its own. */
async function playGang(world: RealWorld): Promise<readonly SeenPod[]> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('grouped');
  await scenario.given(nodeClass(), pool.manifest({ spec: { limits: { cpu: '6' } } }));
  const pod = { ...pool.wanted(), schedulingGroup: { podGroupName: 'train' } };
  await scenario.whenApplied(
    GROUP,
    deployment({ name: 'train', replicas: MEMBERS, requests: { cpu: '1500m' }, pod }),
  );
  await scenario.expectDecision('Pod/default/train', 'Refuse', 'GangUnplaceable');
  await scenario.expectQuiet(10, { pools: [pool.name], namespaces: ['default'] });
  expect(pool.instances(world)).toEqual([]);
  await scenario.whenApplied(pool.manifest({ spec: { limits: { cpu: '8' } } }));
  const pods = await scenario.expectScheduled({ app: 'train', pods: MEMBERS });
  await pool.expectSettled(world, MEMBERS);
  return pods;
}

/** The pool has room for all four of them. */
async function playAlone(world: RealWorld): Promise<readonly SeenPod[]> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('grouped');
  await scenario.given(nodeClass(), pool.manifest({ spec: { limits: { cpu: '8' } } }));
  await scenario.whenApplied(
    deployment({ name: 'train', replicas: MEMBERS, requests: { cpu: '1500m' }, pod: pool.wanted() }),
  );
  const pods = await scenario.expectScheduled({ app: 'train', pods: MEMBERS });
  await pool.expectSettled(world, MEMBERS);
  return pods;
}
