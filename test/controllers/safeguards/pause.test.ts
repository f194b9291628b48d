/** While Berth's namespace bears the pause, no instance is launched and none is ended. */
import { ClaimWorld } from '../node-claim/claim-world.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

describe('while Berth is paused', () => {
  test('nothing is launched, no claim times out, and within five seconds of the end all continues', async () => {
    const world = new ClaimWorld();
    world.pause('incident');
    world.start();
    await world.launchGroup(['general-1', 'general-2']);
    await world.seconds(900);
    expect(world.cloud.fleet()).toEqual([]);
    expect(world.claims()).toHaveLength(2);
    await world.launchGroup(['general-3'], {}, 'group-2');
    await world.seconds(60);
    world.pause(undefined);
    await world.seconds(5);
    expect(world.liveInstances().length).toBeGreaterThan(0);
  });

  test('a deleted claim keeps its pods and its instance until it is resumed', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(30);
    world.pause('incident');
    const claim = world.claim('general-1');
    if (claim !== undefined) await world.kube.deleteNodeClaim(claim);
    await world.seconds(300);
    expect(world.liveInstances()).toHaveLength(1);
    expect(world.kube.writes.filter(({ method }) => method === 'evictPod')).toEqual([]);
    world.pause(undefined);
    await world.seconds(60);
    expect(world.liveInstances()).toEqual([]);
  });

  test('instances without a claim are not collected', async () => {
    const world = new ClaimWorld();
    const first = world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(30);
    first.kill();
    world.kube.objects.remove('NodeClaim', 'general-1');
    world.pause('restoring etcd');
    const second = world.start();
    await world.seconds(600);
    expect(world.liveInstances()).toHaveLength(1);
    second.kill();
    world.start();
    await world.seconds(600);
    expect(world.liveInstances()).toHaveLength(1);
    world.pause(undefined);
    await world.seconds(300);
    expect(world.liveInstances()).toEqual([]);
  });

  test('it is reported and measured, and so is its end', async () => {
    const world = new ClaimWorld();
    const { metrics } = world.start();
    world.pause('incident 42');
    await world.seconds(1);
    expect(await metrics.registry.getSingleMetricAsString('berth_paused')).toContain('berth_paused 1');
    world.pause(undefined);
    await world.seconds(1);
    expect(await metrics.registry.getSingleMetricAsString('berth_paused')).toContain('berth_paused 0');
    const told = world.told.decisions.filter(({ subject }) => subject.kind === 'Namespace');
    expect(told.map(({ reason }) => reason)).toEqual(['Paused', 'Resumed']);
    expect(told[0]?.message).toContain('incident 42');
  });

  test('pods get an event, and nothing is planned for them', async () => {
    const world = new DisruptionWorld();
    world.instances.pause('incident 42');
    world.start();
    world.deploy('web', 2, { requests: { cpu: '1' } });
    await world.pass(60);
    expect(world.claims()).toEqual([]);
    const told = world.told.decisions.filter(({ reason }) => reason === 'Paused');
    expect(
      told.some(({ subject, message }) => subject.kind === 'Pod' && message.includes('incident 42')),
    ).toBe(true);
    world.instances.pause(undefined);
    await world.pass(5);
    expect(world.claims().length).toBeGreaterThan(0);
  });

  test('a disruption that was begun ends no instance, and is carried out after it', async () => {
    const world = new DisruptionWorld({
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
    });
    world.start();
    world.deploy('web', 1, { requests: { cpu: '3500m' } });
    await world.until(() => world.claimsWith('Initialized').length === 1 && world.unbound().length === 0);
    world.scale('web', 0);
    await world.until(() => world.tainted().length > 0);
    world.instances.pause('incident');
    await world.rest(600);
    expect(world.instances.liveInstances()).toHaveLength(1);
    world.instances.pause(undefined);
    expect(await world.until(() => world.instances.liveInstances().length === 0)).toBeLessThan(300);
  });
});
