/** Nodes whose root volume is as large as their pods need. */
import { EPHEMERAL_STORAGE } from '../../../src/domain/values/resources.js';
import { amounts } from '../../support/builders/pod.js';
import { ClaimWorld, NODE_CLASS } from './claim-world.js';

const GIB = 2 ** 30;
const nodeClass = { ...NODE_CLASS, maxRootVolumeBytes: 500 * GIB };

/** Bytes that the nodes of claims with such requests leave to pods. */
async function storageOf(
  world: ClaimWorld,
  requests: readonly string[],
): Promise<readonly (number | undefined)[]> {
  for (const [index, request] of requests.entries())
    await world.launchGroup(
      [`general-${String(index)}`],
      { requests: amounts({ 'ephemeral-storage': request }) },
      `group-${String(index)}`,
    );
  await world.seconds(20);
  return requests.map((_, index) =>
    world.nodeOf(`general-${String(index)}`)?.allocatable.get(EPHEMERAL_STORAGE),
  );
}

test('each launch has a volume that leaves its claims what they ask for, rounded up to a GiB', async () => {
  const world = new ClaimWorld({ nodeClass });
  world.start();
  const [large = 0, small = 0] = await storageOf(world, ['100Gi', '1Gi']);
  expect(large).toBeGreaterThanOrEqual(100 * GIB);
  expect(large).toBeLessThan(101 * GIB);
  expect(small).toBe(17 * GIB);
});

test('a claim that was written before a restart gets the volume it was planned with', async () => {
  const world = new ClaimWorld({ nodeClass });
  const before = world.start();
  await world.launchGroup(['general-0'], { requests: amounts({ 'ephemeral-storage': '100Gi' }) });
  before.kill();
  world.start();
  await world.seconds(20);
  expect(world.liveInstances()).toHaveLength(1);
  expect(world.nodeOf('general-0')?.allocatable.get(EPHEMERAL_STORAGE)).toBeGreaterThanOrEqual(100 * GIB);
});

test('what no volume of the class can hold is not launched', async () => {
  const world = new ClaimWorld();
  world.start();
  expect(await storageOf(world, ['100Gi'])).toEqual([undefined]);
  expect(world.liveInstances()).toEqual([]);
});
