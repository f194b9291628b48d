import { instanceID, type NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import { policyConfigMap } from '../../support/builders/policy-document.js';
import { DisruptionWorld } from './disruption-world.js';

const TEMPLATE = {
  requirements: [],
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
};
const BIG = { requests: { cpu: '3500m' } };

function pool(disruption: object = {}, template: object = {}): Readonly<Record<string, unknown>> {
  return {
    template: { spec: { ...TEMPLATE, ...template } },
    disruption: { consolidateAfter: '30s', budgets: [{ nodes: '20%' }], ...disruption },
  };
}

async function settled(world: DisruptionWorld, nodes: number): Promise<void> {
  expect(await world.until(() => world.claimsWith('Initialized').length === nodes)).toBeLessThan(60);
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(30);
}

describe('drifted nodes', () => {
  test('are replaced one after the other within a budget of 20 %, each by one that is ready first', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 5, BIG);
    await settled(world, 5);
    const old = new Set(world.claims().map(({ name }) => name));
    world.resolution = { imageIDs: ['ami-newer'] };
    let most = 0;
    let leastReady = Infinity;
    const seconds = await world.until(() => {
      const marked = world.claims().filter(({ status }) => status.disruption !== undefined).length;
      most = Math.max(most, marked);
      leastReady = Math.min(leastReady, world.nodes().filter(({ ready }) => ready).length);
      // The instances of this cloud all have the image that they always had: rolled out is when the old ones are gone.
      return world.claims().every(({ name }) => !old.has(name));
    });
    expect(seconds).toBeLessThan(600);
    expect(most).toBe(1);
    expect(leastReady).toBeGreaterThanOrEqual(5);
    expect(world.reasons()).toContain('Drifted');
  });

  test('are found all at once when their class gets other images, however long ago each was looked at', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }));
    world.start();
    for (const name of ['first', 'second', 'third']) {
      world.deploy(name, 1, BIG);
      await settled(world, world.pods().length);
      await world.pass(17);
    }
    world.resolution = { imageIDs: ['ami-newer'] };
    expect(await world.until(() => world.claimsWith('Drifted').length > 0)).toBeLessThanOrEqual(60);
    expect(await world.until(() => world.claimsWith('Drifted').length === 3)).toBeLessThanOrEqual(2);
  });

  test('are tainted from the decision on: no pod of a scheduler without the extender comes to them', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '100%' }] }));
    world.asksExtender = false;
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const old = world.nodes().map(({ name }) => name);
    world.resolution = { imageIDs: ['ami-newer'] };
    expect(await world.until(() => world.tainted().length > 0)).toBeLessThan(120);
    expect(world.tainted()).toEqual(old);
    expect(world.claims()).toHaveLength(1);
    world.deploy('late', 1, { requests: { cpu: '100m' } });
    const places = new Set<string | undefined>();
    await world.until(() => {
      for (const { nodeName } of world.pods('late')) places.add(nodeName);
      return world.nodes().every(({ name }) => !old.includes(name));
    });
    expect(old.filter((name) => places.has(name))).toEqual([]);
  });

  test('say in what they have drifted', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }));
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    world.policies(pool({ budgets: [{ nodes: '0' }] }, { taints: [{ key: 'a', effect: 'NoSchedule' }] }));
    await world.pass(30);
    const drifted = world.claims()[0]?.status.conditions.find(({ type }) => type === 'Drifted');
    expect(drifted).toMatchObject({ status: 'True', reason: 'NodePoolDrifted' });
    world.policies(pool({ budgets: [{ nodes: '0' }] }));
    await world.pass(70);
    expect(world.claimsWith('Drifted')).toEqual([]);
  });

  test('are none whose claim has lost its fingerprint, which is written down again', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }));
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [claim] = world.claims();
    if (claim === undefined) throw new Error('no node came');
    const annotations = new Map(claim.annotations);
    for (const hash of ['berth.sh/nodepool-hash', 'berth.sh/nodeclass-hash']) annotations.delete(hash);
    world.objects.put('NodeClaim', { ...claim, annotations });
    await world.pass(70);
    expect(world.claimsWith('Drifted')).toEqual([]);
    expect(world.claim(claim.name)?.annotations).toEqual(claim.annotations);
  });

  test('stay while their pool is frozen', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    world.objects.remove('PolicyConfigMap', 'policies');
    world.resolution = { imageIDs: ['ami-newer'] };
    await world.rest(180);
    expect(world.claims().map(({ name }) => name)).toEqual([old?.name]);
  });
});

describe('a drifted node whose pods were to move to one that is interrupted meanwhile', () => {
  test('keeps them, and goes later, once all of them have another place', async () => {
    const free = { reasons: ['Underutilized', 'Empty'], nodes: '0' };
    const world = new DisruptionWorld(pool({ budgets: [free, { nodes: '100%' }] }));
    world.start();
    world.deploy('large', 1, { requests: { cpu: '2' } });
    world.deploy('web', 1, { requests: { cpu: '1500m' } });
    await settled(world, 1);
    world.deploy('other', 1, { requests: { cpu: '2' } });
    await settled(world, 2);
    const [drifted, other] = world.claims();
    if (drifted === undefined || other === undefined) throw new Error('no nodes came');
    const before = world.pods().map(({ name }) => name);
    const annotations = new Map(drifted.annotations).set('berth.sh/nodepool-hash', 'of another template');
    world.objects.put('NodeClaim', { ...drifted, annotations });
    expect(await world.until(() => world.claims().length === 3)).toBeLessThan(120);
    const room = world.objects.list('Reservation').map(({ target }) => target.name);
    expect(room).toContain(other.status.nodeName);
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instanceID(other.status.providerID ?? '')] });

    expect(await world.until(() => world.claim(drifted.name)?.status.disruption === undefined)).toBeLessThan(
      30,
    );
    expect(world.claim(drifted.name)?.deletionTimestamp).toBeUndefined();
    expect(world.pods().map(({ name }) => name)).toEqual(expect.arrayContaining(before.slice(0, 2)));
    expect(world.told.decisions.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(
        'a node that was to take some of its pods goes itself, is cordoned or unreachable',
      ),
    );
    expect(await world.until(() => world.claim(drifted.name) === undefined)).toBeLessThan(600);
    await world.pass(60);
    expect(world.unbound()).toEqual([]);
  });
});

describe('expired nodes', () => {
  const short = { expireAfter: '10m' };

  test.each([
    ['NodePool', 'general'],
    ['EC2NodeClass', 'default'],
  ])('stay while the document of their %s was removed, and a Decision names it', async (kind, name) => {
    const world = new DisruptionWorld(pool({}, short));
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    const written = world.objects.get('PolicyConfigMap', 'policies');
    const left = written?.documents.filter((document) => document.kind !== kind) ?? [];
    world.objects.put('PolicyConfigMap', policyConfigMap(left));
    await world.rest(800);
    expect(world.claims().map(({ name }) => name)).toEqual([old?.name]);
    const refused = world.told.decisions.filter(({ action }) => action === 'Refuse');
    expect(refused.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(
        `the document of ${kind} ${name} was removed, which freezes the nodes of NodePool general`,
      ),
    );
  });

  test('are replaced at once, whatever the budget says', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }, short));
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    await world.rest(500);
    expect(world.claim(old?.name ?? '')?.status.disruption).toBeUndefined();
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
    await world.pass(20);
    expect(world.unbound()).toEqual([]);
    expect(world.claims()).toHaveLength(1);
  });

  test('that a pass has no work left for go in the next, each for a replacement', async () => {
    const requirements = [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['5'] }];
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }, { ...short, requirements }));
    world.simulations = 2;
    world.start();
    world.deploy('web', 3, BIG);
    await settled(world, 3);
    const old = world.claims().map(({ name }) => name);
    await world.rest(500);
    expect(world.claims().every(({ status }) => status.disruption === undefined)).toBe(true);
    expect(await world.until(() => old.every((name) => world.claim(name) === undefined))).toBeLessThan(240);
    const reasons = world.told.decisions.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'Replacement')).toHaveLength(3);
    expect(world.unbound()).toEqual([]);
  });

  test('wait for the budget where expiration is Budgeted', async () => {
    const world = new DisruptionWorld();
    world.policies(pool({ budgets: [{ nodes: '0' }] }, short), { expiration: 'Budgeted' });
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    await world.rest(700);
    expect(world.claimsWith('Expired')).toEqual([old?.name]);
    expect(world.claim(old?.name ?? '')?.status.disruption).toBeUndefined();
    world.policies(pool({}, short), { expiration: 'Budgeted' });
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
  });
});

describe('an interrupted node', () => {
  test('is replaced before it is drained, for one question to the planner', async () => {
    const world = new DisruptionWorld(pool({ budgets: [{ nodes: '0' }] }), { pollMillis: 600_000 });
    world.start();
    world.deploy('web', 1, BIG);
    world.deploy('beside', 1, { requests: { cpu: '100m' } });
    await settled(world, 1);
    const [old] = world.claims();
    const name = old?.name ?? '';
    await world.pass(60);
    world.questions.length = 0;
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instanceID(old?.status.providerID ?? '')] });
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(60);
    await world.pass(20);
    expect(world.unbound()).toEqual([]);
    expect(world.claims()).toHaveLength(1);
    const initialized = world.told.decisions.findLastIndex(({ reason }) => reason === 'Initialized');
    expect(world.told.decisions.findIndex(({ reason }) => reason === 'Evicted')).toBeGreaterThan(initialized);
    expect(world.questions).toEqual(['disrupt']);
  });
});

describe('unhealthy nodes', () => {
  function sicken(world: DisruptionWorld, count: number): void {
    for (const node of world.nodes().slice(0, count)) {
      if (node.conditions.some(({ type }) => type === 'StorageReady')) continue;
      world.objects.put('Node', {
        ...node,
        conditions: [{ type: 'StorageReady', status: 'False', reason: '', since: world.clock.now() }],
      });
    }
  }

  test('are replaced when they have been so for thirty minutes', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    sicken(world, 1);
    await world.rest(1700);
    expect(world.claim(old?.name ?? '')?.status.disruption).toBeUndefined();
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
    await world.pass(20);
    expect(world.unbound()).toEqual([]);
  });

  test('are replaced when they have been so for as long as the policy of their pool says, and drained within its time', async () => {
    const storage = { conditionType: 'StorageReady', conditionStatus: 'False' };
    const policies = [{ ...storage, tolerationDuration: '5m', terminationGracePeriod: '90s' }];
    const world = new DisruptionWorld();
    world.policies(pool(), { repair: { policies } });
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    for (const pod of world.pods('web')) world.kube.protectedPods.add(podKey(pod));
    const [old] = world.claims();
    const claim = (): NodeClaim | undefined => world.claim(old?.name ?? '');
    sicken(world, 1);
    await world.rest(290);
    expect(claim()?.status.disruption).toBeUndefined();
    expect(await world.until(() => claim()?.deletionTimestamp !== undefined)).toBeLessThan(240);
    expect(claim()?.status.disruption).toMatchObject({
      reason: 'Unhealthy',
      terminationGracePeriodSeconds: 90,
    });
    const seconds = await world.until(() => claim() === undefined);
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThan(120);
  });

  test('stay while a policy of their pool tolerates the condition for ever, and do not count then', async () => {
    const storage = { conditionType: 'StorageReady', conditionStatus: 'False' };
    const world = new DisruptionWorld();
    world.policies(pool(), { repair: { policies: [{ ...storage, tolerationDuration: 'Never' }] } });
    world.start();
    world.deploy('web', 2, BIG);
    await settled(world, 2);
    sicken(world, 2);
    await world.rest(2400);
    expect(world.claimsWith('Unhealthy')).toEqual([]);
    expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
  });

  test('are replaced one after the other within a budget for the reason Unhealthy', async () => {
    const budgets = [{ nodes: '100%' }, { nodes: '1', reasons: ['Unhealthy'] }];
    const world = new DisruptionWorld(pool({ budgets }));
    world.start();
    world.deploy('web', 10, BIG);
    await settled(world, 10);
    const before = world.claims().map(({ name }) => name);
    sicken(world, 2);
    await world.rest(1790);
    let most = 0;
    const isDone = (): boolean => {
      const going = world.claims().filter(({ status }) => status.disruption !== undefined);
      most = Math.max(most, going.length);
      return world.claims().filter(({ name }) => before.includes(name)).length === 8;
    };
    expect(await world.until(isDone)).toBeLessThan(600);
    expect(most).toBe(1);
  });

  test('stay while they are annotated karpenter.sh/do-not-repair, which an event says, and no longer', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    const [old] = world.claims();
    const annotate = (value: string): void => {
      for (const node of world.nodes())
        world.objects.put('Node', {
          ...node,
          annotations: new Map([...node.annotations, ['karpenter.sh/do-not-repair', value]]),
        });
    };
    annotate('true');
    sicken(world, 1);
    await world.rest(1700);
    expect(world.reasons()).not.toContain('DoNotRepair');
    await world.rest(600);
    expect(world.claimsWith('Unhealthy')).toHaveLength(1);
    expect(world.claim(old?.name ?? '')?.status.disruption).toBeUndefined();
    expect(world.reasons()).toContain('DoNotRepair');
    annotate('false');
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
  });

  test('stay when more than a fifth of the pool is unhealthy: it is not their fault then', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 5, BIG);
    await settled(world, 5);
    sicken(world, 2);
    await world.rest(1900);
    expect(world.claimsWith('Unhealthy')).toHaveLength(2);
    expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
  });

  test('are replaced when no larger share of the pool is unhealthy than berth.repair allows', async () => {
    const world = new DisruptionWorld();
    world.policies(pool(), { repair: { mostUnhealthy: '40%' } });
    world.start();
    world.deploy('web', 5, BIG);
    await settled(world, 5);
    const old = world.nodes().slice(0, 2);
    sicken(world, 2);
    const areGone = (): boolean => old.every(({ name }) => world.nodes().every((node) => node.name !== name));
    await world.rest(1700);
    expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
    expect(await world.until(areGone)).toBeLessThan(600);
  });

  test('stay, even a single one, where berth.repair allows none to be unhealthy', async () => {
    const world = new DisruptionWorld();
    world.policies(pool(), { repair: { mostUnhealthy: '0%' } });
    world.start();
    world.deploy('web', 1, BIG);
    await settled(world, 1);
    sicken(world, 1);
    await world.rest(1900);
    expect(world.claimsWith('Unhealthy')).toHaveLength(1);
    expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
  });

  test('stay when the whole pool falls ill one after the other: each counts from its first second', async () => {
    const world = new DisruptionWorld(pool());
    world.start();
    world.deploy('web', 5, BIG);
    await settled(world, 5);
    for (let count = 1; count <= 5; count++) {
      sicken(world, count);
      await world.rest(180);
    }
    await world.rest(1900);
    expect(world.claimsWith('Unhealthy')).toHaveLength(5);
    expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
  });
});
