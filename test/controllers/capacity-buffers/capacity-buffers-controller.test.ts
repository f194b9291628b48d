import type { CapacityBuffer } from '../../../src/domain/pods/capacity-buffer.js';
import { BUFFER_ANNOTATION } from '../../../src/domain/nodes/node-claim.js';
import { parseSchedule } from '../../../src/domain/values/schedule.js';
import type { PodOverrides } from '../../support/builders/pod.js';
import {
  ALONE,
  ANYTIME,
  bufferWorld,
  conditions,
  expectNodes,
  putBuffer,
  putTemplate,
} from './buffers-world.js';

describe('the nodes of a CapacityBuffer', () => {
  test('are launched without pods, and consolidation leaves them', async () => {
    const world = bufferWorld();
    world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 2 });
    const before = await expectNodes(world, 2);
    await world.pass(300);
    expect(await expectNodes(world, 2)).toEqual(before);
    expect(world.claims().map(({ annotations }) => annotations.get(BUFFER_ANNOTATION))).toEqual([
      'default/spare',
      'default/spare',
    ]);
    expect(conditions(world)).toEqual([
      'ReadyForProvisioning True Resolved: it is for 2 pods',
      'Provisioning True FitsExistingCapacity: nodes have room for 2 pods',
    ]);
  });

  test('take pods at once, and others are launched for the buffer', async () => {
    const world = bufferWorld();
    world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 2 });
    await expectNodes(world, 2);
    world.deploy('web', 1, ALONE);
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(5);
    await expectNodes(world, 3);
    world.scale('web', 0);
    await expectNodes(world, 2);
  });

  test('are none where running nodes have the room, and those nodes stay for it', async () => {
    const world = bufferWorld();
    world.start();
    world.deploy('web', 2, { requests: { cpu: '900m' } });
    await expectNodes(world, 1);
    world.deploy('other', 2, { requests: { cpu: '900m' } });
    await expectNodes(world, 2);
    putTemplate(world, 'PodTemplate/default/spare', { requests: { cpu: '800m' } });
    putBuffer(world, { replicas: 1 });
    await expectNodes(world, 3);
    world.scale('other', 1);
    await expectNodes(world, 2);
    world.scale('other', 0);
    await expectNodes(world, 2);
    putBuffer(world, { replicas: 0 });
    await expectNodes(world, 1);
  });

  test('go with the buffer', async () => {
    const world = bufferWorld();
    world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 3 });
    await expectNodes(world, 3);
    putBuffer(world, { replicas: 1 });
    await expectNodes(world, 1);
    world.objects.remove('CapacityBuffer', 'default/spare');
    await expectNodes(world, 0);
  });

  test('stay when another process takes over', async () => {
    const world = bufferWorld();
    const { kill } = world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 2 });
    const before = await expectNodes(world, 2);
    kill();
    await world.pass(10);
    world.start();
    expect(await expectNodes(world, 2)).toEqual(before);
  });

  test.each([true, false])(
    'are launched once, when the answer to a write is lost (applied: %s)',
    async (applied) => {
      const world = bufferWorld();
      world.start();
      putTemplate(world);
      world.kube.fail({ method: 'createNodeClaim', code: 'Unavailable', applied });
      putBuffer(world, { replicas: 2 });
      await expectNodes(world, 2);
    },
  );

  test('are replaced when they drift, and the room is never less', async () => {
    const world = bufferWorld({ disruption: { ...ANYTIME, budgets: [{ nodes: '1' }] } });
    world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 2 });
    const old = await expectNodes(world, 2);
    world.resolution = { imageIDs: ['ami-newer'] };
    let fewest = Infinity;
    const isReplaced = (): boolean => {
      const ready = world.nodes().filter((node) => node.ready && node.deletionTimestamp === undefined);
      fewest = Math.min(fewest, ready.length);
      return world.claims().every(({ name }) => !old.includes(name));
    };
    expect(await world.until(isReplaced)).toBeLessThan(600);
    expect(fewest).toBe(2);
    await expectNodes(world, 2);
  });
});

describe('a CapacityBuffer of a percentage', () => {
  test('follows the replicas of its workload', async () => {
    const world = bufferWorld();
    world.start();
    const key = 'ReplicaSet/default/web';
    putTemplate(world, key, ALONE, 2);
    world.deploy('web', 2, ALONE);
    const template = { kind: 'ReplicaSet', apiGroup: 'apps', name: 'web' };
    putBuffer(world, { template, replicas: undefined, percentage: 50 });
    await expectNodes(world, 3);
    putTemplate(world, key, ALONE, 4);
    world.scale('web', 4);
    await expectNodes(world, 6);
  });
});

describe('a CapacityBuffer with a schedule', () => {
  /** Windows of half an hour that open at every full hour. */
  const window = { schedule: parseSchedule('0 * * * *', 'Europe/Paris'), durationSeconds: 1800 };

  test('has nodes while a window is open, and none outside', async () => {
    const world = bufferWorld();
    const reach = async (minute: number): Promise<void> => {
      while (new Date(world.clock.now()).getUTCMinutes() !== minute) await world.pass(10);
    };
    world.start();
    putTemplate(world);
    putBuffer(world, { replicas: 2, window });
    await reach(35);
    await expectNodes(world, 0);
    expect(conditions(world)).toContain(
      'Provisioning False BufferEmpty: it is for no pods: no window of its schedule is open',
    );
    await reach(5);
    await expectNodes(world, 2);
    await reach(35);
    await expectNodes(world, 0);
  });

  test('that cannot be read is not kept, and its status has the reason', async () => {
    const world = bufferWorld();
    world.start();
    putTemplate(world);
    putBuffer(world, { window: 'annotation berth.sh/buffer-schedule is missing' });
    await expectNodes(world, 0);
    expect(conditions(world)[0]).toBe(
      'ReadyForProvisioning False ResolutionFailed: annotation berth.sh/buffer-schedule is missing',
    );
  });
});

describe('the status of a CapacityBuffer says', () => {
  async function statusWith(
    overrides: Partial<CapacityBuffer>,
    { template = ALONE, limits }: { readonly template?: PodOverrides; readonly limits?: object } = {},
  ): Promise<readonly string[]> {
    const world = bufferWorld(limits && { limits });
    world.start();
    putTemplate(world, 'PodTemplate/default/spare', template);
    putBuffer(world, overrides);
    await world.pass(90);
    return conditions(world);
  }

  test.each<[string, Partial<CapacityBuffer>, string]>([
    [
      'that there is no such PodTemplate',
      { template: { kind: 'PodTemplate', apiGroup: '', name: 'gone' } },
      'PodTemplateNotFound: there is no PodTemplate gone in namespace default',
    ],
    [
      'that there is no such workload',
      { template: { kind: 'Deployment', apiGroup: 'apps', name: 'gone' } },
      'ScalableRefNotFound: there is no Deployment gone in namespace default',
    ],
    [
      'that a kind has no template that is known',
      { template: { kind: 'Rollout', apiGroup: 'argoproj.io', name: 'web' } },
      'ResolutionFailed: scalableRef must be a Deployment, ReplicaSet or StatefulSet of apps, not Rollout of argoproj.io',
    ],
    [
      'that it names nothing',
      { template: undefined },
      'ResolutionFailed: neither podTemplateRef nor scalableRef is set',
    ],
  ])('%s', async (_what, overrides, reason) => {
    expect(await statusWith(overrides)).toEqual([
      `ReadyForProvisioning False ${reason}`,
      'Provisioning False NotReadyForProvisioning: it is not ReadyForProvisioning',
    ]);
  });

  test('that it is for nothing', async () => {
    expect(await statusWith({ replicas: 0 })).toContain('Provisioning False BufferEmpty: it is for no pods');
  });

  test('that no node can hold its pods, and why', async () => {
    const [, provisioning] = await statusWith({ replicas: 2 }, { template: { requests: { cpu: '1000' } } });
    expect(provisioning).toMatch(/^Provisioning False Infeasible: no node can hold 2 of 2 pods: .*cpu/);
  });

  test('that a limit is reached', async () => {
    const [, provisioning] = await statusWith({ replicas: 2 }, { limits: { cpu: '2' } });
    expect(provisioning).toMatch(
      /^Provisioning False RequiresNewCapacity: 1 of 2 pods have no room: .*limit/,
    );
  });

  test('nothing, where it is of another strategy', async () => {
    expect(await statusWith({ strategy: 'example.com/other' })).toEqual([]);
  });
});

test('while Berth is paused nothing is launched for a CapacityBuffer', async () => {
  const world = bufferWorld();
  world.objects.put('Namespace', {
    name: 'berth-system',
    uid: 'ns',
    labels: new Map(),
    annotations: new Map([['berth.sh/paused', 'true']]),
  });
  world.start();
  putTemplate(world);
  putBuffer(world);
  await world.pass(60);
  expect(world.claims()).toEqual([]);
});

test('a CapacityBuffer keeps what its template said while it cannot be read', async () => {
  const world = bufferWorld();
  world.start();
  putTemplate(world);
  putBuffer(world, { replicas: 2 });
  const before = await expectNodes(world, 2);
  world.kube.fail({ method: 'readBufferTemplate', code: 'Unavailable', times: 10 });
  await world.pass(120);
  expect(await expectNodes(world, 2)).toEqual(before);
  expect(conditions(world)[0]).toBe('ReadyForProvisioning True Resolved: it is for 2 pods');
});
