/** The queue with what EC2 puts into it: warnings, states, and what others put there. */
import { sqsInterruptionQueue } from '../../../../../src/clouds/aws/adapter/index.js';
import { launchCall, outcomeOf, simulatedWorld } from '../simulated-world.js';

async function spotInstance(duplicates = 0) {
  const world = simulatedWorld({ simulator: { duplicates } });
  const { instances } = await world.cloud.launch(await launchCall(world.cloud, { capacityType: 'spot' }));
  await world.clock.advance(60_000);
  const [id = ''] = instances.map((instance) => instance.id);
  const queue = sqsInterruptionQueue({ clients: world.clients, queue: 'berth-demo' });
  const receive = async () => {
    const outcome = await outcomeOf(world.clock, queue.receive());
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { ...world, id, queue, receive };
}

test('a spot instance is warned of, and once it is deleted the message does not come again', async () => {
  const { aws, clock, id, queue, receive } = await spotInstance();
  await queue.delete((await receive()).map(({ receipt }) => receipt));
  aws.interrupt(id);
  await clock.advance(5000);
  const received = await receive();
  expect(received.map(({ interruption }) => interruption)).toEqual([
    { kind: 'SpotInterruption', instanceIDs: [id] },
  ]);
  await queue.delete(received.map(({ receipt }) => receipt));
  await clock.advance(60_000);
  expect(await receive()).toEqual([]);
});

test('what is not deleted comes again, under the same id', async () => {
  const { clock, receive } = await spotInstance();
  const first = await receive();
  expect(first.length).toBeGreaterThan(0);
  await clock.advance(31_000);
  const again = await receive();
  expect(again.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
});

test('a message that SQS has twice comes twice under one id', async () => {
  const { aws, queue, receive } = await spotInstance(1);
  await queue.delete((await receive()).map(({ receipt }) => receipt));
  aws.sendMessage('hello');
  const received = [...(await receive()), ...(await receive())];
  expect(received.length).toBeGreaterThan(1);
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
});

test('malformed and foreign messages are told as what they are', async () => {
  const { aws, queue, receive } = await spotInstance();
  await queue.delete((await receive()).map(({ receipt }) => receipt));
  const foreign = { source: 'aws.ec2', 'detail-type': 'EC2 Instance State-change Notification' };
  aws.sendMessage('hello');
  aws.sendMessage(JSON.stringify({ ...foreign, detail: { 'instance-id': 'i-0aaaaaaaa', state: 'stopped' } }));
  const kinds = (await receive()).map(({ interruption }) => interruption);
  expect(kinds).toEqual([
    { kind: 'Malformed', problem: 'is not JSON', instanceIDs: [] },
    { kind: 'StateChange', instanceIDs: ['i-0aaaaaaaa'], state: 'stopped' },
  ]);
});

test('no message is an answer after twenty seconds', async () => {
  const { clock, queue, receive } = await spotInstance();
  await queue.delete((await receive()).map(({ receipt }) => receipt));
  const startedAt = clock.monotonic();
  expect(await receive()).toEqual([]);
  expect(clock.monotonic() - startedAt).toBe(20_000);
});
