/** The queue over SQS, as SQS answers. */
import { createHash } from 'node:crypto';
import { sqsInterruptionQueue } from '../../../../../src/clouds/aws/adapter/index.js';
import type { InterruptionQueue } from '../../../../../src/ports/interruption-queue.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { FakeAws, jsonAnswer } from '../../../../support/fake-aws.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const URL_OF_QUEUE = 'https://sqs.eu-west-3.amazonaws.com/000000000000/berth-demo';

function message(id: string, body: string) {
  const MD5OfBody = createHash('md5').update(body).digest('hex');
  return {
    MessageId: id,
    ReceiptHandle: `receipt-${id}`,
    Body: body,
    MD5OfBody,
    Attributes: { SentTimestamp: '1795252846416' },
  };
}

function queueOf(
  aws: FakeAws,
  queue = 'berth-demo',
): { readonly queue: InterruptionQueue; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  aws.answer('GetQueueUrl', jsonAnswer({ QueueUrl: URL_OF_QUEUE }));
  return { clock, queue: sqsInterruptionQueue({ clients: clientsOf(aws, { clock }), queue }) };
}

const NO_QUEUE = {
  status: 400,
  headers: {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
  },
  body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}',
};

describe('receive', () => {
  test('waits as long as SQS allows, and reads what comes', async () => {
    const warning = JSON.stringify({
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      detail: { 'instance-id': 'i-0123456789abcdef0' },
    });
    const aws = new FakeAws().answer(
      'ReceiveMessage',
      jsonAnswer({ Messages: [message('1', warning), message('2', 'hello'), message('1', warning)] }),
    );
    const { queue } = queueOf(aws);
    const received = await queue.receive();
    expect(received.map(({ id, receipt, sentAt }) => ({ id, receipt, sentAt }))).toEqual([
      { id: '1', receipt: 'receipt-1', sentAt: 1795252846416 },
      { id: '2', receipt: 'receipt-2', sentAt: 1795252846416 },
      { id: '1', receipt: 'receipt-1', sentAt: 1795252846416 },
    ]);
    expect(received.map(({ interruption }) => interruption.kind)).toEqual([
      'SpotInterruption',
      'Malformed',
      'SpotInterruption',
    ]);
    expect(aws.askedFor('ReceiveMessage')[0]?.fields).toMatchObject({
      QueueUrl: URL_OF_QUEUE,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 20,
    });
  });

  test('answers none when none came, and asks for the URL once', async () => {
    const aws = new FakeAws().answer('ReceiveMessage', jsonAnswer({}));
    const { queue } = queueOf(aws);
    expect(await queue.receive()).toEqual([]);
    expect(await queue.receive()).toEqual([]);
    expect(aws.askedFor('GetQueueUrl')).toHaveLength(1);
  });

  test('takes a URL as it is', async () => {
    const aws = new FakeAws().answer('ReceiveMessage', jsonAnswer({}));
    await queueOf(aws, URL_OF_QUEUE).queue.receive();
    expect(aws.askedFor('GetQueueUrl')).toEqual([]);
  });

  test('says that there is no such queue, and looks for it again next time', async () => {
    const aws = new FakeAws().answer('ReceiveMessage', NO_QUEUE, jsonAnswer({}));
    const { queue } = queueOf(aws);
    await expect(queue.receive()).rejects.toMatchObject({ code: 'NotFound' });
    expect(await queue.receive()).toEqual([]);
    expect(aws.askedFor('GetQueueUrl')).toHaveLength(2);
  });

  test('ends when the caller gives up', async () => {
    const aws = new FakeAws().answer('ReceiveMessage', () => new Promise(() => undefined));
    const { queue, clock } = queueOf(aws);
    const giveUp = new AbortController();
    const waiting = queue.receive(giveUp.signal).catch((error: unknown) => error);
    await clock.settle();
    giveUp.abort();
    expect(await waiting).toMatchObject({ code: 'Cancelled' });
    expect(aws.askedFor('ReceiveMessage')).toHaveLength(1);
  });
});

describe('delete', () => {
  const receipts = Array.from({ length: 23 }, (_, index) => `receipt-${String(index)}`);

  test('deletes ten at a time', async () => {
    const aws = new FakeAws().answer('DeleteMessageBatch', jsonAnswer({ Successful: [], Failed: [] }));
    await queueOf(aws).queue.delete(receipts);
    const asked = aws
      .askedFor('DeleteMessageBatch')
      .map(({ fields }) => fields['Entries'] as readonly object[]);
    expect(asked.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(asked[2]?.[2]).toEqual({ Id: '2', ReceiptHandle: 'receipt-22' });
  });

  test('does not mind a receipt that is good no more', async () => {
    const Failed = [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }];
    const aws = new FakeAws().answer('DeleteMessageBatch', jsonAnswer({ Successful: [], Failed }));
    await queueOf(aws).queue.delete(['stale']);
    expect(aws.askedFor('DeleteMessageBatch')).toHaveLength(1);
  });

  test('says when SQS could not delete', async () => {
    const Failed = [{ Id: '0', SenderFault: false, Code: 'InternalError' }];
    const aws = new FakeAws().answer('DeleteMessageBatch', jsonAnswer({ Successful: [], Failed }));
    await expect(queueOf(aws).queue.delete(['receipt'])).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('asks nothing when there is nothing to delete', async () => {
    const aws = new FakeAws();
    await queueOf(aws, URL_OF_QUEUE).queue.delete([]);
    expect(aws.asked).toEqual([]);
  });
});
