/** Tagging and ending instances among those that EC2 does not know, or not yet. */
import { outcomeOf, launchCall, simulatedWorld, TAGS } from '../simulated-world.js';

const UNKNOWN = 'i-00000000000000001';
const TAG = new Map([['berth.sh/nodeclaim', 'general-1']]);

test('one instance that is gone does not keep the others alive', async () => {
  const { aws, cloud } = simulatedWorld();
  const { instances } = await cloud.launch(await launchCall(cloud, { size: 5 }));
  const ids = instances.map(({ id }) => id);
  await cloud.terminate([...ids.slice(0, 2), UNKNOWN, 'hello', ...ids.slice(2)]);
  expect(aws.instances().map(({ state }) => state)).toEqual(Array(5).fill('shutting-down'));
});

test('ending nothing, or the same instance twice, asks no more than it has to', async () => {
  const { aws, cloud } = simulatedWorld();
  await cloud.terminate([]);
  expect(aws.log.count('ec2:TerminateInstances')).toBe(0);
  const { instances } = await cloud.launch(await launchCall(cloud));
  const [id = ''] = instances.map((instance) => instance.id);
  await cloud.terminate([id, id]);
  expect(aws.log.count('ec2:TerminateInstances')).toBe(1);
});

test('instances that end at the same time, each for a claim of its own, are ended by few calls', async () => {
  const { aws, cloud } = simulatedWorld();
  const { instances } = await cloud.launch(await launchCall(cloud, { size: 40 }));
  await Promise.all([...instances.map(({ id }) => cloud.terminate([id])), cloud.terminate([UNKNOWN])]);
  expect(aws.instances().map(({ state }) => state)).toEqual(Array(40).fill('shutting-down'));
  expect(aws.log.count('ec2:TerminateInstances')).toBeLessThan(20);
});

test('an instance that may not be ended keeps no other alive, and is named', async () => {
  const { aws, cloud } = simulatedWorld();
  const { instances } = await cloud.launch(await launchCall(cloud, { size: 4 }));
  const [denied = '', ...others] = instances.map(({ id }) => id);
  // Of all four, of the half with it, and of it alone.
  aws.faults.add({
    action: 'ec2:TerminateInstances',
    nth: [1, 2, 3],
    fault: { kind: 'error', code: 'OperationNotPermitted', status: 400, message: 'it is protected' },
  });
  await expect(cloud.terminate([denied, ...others])).rejects.toMatchObject({ code: 'Forbidden' });
  expect(aws.instances().filter(({ state }) => state === 'shutting-down')).toHaveLength(3);
});

test('an instance is rebooted as it is: it runs on, and comes up again', async () => {
  const { aws, cloud, clock } = simulatedWorld();
  const { instances } = await cloud.launch(await launchCall(cloud));
  const [id = ''] = instances.map((instance) => instance.id);
  await clock.advance(60_000);
  const seen: string[] = [];
  aws.onReboot(({ boots, state }, isUp) => seen.push(`${String(boots)} ${state} ${isUp ? 'up' : 'down'}`));
  await cloud.reboot(id, 'reboot-1');
  expect(seen).toEqual(['1 running down']);
  await clock.advance(60_000);
  expect(seen).toEqual(['1 running down', '1 running up']);
  await expect(cloud.reboot(UNKNOWN, 'reboot-1')).rejects.toMatchObject({ code: 'NotFound' });
});

test('an instance that EC2 does not know cannot be tagged; the others are', async () => {
  const { cloud } = simulatedWorld();
  const { instances } = await cloud.launch(await launchCall(cloud));
  const [id = ''] = instances.map((instance) => instance.id);
  await expect(cloud.tagInstances([UNKNOWN, id], TAG)).rejects.toMatchObject({
    code: 'NotFound',
    message: `ec2:CreateTags: EC2 does not know ${UNKNOWN}`,
  });
  expect((await cloud.instances(TAG)).map((instance) => instance.id)).toEqual([id]);
});

describe('while EC2 does not show what it launched', () => {
  const late = (millis: number) => simulatedWorld({ simulator: { lagMillis: { from: millis, to: millis } } });

  test('an instance of a moment ago is waited for, tagged and ended', async () => {
    const { aws, cloud, clock } = late(3000);
    const call = await outcomeOf(clock, launchCall(cloud));
    if (!('request' in call)) throw call;
    await clock.advance(10_000);
    const { instances } = await cloud.launch(call);
    const ids = instances.map(({ id }) => id);
    expect(await cloud.instances(TAGS)).toEqual([]);
    expect(await outcomeOf(clock, cloud.tagInstances(ids, TAG))).toBeUndefined();
    expect(await outcomeOf(clock, cloud.terminate(ids))).toBeUndefined();
    expect(aws.instances()[0]?.tags.get('berth.sh/nodeclaim')).toBe('general-1');
    expect(aws.instances()[0]?.state).toBe('shutting-down');
  });

  test('one that it does not show in time is not taken for gone', async () => {
    const { cloud, clock } = late(20_000);
    const call = await outcomeOf(clock, launchCall(cloud));
    if (!('request' in call)) throw call;
    await clock.advance(30_000);
    const { instances } = await cloud.launch(call);
    const ids = instances.map(({ id }) => id);
    expect(await outcomeOf(clock, cloud.terminate(ids))).toMatchObject({
      code: 'Unavailable',
      retryable: true,
    });
    await clock.advance(20_000);
    expect(await outcomeOf(clock, cloud.terminate(ids))).toBeUndefined();
  });
});
