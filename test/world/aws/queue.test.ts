import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import { createFleet, fixture, idsOf, readyToLaunch, ZONES, type Fixture } from './fixture.js';

const QUEUE = 'http://any.host.test/000000000000/berth-demo';

async function receive({ sqs }: Fixture, WaitTimeSeconds = 0): Promise<readonly Message[]> {
  const answer = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: QUEUE,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds,
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return answer.Messages ?? [];
}

/** The SDK signs a request before it sends it. */
async function untilWaiting({ clock }: Fixture): Promise<void> {
  for (let turn = 0; clock.pending === 0 && turn < 1_000; turn++) await clock.settle();
}

interface InstanceEvent {
  readonly 'detail-type': string;
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function events(on: Fixture): Promise<readonly InstanceEvent[]> {
  const messages = await receive(on);
  for (const { ReceiptHandle } of messages)
    await on.sqs.send(new DeleteMessageCommand({ QueueUrl: QUEUE, ReceiptHandle }));
  return messages.map(({ Body }) => JSON.parse(Body ?? '') as InstanceEvent);
}

async function launchOne(on: Awaited<ReturnType<typeof readyToLaunch>>, spot: boolean): Promise<string> {
  const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
  const [id = ''] = idsOf(await createFleet(on, overrides, { spot }));
  await on.clock.advance(20_000);
  await events(on);
  return id;
}

describe('the interruption queue', () => {
  it('is found by name, and no other is', async () => {
    const { sqs } = fixture();
    const answer = await sqs.send(new GetQueueUrlCommand({ QueueName: 'berth-demo' }));
    expect(answer.QueueUrl).toBe('https://sqs.eu-west-3.amazonaws.com/000000000000/berth-demo');
    await expect(sqs.send(new GetQueueUrlCommand({ QueueName: 'other' }))).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
    });
  });

  it('shows a message, hides it, and shows it again until it is deleted', async () => {
    const on = fixture();
    await on.sqs.send(new SendMessageCommand({ QueueUrl: QUEUE, MessageBody: 'é{"a":1}' }));
    const [first] = await receive(on);
    expect(first).toMatchObject({ Body: 'é{"a":1}', Attributes: { ApproximateReceiveCount: '1' } });
    expect(await receive(on)).toEqual([]);
    await on.clock.advance(30_000);
    const [second] = await receive(on);
    expect(second).toMatchObject({
      MessageId: first?.MessageId,
      Attributes: { ApproximateReceiveCount: '2' },
    });
    await on.sqs.send(new DeleteMessageCommand({ QueueUrl: QUEUE, ReceiptHandle: second?.ReceiptHandle }));
    await on.clock.advance(30_000);
    expect(await receive(on)).toEqual([]);
  });

  it('waits on the clock for as long as it is asked to, and no longer than for the first message', async () => {
    const on = fixture();
    const start = on.clock.now();
    const endOf = async (poll: Promise<readonly Message[]>) => ({
      found: (await poll).length,
      at: on.clock.now() - start,
    });
    const empty = endOf(receive(on, 20));
    await untilWaiting(on);
    await on.clock.advance(20_000);
    expect(await empty).toEqual({ found: 0, at: 20_000 });
    const filled = endOf(receive(on, 20));
    await untilWaiting(on);
    on.clock.timer(3_000, () => {
      on.aws.sendMessage('here');
    });
    await on.clock.advance(10_000);
    expect(await filled).toEqual({ found: 1, at: 23_000 });
    expect(on.clock.pending).toBe(0);
  });

  it('gives up waiting when its caller does', async () => {
    const on = fixture();
    const caller = new AbortController();
    const poll = on.sqs.send(new ReceiveMessageCommand({ QueueUrl: QUEUE, WaitTimeSeconds: 20 }), {
      abortSignal: caller.signal,
    });
    await untilWaiting(on);
    caller.abort();
    await expect(poll).rejects.toMatchObject({ name: 'AbortError' });
    expect(on.clock.pending).toBe(0);
  });

  it('deletes a batch entry by entry', async () => {
    const on = fixture();
    on.aws.sendMessage('one');
    const [message] = await receive(on);
    const answer = await on.sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: QUEUE,
        Entries: [
          { Id: '0', ReceiptHandle: message?.ReceiptHandle },
          { Id: '1', ReceiptHandle: 'bogus' },
        ],
      }),
    );
    expect(answer.Successful).toEqual([{ Id: '0' }]);
    expect(answer.Failed).toMatchObject([{ Id: '1', Code: 'ReceiptHandleIsInvalid', SenderFault: true }]);
  });

  it('makes a message visible earlier or later on demand, and counts what is there', async () => {
    const on = fixture();
    on.aws.sendMessage('one');
    const [message] = await receive(on);
    const change = { QueueUrl: QUEUE, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 };
    const counts = async () => {
      const ask = new GetQueueAttributesCommand({ QueueUrl: QUEUE, AttributeNames: ['All'] });
      return (await on.sqs.send(ask)).Attributes;
    };
    expect(await counts()).toMatchObject({ ApproximateNumberOfMessagesNotVisible: '1' });
    await on.sqs.send(new ChangeMessageVisibilityCommand(change));
    expect(await counts()).toMatchObject({ ApproximateNumberOfMessages: '1' });
    expect(await receive(on)).toHaveLength(1);
  });

  it('forgets what is not fetched within five minutes', async () => {
    const on = fixture();
    on.aws.sendMessage('one');
    await on.clock.advance(300_001);
    expect(await receive(on)).toEqual([]);
  });

  it('has every message twice, under the same id, when chance says so', async () => {
    const on = fixture({ duplicates: 1 });
    on.aws.sendMessage('one');
    const ids = (await receive(on)).map(({ MessageId }) => MessageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('shows messages in any order when chance says so, all of them', async () => {
    const on = fixture({ reordering: 1 });
    const bodies = Array.from({ length: 10 }, (_, index) => String(index));
    for (const body of bodies) on.aws.sendMessage(body);
    const shown = (await receive(on)).map(({ Body }) => Body);
    expect(shown).not.toEqual(bodies);
    expect(shown.sort()).toEqual(bodies);
  });
});

describe('instance events', () => {
  it('tell of every state that an instance enters', async () => {
    const on = await readyToLaunch();
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
    const [id] = idsOf(await createFleet(on, overrides));
    await on.clock.advance(20_000);
    expect(await events(on)).toMatchObject(
      ['pending', 'running'].map((state) => ({
        version: '0',
        'detail-type': 'EC2 Instance State-change Notification',
        source: 'aws.ec2',
        account: '000000000000',
        region: 'eu-west-3',
        detail: { 'instance-id': id, state },
      })),
    );
  });

  it('warn of a spot interruption two minutes before the instance goes', async () => {
    const on = await readyToLaunch();
    const id = await launchOne(on, true);
    on.aws.interrupt(id);
    await on.clock.advance(119_999);
    expect(await events(on)).toMatchObject([
      {
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': id, 'instance-action': 'terminate' },
      },
    ]);
    expect(on.aws.instances()[0]?.state).toBe('running');
    await on.clock.advance(70_000);
    expect((await events(on)).map(({ detail }) => detail['state'])).toEqual(['shutting-down', 'terminated']);
  });

  it('are never a spot interruption of an on-demand instance', async () => {
    const on = await readyToLaunch();
    const id = await launchOne(on, false);
    expect(() => {
      on.aws.interrupt(id);
    }).toThrow(RangeError);
  });

  it('recommend to rebalance, announce maintenance, and tell of stops', async () => {
    const on = await readyToLaunch();
    const id = await launchOne(on, true);
    on.aws.rebalance(id);
    await on.clock.advance(2_000);
    on.aws.scheduleChange(id);
    await on.clock.advance(2_000);
    on.aws.stop(id);
    await on.clock.advance(2_000);
    expect(await events(on)).toMatchObject([
      { 'detail-type': 'EC2 Instance Rebalance Recommendation', detail: { 'instance-id': id } },
      {
        'detail-type': 'AWS Health Event',
        resources: [id],
        detail: {
          service: 'EC2',
          eventTypeCategory: 'scheduledChange',
          affectedEntities: [{ entityValue: id }],
        },
      },
      { detail: { state: 'stopping' } },
    ]);
  });
});
