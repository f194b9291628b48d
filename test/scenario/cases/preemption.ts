/** Preemption at a pool's limit: more important pods go first, whether the others run or their nodes are still to come. */
import { deployment, nodeClass, podDisruptionBudget } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import { Scenario } from '../scenario.js';
import type { Manifest, SeenPod, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
/** Six instances of two cores. */
const SPEC = {
  limits: { cpu: '12' },
  disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
};
const HIGH: Manifest = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 1000,
};

/** Six nodes are full of running pods, of which two are guarded. Answers for each more important pod how long it waited, in milliseconds. */
export async function takeRunningNodes(world: World): Promise<readonly number[]> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('preempting');
  const pod = pool.wanted();
  await scenario.given(nodeClass(), HIGH, pool.manifest({ spec: SPEC }));
  await scenario.whenApplied(
    podDisruptionBudget('guarded', { maxUnavailable: 0 }),
    deployment({ name: 'guarded', replicas: 2, requests: ALONE, pod }),
    deployment({ name: 'low', replicas: 4, requests: ALONE, pod }),
  );
  const guarded = await scenario.expectScheduled({ app: 'guarded', pods: 2 });
  await scenario.expectScheduled({ app: 'low', pods: 4 });
  await pool.expectSettled(world, 6);
  await scenario.whenApplied(high(pool, 3));
  const waits = await waitsOf(world, pool, 3);
  expect(uidsOf(await pool.podsOf(world, 'guarded'))).toEqual(uidsOf(guarded));
  await pool.expectSettled(world, 6);
  const low = await pool.podsOf(world, 'low');
  expect(low.filter(({ nodeName }) => nodeName !== undefined)).toHaveLength(1);
  return waits;
}

/** Six nodes are on their way for less important pods when the others come. */
export async function takeNodesInFlight(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('coming');
  await scenario.given(nodeClass(), HIGH, pool.manifest({ spec: SPEC }));
  await scenario.whenApplied(
    deployment({ name: 'patient', replicas: 6, requests: ALONE, pod: pool.wanted() }),
  );
  await world.until('six nodes are on their way', async () => (await pool.claims(world)).length === 6, 30);
  const patient = uidsOf(await pool.podsOf(world, 'patient'));
  await scenario.whenApplied(high(pool, 3, 'urgent'));
  await scenario.expectScheduled({ app: 'urgent', pods: 3, whereFirstPlanned: false });
  await pool.expectSettled(world, 6);
  await world.until(
    'the other nodes are taken by pods that gave way',
    async () =>
      (await pool.podsOf(world, 'patient')).filter(({ nodeName }) => nodeName !== undefined).length === 3,
    60,
  );
  // None of them ran, and none was evicted.
  expect(uidsOf(await pool.podsOf(world, 'patient'))).toEqual(patient);
}

function high(pool: OwnPool, replicas: number, name = 'high'): Manifest {
  const pod = { ...pool.wanted(), priorityClassName: 'high' };
  return deployment({ name, replicas, requests: ALONE, pod });
}

/** After how many milliseconds the pods were bound, in order. */
async function waitsOf(world: World, pool: OwnPool, count: number): Promise<readonly number[]> {
  const start = world.now();
  const bound = new Map<string, number>();
  const look = async (): Promise<boolean> => {
    for (const { uid, nodeName } of await pool.podsOf(world, 'high'))
      if (nodeName !== undefined && !bound.has(uid)) bound.set(uid, world.now() - start);
    return bound.size === count;
  };
  await world.until(`${String(count)} more important pods are bound`, look, 60);
  return [...bound.values()].sort((one, other) => one - other);
}

function uidsOf(pods: readonly SeenPod[]): readonly string[] {
  return pods.map(({ uid }) => uid).sort();
}
