/** Kubernetes' own gangs (KEP 4671): kube-scheduler schedules them with gates of 1.36 that are off by default. */
import { deployment, nodeClass } from '../../scenario/objects.js';
import { OwnPool } from '../../scenario/own-pool.js';
import { Scenario } from '../../scenario/scenario.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
import { chosenMinor } from '../fixture/process/server-binary.js';

const MEMBERS = 4;
const GROUP = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'train', namespace: 'default' },
  spec: { schedulingPolicy: { gang: { minCount: MEMBERS } } },
};
/** Older API servers know no such kind. */
const since136 = chosenMinor() === '1.34' ? test.skip : test;

describe('PodGroups of Kubernetes itself', () => {
  since136('have their pods launched for and bound as a whole, or not at all', async () => {
    const berth = await BerthCluster.start({
      controlPlane: {
        featureGates: { GenericWorkload: true, GangScheduling: true },
        flags: { 'kube-apiserver': ['--runtime-config=scheduling.k8s.io/v1alpha2=true'] },
      },
    });
    try {
      await playGang(new RealWorld(berth));
    } finally {
      await berth.stop();
    }
  });
});

/** At first the pool has room for three of the four, each of which has a node of its own. */
async function playGang(world: RealWorld): Promise<void> {
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
  await scenario.expectScheduled({ app: 'train', pods: MEMBERS });
  await pool.expectSettled(world, MEMBERS);
}
