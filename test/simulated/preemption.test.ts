/** More important pods at a pool's limit, in the simulated world. */
import { takeNodesInFlight, takeRunningNodes } from '../scenario/cases/preemption.js';
import { inSimulatedWorld } from './in-world.js';

/** A batch closes a second after its last pod. */
const BATCH_MILLIS = 1_000;

test('more important pods take the nodes of running ones within seconds, and no node of a pod whose budget forbids it', async () => {
  let waits: readonly number[] = [];
  const run = async (world: Parameters<typeof takeRunningNodes>[0]): Promise<void> => {
    waits = await takeRunningNodes(world);
  };
  await inSimulatedWorld({ name: 'running nodes', run });
  expect(waits[1]).toBeLessThanOrEqual(BATCH_MILLIS + 2_000);
  expect(waits[2]).toBeLessThanOrEqual(15_000);
});

test('more important pods take the nodes that are on their way for others, and nothing more is bought', async () => {
  await expect(
    inSimulatedWorld({ name: 'nodes in flight', run: takeNodesInFlight }),
  ).resolves.toBeUndefined();
});
