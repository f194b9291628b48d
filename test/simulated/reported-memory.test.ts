/** Nodes with less memory than is estimated, by a share of its own for each type: one of them is enough to learn from, over a restart, too. */
import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

test('after a restart, what nodes that run have reported is known again, and no pod gets a node too small for it', async () => {
  const memoryBeyond = { from: -0.2, to: 0 };
  const world = await SimulatedWorld.start({ actors: { kubeletPlan: { memoryBeyond } } });
  const scenario = new Scenario(world);
  const pool = new OwnPool('reported');
  const requirements = { 'node.kubernetes.io/instance-type': ['m5.large', 'm5.xlarge'] };
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s' };
  await scenario.given(nodeClass(), pool.manifest({ requirements, spec: { disruption } }));
  const typesAfter = async (name: string, memory: string): Promise<readonly string[]> => {
    await scenario.whenApplied(deployment({ name, requests: { memory }, pod: pool.wanted() }));
    await scenario.expectScheduled({ app: name, pods: 1 });
    const launched = world.instances().length;
    return (await pool.expectSettled(world, launched)).map(({ instanceType = '' }) => instanceType).sort();
  };
  expect(await typesAfter('small', '1Gi')).toEqual(['m5.large']);
  // By the estimate an m5.large leaves 6903Mi to pods.
  expect(await typesAfter('large', '6800Mi')).toEqual(['m5.large', 'm5.xlarge']);
  await world.stopBerth();
  world.startBerth();
  expect(await typesAfter('other', '6800Mi')).toEqual(['m5.large', 'm5.xlarge', 'm5.xlarge']);
  await world.close();
});
