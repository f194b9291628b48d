import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { sqsInterruptionQueue } from '../../../src/clouds/aws/adapter/index.js';
import type { InterruptionQueue, ReceivedInterruption } from '../../../src/ports/interruption-queue.js';
import { berthOn, type BerthOnAws } from '../berth-on.js';
import { startMoto, type MotoAccount } from '../moto-account.js';
import { answeredCalls, report } from '../report.js';

let moto: MotoAccount;
let berth: BerthOnAws;
/** Each test has a queue of its own. */
let queue: InterruptionQueue;
let QueueUrl: string | undefined;
let queues = 0;

beforeAll(async () => {
  moto = await startMoto();
  berth = berthOn(moto.url);
});

beforeEach(async () => {
  const name = `interruptions-${String(++queues)}`;
  ({ QueueUrl } = await moto.sqs.send(new CreateQueueCommand({ QueueName: name })));
  queue = sqsInterruptionQueue({ clients: berth.clients, queue: name });
});

afterAll(async () => {
  report('moto: queue', await answeredCalls(berth.metrics));
  await moto.close();
});

function send(MessageBody: string): Promise<unknown> {
  return moto.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}

/** As EventBridge puts it there. */
function spotWarning(id: string): string {
  return JSON.stringify({
    version: '0',
    id: '00000000-0000-0000-0000-000000000000',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    account: '000000000000',
    time: '2026-01-01T00:00:00Z',
    region: 'eu-west-3',
    resources: [`arn:aws:ec2:eu-west-3:000000000000:instance/${id}`],
    detail: { 'instance-id': id, 'instance-action': 'terminate' },
  });
}

const receiptsOf = (received: readonly ReceivedInterruption[]): string[] =>
  received.map(({ receipt }) => receipt);

describe('a queue of moto', () => {
  it('wakes who waits for it as soon as there is a message', async () => {
    const waiting = queue.receive();
    const before = Date.now();
    await send(spotWarning('i-0123456789abcdef0'));
    const received = await waiting;
    expect(received).toMatchObject([
      { interruption: { kind: 'SpotInterruption', instanceIDs: ['i-0123456789abcdef0'] } },
    ]);
    expect(Math.abs((received[0]?.sentAt ?? 0) - before)).toBeLessThan(5_000);
    expect(Date.now() - before).toBeLessThan(10_000);
  });

  it('answers after twenty seconds where there is none', async () => {
    const before = performance.now();
    expect(await queue.receive()).toEqual([]);
    expect(performance.now() - before).toBeGreaterThan(19_000);
  });

  it('stops waiting when the signal says so', async () => {
    const before = performance.now();
    await expect(queue.receive(AbortSignal.timeout(300))).rejects.toMatchObject({ code: 'Cancelled' });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('does not show again at once what it has shown', async () => {
    await send(spotWarning('i-0123456789abcdef1'));
    const [first] = await queue.receive();
    await send(spotWarning('i-0123456789abcdef2'));
    const later = await queue.receive();
    expect(first?.interruption.instanceIDs).toEqual(['i-0123456789abcdef1']);
    expect(later.map(({ interruption }) => interruption.instanceIDs)).toEqual([['i-0123456789abcdef2']]);
  });

  it('forgets messages that are deleted, more than one call can delete', async () => {
    for (let index = 0; index < 13; index++) await send(spotWarning(`i-${String(index).padStart(17, '0')}`));
    const received: ReceivedInterruption[] = [];
    while (received.length < 13) received.push(...(await queue.receive()));
    const receipts = receiptsOf(received);
    await queue.delete(receipts);
    await send('the last');
    expect(await queue.receive()).toMatchObject([{ interruption: { kind: 'Malformed' } }]);
  });

  it('takes it that messages are deleted twice', async () => {
    await send(spotWarning('i-0123456789abcdef0'));
    const receipts = receiptsOf(await queue.receive());
    await queue.delete(receipts);
    await expect(queue.delete(receipts)).resolves.toBeUndefined();
  });

  it('carries what is no event, and what is foreign', async () => {
    await send('{"detail-type": "Something Else", "source": "example", "detail": {}}');
    await send('not even JSON');
    const received: ReceivedInterruption[] = [];
    while (received.length < 2) received.push(...(await queue.receive()));
    expect(received.map(({ interruption }) => interruption.kind).sort()).toEqual(['Malformed', 'Other']);
  });
});

describe('a queue that moto does not have', () => {
  it('is missed by name', async () => {
    const missing = sqsInterruptionQueue({ clients: berth.clients, queue: 'nowhere' });
    await expect(missing.receive()).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('nowhere') as string,
    });
  });
});
