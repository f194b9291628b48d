import { DisruptionWorld } from '../disruption/disruption-world.js';

const TEMPLATE = {
  requirements: [],
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
};

/** The spec of a static pool which consolidates as soon as it may. */
function pool(replicas: number, template: object = {}): Readonly<Record<string, unknown>> {
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '1' }] };
  return { replicas, disruption, template: { spec: { ...TEMPLATE, ...template } } };
}

async function settled(world: DisruptionWorld, nodes: number): Promise<void> {
  expect(await world.until(() => world.claimsWith('Initialized').length === nodes)).toBeLessThan(60);
}

describe('nodes of a static pool', () => {
  test('stay, though they are empty', async () => {
    const world = new DisruptionWorld(pool(3));
    world.start();
    await settled(world, 3);
    const before = world.claims().map(({ name }) => name);
    await world.pass(600);
    expect(world.claims().map(({ name }) => name)).toEqual(before);
  });

  test('take pods, for which nothing is launched', async () => {
    const world = new DisruptionWorld(pool(2));
    world.start();
    await settled(world, 2);
    world.deploy('web', 2, { requests: { cpu: '500m' } });
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(30);
    expect(world.claims()).toHaveLength(2);
  });

  test('are awaited by pods that come while they are on their way', async () => {
    const world = new DisruptionWorld(pool(1));
    world.start();
    world.deploy('web', 1, { requests: { cpu: '500m' } });
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(90);
    expect(world.claims()).toHaveLength(1);
  });

  test('are replaced one by one when they drift, empty or not, and there are never fewer', async () => {
    const world = new DisruptionWorld(pool(2));
    world.start();
    await settled(world, 2);
    world.deploy('web', 1, { requests: { cpu: '500m' } });
    await world.until(() => world.unbound().length === 0);
    const old = new Set(world.claims().map(({ name }) => name));
    world.policies(pool(2, { expireAfter: '500h' }));
    let fewest = Infinity;
    let most = 0;
    const seconds = await world.until(() => {
      const ready = world.nodes().filter((node) => node.ready && node.deletionTimestamp === undefined);
      fewest = Math.min(fewest, ready.length);
      most = Math.max(most, world.claims().length);
      return world.claims().every(({ name }) => !old.has(name));
    });
    expect(seconds).toBeLessThan(600);
    expect([fewest, most]).toEqual([2, 3]);
    await settled(world, 2);
    expect(world.unbound()).toEqual([]);
  });
});
