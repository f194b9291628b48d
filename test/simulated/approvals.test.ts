/** Approvals in a whole world: Berth restarted while a proposal waits, and while it is carried out. */
import { OwnPool } from '../scenario/own-pool.js';
import { deployment, nodeClass } from '../scenario/objects.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

const ALONE = { cpu: '1500m' };

test('a proposal survives restarts: it is neither lost nor made twice, and its instances are bought once', async () => {
  const world = await SimulatedWorld.start({ flags: { mode: 'approve' } });
  const scenario = new Scenario(world);
  const pool = new OwnPool('general');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ name: 'web', replicas: 3, requests: ALONE, pod: pool.wanted() }));
  const proposals = async () => (await world.decisions()).filter(({ action }) => action === 'Propose');
  await world.until('it is proposed', async () => (await proposals()).length === 1, 60);
  await world.stopBerth();
  await world.quietFor(60);
  world.startBerth();
  await world.quietFor(120);
  expect(await proposals()).toMatchObject([{ phase: 'Proposed' }]);
  expect(world.instances()).toEqual([]);
  await world.decide('approve', (await proposals())[0]?.name ?? '');
  await world.until('the first NodeClaim is there', async () => (await world.claims()).length > 0, 60);
  await world.stopBerth();
  world.startBerth();
  await scenario.expectScheduled({ app: 'web', pods: 3, whereFirstPlanned: false });
  await pool.expectSettled(world, 3);
  await world.until('it is done', async () => (await proposals())[0]?.phase === 'CarriedOut', 60);
  expect(world.instances()).toHaveLength(3);
  expect(await proposals()).toHaveLength(1);
  await world.close();
});
