import { observedPod } from '../../support/builders/observed-pod.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { BurstWorld } from './burst-world.js';

function burst(world: BurstWorld, count: number): void {
  for (let index = 0; index < count; index++)
    world.objects.put(
      'Pod',
      observedPod({ name: `web-${String(index)}`, requests: { cpu: index % 3 === 0 ? '1' : '300m' } }),
    );
}

describe.each(['L2', 'L0'] as const)('a burst in an empty cluster at level %s', (level) => {
  test('every pod is bound, no node is born empty, nothing is launched twice, and no room is held in the end', async () => {
    const world = new BurstWorld(level);
    world.start();
    burst(world, 60);
    await world.pass(60);
    expect(world.pods().filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
    expect(world.emptyNodes()).toEqual([]);
    expect(world.objects.list('Reservation')).toEqual([]);
    expect(world.instances.liveInstances()).toHaveLength(world.objects.list('NodeClaim').length);
    expect(world.kube.writes.filter(({ method }) => method === 'createNodeClaim')).toHaveLength(
      world.objects.list('Node').length,
    );
  });

  test('pods are nominated before their node takes any pod', async () => {
    const world = new BurstWorld(level);
    world.start();
    burst(world, 10);
    await world.pass(60);
    const methods = world.kube.writes.filter(({ method }) => method === 'nominatePod');
    expect(methods).toHaveLength(10);
  });
});

describe('a burst whose Berth is killed', () => {
  test.each(Array.from({ length: 13 }, (_, index) => 3 * index + 1))(
    'after %i writes still ends with every pod bound and no instance too many',
    async (killedAfter) => {
      const world = new BurstWorld('L2');
      const mortal = mortalWriter(world.kube, killedAfter);
      const kill = world.start(mortal.kube);
      burst(world, 20);
      for (let second = 0; second < 30 && !mortal.isDead(); second++) await world.pass(1);
      kill();
      expect(mortal.isDead()).toBe(true);
      world.start();
      await world.pass(120);
      expect(world.pods().filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
      expect(world.emptyNodes()).toEqual([]);
      expect(world.instances.liveInstances()).toHaveLength(world.objects.list('NodeClaim').length);
    },
  );
});

describe('instances that are not available', () => {
  test('pods of a launch that fails get others, of what is there', async () => {
    const world = new BurstWorld('L2');
    world.instances.cloud.stock.set({ instanceType: 'c5.large' }, 0);
    world.instances.cloud.stock.set({ instanceType: 'm5.large' }, 0);
    world.start();
    burst(world, 20);
    await world.pass(120);
    expect(world.pods().filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
    expect(new Set(world.instances.liveInstances().map(({ instanceType }) => instanceType))).toEqual(
      new Set(['c5.xlarge']),
    );
    expect(world.emptyNodes()).toEqual([]);
  });
});
