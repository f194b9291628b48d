import { isTrue } from '../../../src/domain/values/condition.js';
import { DisruptionWorld } from './disruption-world.js';

/** A pool whose budgets let everything go at once. */
function pool(disruption: object = {}): Readonly<Record<string, unknown>> {
  return { disruption: { consolidateAfter: '30s', budgets: [{ nodes: '100%' }], ...disruption } };
}

const ONE_PER_NODE = { requests: { cpu: '1500m' } };

async function settled(world: DisruptionWorld): Promise<void> {
  expect(await world.until(() => world.pods().length > 0 && world.unbound().length === 0)).toBeLessThan(60);
  expect(
    await world.until(() => world.claimsWith('Initialized').length === world.claims().length),
  ).toBeLessThan(30);
}

describe('an empty node', () => {
  test('goes consolidateAfter seconds after its last pod, and its instance with it', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, ONE_PER_NODE);
    await settled(world);
    await world.pass(60);
    expect(world.claims()).toHaveLength(1);
    world.scale('web', 0);
    await world.pass(25);
    expect(world.claims()[0]?.status.disruption).toBeUndefined();
    await world.pass(60);
    expect(world.claims()).toEqual([]);
    expect(world.nodes()).toEqual([]);
    expect(world.instances.liveInstances()).toEqual([]);
    expect(world.reasons()).toContain('Empty');
  });

  test('stays with consolidateAfter Never', async () => {
    const world = new DisruptionWorld(pool({ consolidateAfter: 'Never' }));
    world.start();
    world.deploy('web', 1, ONE_PER_NODE);
    await settled(world);
    world.scale('web', 0);
    await world.rest(300);
    expect(world.claims()).toHaveLength(1);
    expect(world.claimsWith('Consolidatable')).toEqual([]);
  });

  test.each([
    ['Never', 0],
    ['10m', 2],
  ])(
    'has nothing written on its claim for pods that come and go, unless consolidateAfter reads it (%s)',
    async (consolidateAfter, writes) => {
      const world = new DisruptionWorld(pool({ consolidateAfter }));
      world.start();
      world.deploy('web', 1, ONE_PER_NODE);
      await settled(world);
      await world.pass(200);
      const written = (): number =>
        world.kube.writes.filter(({ method }) => method === 'putNodeClaimStatus').length;
      const before = written();
      for (let times = 0; times < 6; times++) {
        world.scale('web', times % 2);
        await world.pass(40);
      }
      expect(world.claims()).toHaveLength(1);
      expect(written() - before).toBe(writes);
    },
  );

  test('stays when a pod comes between the decision and the deed', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, ONE_PER_NODE);
    await settled(world);
    world.scale('web', 0);
    await world.until(() => world.claims()[0]?.status.disruption !== undefined);
    // Past our extender, as a DaemonSet's or a pod of another scheduler.
    const [node] = world.nodes();
    world.deploy('late', 1, { ...ONE_PER_NODE, schedulerName: 'other' });
    const [late] = world.pods('late');
    if (late !== undefined) world.objects.put('Pod', { ...late, nodeName: node?.name, phase: 'Running' });
    await world.pass(30);
    expect(world.claims()).toHaveLength(1);
    expect(world.claims()[0]?.status.disruption).toBeUndefined();
    expect(world.tainted()).toEqual([]);
    expect(world.reasons()).toContain('DisruptionTakenBack');
  });

  test('of ten, two go at a time under a budget of 20 %, until their instances are being terminated', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '20%' }], consolidateAfter: '0s' }));
    world.start();
    world.deploy('web', 10, { requests: { cpu: '3500m' } });
    await settled(world);
    expect(world.claims()).toHaveLength(10);
    world.scale('web', 0);
    let most = 0;
    const left = await world.until(() => {
      const going = world
        .claims()
        .filter(({ status }) => status.disruption !== undefined)
        .filter(({ status }) => !isTrue(status.conditions, 'InstanceTerminating'));
      most = Math.max(most, going.length);
      return world.claims().length === 0;
    });
    expect(left).toBeLessThan(600);
    expect(most).toBe(2);
  });
});

describe('budgets with a schedule', () => {
  const OFFICE_HOURS = pool({
    consolidateAfter: '0s',
    budgets: [
      { nodes: '20%' },
      { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Drifted', 'Underutilized'] },
    ],
  });

  test('0 from 9 to 17 for Drifted and Underutilized lets empty nodes go, and drifted ones only after 17', async () => {
    const world = new DisruptionWorld(OFFICE_HOURS);
    world.clock.stepWall(10 * 3_600_000);
    world.start();
    world.deploy('web', 1, { requests: { cpu: '3500m' } });
    world.deploy('idle', 1, { requests: { cpu: '3500m' } });
    await settled(world);
    world.scale('idle', 0);
    world.policies({ ...OFFICE_HOURS, template: withLabel() });
    await world.pass(120);
    expect(world.claims()).toHaveLength(1);
    expect(world.claimsWith('Drifted')).toHaveLength(1);
    const [before] = world.claims();
    await world.pass(60);
    expect(world.claims().map(({ name }) => name)).toEqual([before?.name]);
    expect(world.reasons()).toContain('Budget');
    world.clock.stepWall(7 * 3_600_000);
    await world.pass(120);
    expect(world.claims()).toHaveLength(1);
    expect(world.claim(before?.name ?? '')).toBeUndefined();
    expect(world.unbound()).toEqual([]);
  });
});

describe('an underutilised node', () => {
  test('is replaced by a cheaper one, which is ready before its pod is evicted', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, { requests: { cpu: '1' } });
    world.deploy('big', 1, { requests: { cpu: '2500m' } });
    await settled(world);
    expect(world.instanceTypes()).toEqual(['c5.xlarge']);
    const [old] = world.claims();
    world.scale('big', 0);
    expect(await world.until(() => world.instanceTypes().join() === 'c5.large')).toBeLessThan(300);
    expect(world.unbound()).toEqual([]);
    const initialized = world.told.decisions.findLastIndex(({ reason }) => reason === 'Initialized');
    const evicted = world.told.decisions.findIndex(({ reason }) => reason === 'Evicted');
    expect(initialized).toBeLessThan(evicted);
    expect(world.claims()[0]?.annotations.get('berth.sh/replaces')).toBe(old?.name);
    expect(world.objects.list('Reservation')).toEqual([]);
    const claims = world.claims().map(({ name }) => name);
    await world.rest(600);
    expect(world.claims().map(({ name }) => name)).toEqual(claims);
  });

  test('is let be while a pod on it asks for that', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, {
      requests: { cpu: '1' },
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
    });
    world.deploy('big', 1, { requests: { cpu: '2500m' } });
    await settled(world);
    world.scale('big', 0);
    await world.rest(180);
    expect(world.instanceTypes()).toEqual(['c5.xlarge']);
    expect(world.reasons()).toContain('PodDoNotDisrupt');
    expect(world.writes('evictPod')).toEqual([]);
  });

  test('is let be while a PodDisruptionBudget keeps its pod', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, { requests: { cpu: '1' } });
    world.deploy('big', 1, { requests: { cpu: '2500m' } });
    world.protect('web', 0);
    await settled(world);
    world.scale('big', 0);
    await world.rest(180);
    expect(world.instanceTypes()).toEqual(['c5.xlarge']);
    expect(world.reasons()).toContain('PodDisruptionBudget');
    expect(world.writes('evictPod')).toEqual([]);
  });

  test('stays when its replacement is not available, and is left alone for a while', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, { requests: { cpu: '1' } });
    world.deploy('big', 1, { requests: { cpu: '2500m' } });
    await settled(world);
    const [old] = world.claims();
    world.instances.cloud.stock.set({}, 0);
    world.scale('big', 0);
    expect(await world.until(() => world.tainted().length > 0)).toBeLessThan(120);
    await world.rest(240);
    await world.until(() => world.claim(old?.name ?? '')?.status.disruption === undefined);
    expect(world.claims().map(({ name }) => name)).toEqual([old?.name]);
    expect(world.tainted()).toEqual([]);
    const givenUp = world.reasons().filter((reason) => reason === 'DisruptionTakenBack').length;
    expect([1, 2, 3]).toContain(givenUp);
    expect(world.unbound()).toEqual([]);
    expect(world.writes('evictPod')).toEqual([]);
  });
});

function withLabel(): object {
  return {
    metadata: { labels: { team: 'a' } },
    spec: {
      requirements: [],
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    },
  };
}
