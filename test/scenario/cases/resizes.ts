/** Running pods that ask for more in place than their node has left. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { SeenPod, World } from '../world.js';

const MOVES = { 'berth.sh/move-deferred-resize': 'true' };
/** Beside a whole one an m5.large has room for the first, and not for the second. */
const SMALL = { cpu: '400m' };
const LARGE = { cpu: '1200m' };

export const RESIZES: readonly ScenarioCase[] = [
  {
    name: 'a pod whose resize is Deferred leaves its node once, for one with room that was held before, if it asks for that, and no other does',
    run: deferred,
  },
];

async function deferred(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('resizes');
  const spec = { disruption: { consolidateAfter: 'Never' } };
  await scenario.given(nodeClass(), pool.manifest({ spec }));
  await scenario.whenApplied(
    deployment({ name: 'whole', requests: { cpu: '1' }, pod: pool.wanted() }),
    deployment({ name: 'resized', requests: SMALL, annotations: MOVES, pod: pool.wanted() }),
    deployment({ name: 'unasked', requests: SMALL, pod: pool.wanted() }),
  );
  for (const app of ['whole', 'resized', 'unasked'])
    await scenario.expectScheduled({ app, pods: 1, whereFirstPlanned: false });
  await pool.expectSettled(world, 1);
  const before = await only(world, pool, 'resized');
  const others = await Promise.all(['whole', 'unasked'].map((app) => only(world, pool, app)));
  await world.resize(await only(world, pool, 'unasked'), LARGE);
  await world.resize(before, LARGE);
  const moved = await world.until(
    'the pod runs on another node',
    async () => {
      const [pod, ...more] = await pool.podsOf(world, 'resized');
      return pod?.ready === true && more.length === 0 && pod.uid !== before.uid && pod;
    },
    120,
  );
  expect(moved.nodeName).not.toBe(before.nodeName);
  await scenario.expectScheduled({ app: 'resized', pods: 1 });
  await scenario.expectDecision('Pod/default/resized', 'Disrupt', 'EvictedForResize');
  // There is room now for what its owner's template does not ask for.
  await world.resize(moved, LARGE);
  await world.quietFor(20);
  expect((await only(world, pool, 'resized')).uid).toBe(moved.uid);
  const stayed = await Promise.all(['whole', 'unasked'].map((app) => only(world, pool, app)));
  expect(stayed.map(({ uid }) => uid)).toEqual(others.map(({ uid }) => uid));
  await pool.expectSettled(world, 2);
}

async function only(world: World, pool: OwnPool, app: string): Promise<SeenPod> {
  const [pod] = await pool.podsOf(world, app);
  if (pod === undefined) throw new Error(`no pod of ${app}`);
  return pod;
}
