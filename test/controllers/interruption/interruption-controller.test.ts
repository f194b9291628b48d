import { instanceID } from '../../../src/domain/nodes/node-claim.js';
import { withReboot } from '../../../src/domain/nodes/claim-reboot.js';
import type { DisruptionWorld } from '../disruption/disruption-world.js';
import { counted, oneNode } from './one-node.js';

/** No PodDisruptionBudget lets the pods be evicted. */
function protectPods(world: DisruptionWorld): void {
  world.protect('web', 0);
  for (const { namespace, name } of world.pods('web')) world.kube.protectedPods.add(`${namespace}/${name}`);
}

/** Whether the node of the claim has pods. */
function hasPods(world: DisruptionWorld, claim: string): boolean {
  const nodeName = world.claim(claim)?.status.nodeName;
  return nodeName !== undefined && world.pods('web').some((pod) => pod.nodeName === nodeName);
}

describe('a spot interruption warning', () => {
  test('has the node replaced, and its pods elsewhere, within the two minutes', async () => {
    const { world, name, instance } = await oneNode();
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(5);
    expect(world.claimsWith('Interrupted')).toEqual([name]);
    expect(world.claims().length).toBeGreaterThan(1);
    expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
    expect(await world.until(() => world.claim(name)?.deletionTimestamp !== undefined)).toBeLessThan(60);
    expect(world.nodes().filter(({ ready }) => ready).length).toBeGreaterThan(1);
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(60);
    await world.pass(5);
    expect(world.unbound()).toEqual([]);
    expect(world.queue.size).toBe(0);
    expect(await counted(world, 'spot_interrupted')).toBe(1);
  });

  test('keeps its offering from being asked for again for a while', async () => {
    const { world, name, instance } = await oneNode();
    const { instanceType = '', zone = '', capacityType = 'spot' } = world.claim(name)?.status ?? {};
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(3);
    const isOut = (): boolean =>
      world.unavailableOfferings.isUnavailable(instanceType, zone, capacityType, world.clock.now());
    expect(isOut()).toBe(true);
    await world.pass(200);
    expect(isOut()).toBe(false);
  });

  test('of an instance in a capacity reservation keeps that reservation from being asked, and no other', async () => {
    const { world, name, instance } = await oneNode();
    const claim = world.claim(name);
    if (claim === undefined) throw new Error('there is no claim');
    const { instanceType = '', zone = '' } = claim.status;
    const labels = new Map([...claim.labels, ['karpenter.k8s.aws/capacity-reservation-id', 'cr-1']]);
    world.objects.put('NodeClaim', {
      ...claim,
      labels,
      status: { ...claim.status, capacityType: 'reserved' },
    });
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(3);
    const { unavailableOfferings, clock } = world;
    expect(unavailableOfferings.isReservationUnavailable('cr-1', clock.now())).toBe(true);
    expect(unavailableOfferings.isReservationUnavailable('cr-2', clock.now())).toBe(false);
    expect(unavailableOfferings.isUnavailable(instanceType, zone, 'reserved', clock.now())).toBe(false);
  });

  test('drains a node whose pods a PodDisruptionBudget keeps before the instance is taken', async () => {
    const { world, name, instance } = await oneNode();
    protectPods(world);
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(80);
    expect(hasPods(world, name)).toBe(true);
    await world.pass(35);
    expect(hasPods(world, name)).toBe(false);
    expect(world.writes('deletePod').length).toBeGreaterThan(0);
  });

  test('that is received a minute late leaves a minute less', async () => {
    const { world, name, instance } = await oneNode();
    protectPods(world);
    const sentAt = world.clock.now() - 60_000;
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] }, 1, sentAt);
    await world.pass(20);
    expect(hasPods(world, name)).toBe(true);
    await world.pass(35);
    expect(hasPods(world, name)).toBe(false);
  });

  test('counts for a node that is drained already because its host is maintained', async () => {
    const { world, name, instance } = await oneNode();
    protectPods(world);
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instance] });
    await world.pass(300);
    expect(world.claim(name)?.deletionTimestamp).toBeDefined();
    expect(hasPods(world, name)).toBe(true);
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(80);
    expect(hasPods(world, name)).toBe(true);
    expect(world.reasons()).toContain('SpotInterruption');
    // A weaker message changes nothing any more.
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instance] });
    await world.pass(35);
    expect(hasPods(world, name)).toBe(false);
    expect(world.reasons().filter((reason) => reason === 'ScheduledChange')).toHaveLength(1);
  });

  test('about an instance that is not a node yet has its pods planned again', async () => {
    const { world } = await oneNode();
    world.deploy('late', 1, { requests: { cpu: '3500m' } });
    const launched = (): string | undefined =>
      world.claims().find(({ status }) => status.providerID !== undefined && status.nodeName === undefined)
        ?.name;
    await world.until(() => launched() !== undefined);
    const name = launched() ?? '';
    world.queue.send({
      kind: 'SpotInterruption',
      instanceIDs: [instanceID(world.claim(name)?.status.providerID ?? '')],
    });
    await world.pass(90);
    expect(world.claim(name)).toBeUndefined();
    expect(world.unbound()).toEqual([]);
    expect(world.instances.liveInstances()).toHaveLength(3);
  });

  test('that comes twice is one interruption', async () => {
    const { world, instance } = await oneNode();
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] }, 2);
    await world.pass(180);
    expect(world.reasons().filter((reason) => reason === 'SpotInterruption')).toHaveLength(1);
    expect(world.queue.size).toBe(0);
    expect(world.unbound()).toEqual([]);
  });

  test('stays in the queue until the mark is durable', async () => {
    const { world, name, instance } = await oneNode();
    world.kube.fail({ method: 'putNodeClaimStatus', code: 'Unavailable', name, times: 1 });
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instance] });
    await world.pass(5);
    expect(world.claimsWith('Interrupted')).toEqual([]);
    expect(world.queue.size).toBe(1);
    await world.pass(35);
    expect(world.claimsWith('Interrupted')).toEqual([name]);
    expect(world.queue.size).toBe(0);
  });
});

describe('other messages', () => {
  test('a rebalance recommendation is reported and not acted on', async () => {
    const { world, name, instance } = await oneNode();
    world.queue.send({ kind: 'RebalanceRecommendation', instanceIDs: [instance] });
    await world.pass(60);
    expect(world.reasons()).toContain('SpotRebalanceRecommendation');
    expect(world.claim(name)?.status.disruption).toBeUndefined();
    expect(world.queue.size).toBe(0);
  });

  test('a scheduled change is an interruption', async () => {
    const { world, name, instance } = await oneNode();
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instance] });
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(180);
    await world.pass(10);
    expect(world.unbound()).toEqual([]);
  });

  test('an instance that another client terminated takes its claim with it', async () => {
    const { world, name, instance } = await oneNode();
    await world.instances.cloud.terminate([instance]);
    world.queue.send({ kind: 'StateChange', state: 'terminated', instanceIDs: [instance] });
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(120);
    expect(world.reasons()).toContain('InstanceTerminating');
    expect(await counted(world, 'instance_terminated')).toBe(1);
  });

  test('that an instance ends which Berth terminates is no news in the log', async () => {
    const { world, name, instance } = await oneNode();
    const { clock } = world;
    const { lines } = world.instances.log;
    const received = (): readonly string[] =>
      lines.filter(({ message }) => message === 'Received interruption').map(({ level }) => level);
    world.queue.send({ kind: 'StateChange', state: 'stopping', instanceIDs: [instance] });
    await world.pass(5);
    expect(world.claim(name)?.deletionTimestamp).toBeLessThanOrEqual(clock.now());
    world.queue.send({ kind: 'StateChange', state: 'shutting-down', instanceIDs: [instance] });
    await world.pass(5);
    expect(received()).toEqual(['info', 'debug']);
  });

  test('a node whose status check fails goes at once, whatever keeps its pods', async () => {
    const { world, name, instance } = await oneNode();
    protectPods(world);
    world.queue.send({ kind: 'FailedStatusCheck', check: 'instance', instanceIDs: [instance] });
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(30);
    expect(world.reasons()).toContain('InstanceUnhealthy');
    expect(await counted(world, 'instance_status')).toBe(1);
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(90);
  });

  test.each([
    ['waits for its replacement', 3],
    ['is drained', 100],
  ])('so does a node that goes already when its status check fails, while it %s', async (_, seconds) => {
    const { world, name, instance } = await oneNode();
    protectPods(world);
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instance] });
    await world.pass(seconds);
    expect(world.claim(name)?.status.disruption?.reason).toBe('Interrupted');
    expect(world.claim(name)?.deletionTimestamp !== undefined).toBe(seconds > 60);
    world.queue.send({ kind: 'FailedStatusCheck', check: 'system', instanceIDs: [instance] });
    expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(30);
    expect(world.reasons().filter((reason) => reason === 'InstanceUnhealthy')).toHaveLength(1);
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(90);
  });

  test('a node that is being rebooted is left to the reboot, and told of again', async () => {
    const { world, name, instance } = await oneNode();
    const claim = world.claim(name);
    if (claim === undefined) throw new Error('there is no claim');
    const reboots = withReboot(claim, { requestedAt: world.clock.now() });
    world.kube.objects.put('NodeClaim', { ...claim, status: { ...claim.status, reboots } });
    world.queue.send({ kind: 'FailedStatusCheck', check: 'instance', instanceIDs: [instance] });
    await world.pass(10);
    expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
    expect(world.queue.size).toBe(1);
  });

  test('an instance that starts is no news', async () => {
    const { world, name, instance } = await oneNode();
    world.queue.send({ kind: 'StateChange', state: 'running', instanceIDs: [instance] });
    await world.pass(10);
    expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
    expect(await counted(world, 'no_op')).toBe(1);
    expect(world.queue.size).toBe(0);
  });

  test('malformed, foreign and unknown ones are counted and deleted, and nothing comes of them', async () => {
    const { world, name } = await oneNode();
    const before = world.claim(name)?.resourceVersion;
    world.queue.send({ kind: 'Malformed', problem: 'no JSON', instanceIDs: [] });
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: ['i-somebody-elses'] });
    world.queue.send({ kind: 'Other', detailType: 'EBS Volume Notification', instanceIDs: [] });
    await world.pass(10);
    expect(world.queue.size).toBe(0);
    expect(world.claim(name)?.resourceVersion).toBe(before);
    expect(await counted(world, 'malformed')).toBe(1);
    expect(world.instances.log.lines.filter(({ fields }) => fields['problem'] === 'no JSON')).toHaveLength(1);
  });

  test('about an instance that no claim has yet wait while a launch is open', async () => {
    const { world } = await oneNode();
    world.instances.cloud.faults.next('launch', { kind: 'answer-lost' }, 1);
    world.deploy('more', 1, { requests: { cpu: '3500m' } });
    await world.until(() => world.claims().length === 2);
    await world.until(() => world.instances.liveInstances().length === 2);
    const instances = world.instances.liveInstances().map(({ id }) => id);
    const known = new Set(world.claims().map(({ status }) => instanceID(status.providerID ?? '')));
    const fresh = instances.find((id) => !known.has(id)) ?? instances.at(-1) ?? '';
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [fresh] });
    await world.pass(90);
    expect(world.queue.size).toBe(0);
    expect(world.reasons()).toContain('SpotInterruption');
  });

  test('a queue that fails is asked again', async () => {
    const { world, name, instance } = await oneNode();
    world.queue.failures = 3;
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instance] });
    await world.pass(30);
    expect(world.claimsWith('Interrupted').concat(world.claim(name) ? [] : [name])).toContain(name);
  });
});
