/** A node whose instance is going to be interrupted. */
import { instanceID } from '../../../src/domain/nodes/node-claim.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

/** The claim of a node with pods, and its instance; of a pool whose nodes may not be disrupted. */
export async function oneNode(): Promise<{
  readonly world: DisruptionWorld;
  readonly name: string;
  readonly instance: string;
}> {
  const world = new DisruptionWorld({ disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] } });
  world.start();
  world.deploy('web', 2, { requests: { cpu: '1500m' } });
  expect(await world.until(() => world.claimsWith('Initialized').length > 0)).toBeLessThan(60);
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(30);
  // What there is to say about its pods has been written.
  await world.pass(15);
  const [claim] = world.claims();
  return { world, name: claim?.name ?? '', instance: instanceID(claim?.status.providerID ?? '') };
}

/** How many messages of this type were received. */
export async function counted(world: DisruptionWorld, type: string): Promise<number | undefined> {
  const { values } = await world.metrics.interruptionReceived.get();
  return values.find(({ labels }) => labels.message_type === type)?.value;
}
