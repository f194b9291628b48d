/** Another scheduler binds a pod into room that is held, in the simulated world. */
import { deployment, nodeClass, pod } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };

test('a pod that another scheduler binds into held room is named at once, and the planned pod gets another node', async () => {
  const world = await SimulatedWorld.start();
  const scenario = new Scenario(world);
  const pool = new OwnPool('contested');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ requests: ALONE, pod: pool.wanted() }));
  const node = await world.until('its node is there', async () => (await world.nodes())[0], 60);
  await world.apply([pod({ name: 'thief', requests: ALONE, pod: { schedulerName: 'other' } })]);
  await world.api.bind({ namespace: 'default', name: 'thief' }, node.name);
  await world.until('it is Ready', async () => (await world.nodes()).some(({ ready }) => ready), 60);
  await scenario.expectDecision('Pod/default/thief', 'Place', 'RoomTaken');
  const at = world.now();
  await world.until('another node is on its way', async () => (await pool.claims(world)).length === 2, 1);
  // Less than kube-scheduler is left to bind a pod where it is planned.
  expect(world.now() - at).toBeLessThan(10_000);
  await scenario.expectScheduled({ app: 'web', pods: 1, whereFirstPlanned: false });
  const told = await world.events();
  expect(told.find(({ reason }) => reason === 'RoomTaken')).toMatchObject({
    subject: 'Pod/default/thief',
    type: 'Warning',
  });
  await world.close();
});
