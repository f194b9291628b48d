/** A node that registers and is never Ready, in the simulated world. */
import { USUAL_PLAN } from '../../world/kubelet/kubelet-plan.js';
import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

/** Karpenter's repair, which Berth has as well, waits for half an hour. */
const REPAIR_SECONDS = 1800;

test('pods that are planned on a node which is never Ready get another after a quarter of an hour, and it is terminated', async () => {
  const world = await SimulatedWorld.start();
  const { kubelets } = world.actors;
  const scenario = new Scenario(world);
  const pool = new OwnPool('broken');
  kubelets.plan = { neverReady: 1 };
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ pod: pool.wanted() }));
  const bad = await world.until('its node registers', async () => (await world.nodes())[0], 120);
  kubelets.plan = USUAL_PLAN;
  const registered = world.now();
  const bound = await world.until(
    'the pod is bound',
    async () => (await world.pods()).find(({ nodeName }) => nodeName !== undefined),
    REPAIR_SECONDS,
  );
  expect(bound.nodeName).not.toBe(bad.name);
  expect(world.now() - registered).toBeLessThan(REPAIR_SECONDS * 1000);
  await world.until('the bad node is gone', async () => (await world.nodes()).length === 1, 120);
  const told = await world.events();
  expect(told.find(({ reason }) => reason === 'InitializationTimeout')).toMatchObject({ type: 'Warning' });
  await world.close();
});
