/** What EventBridge puts into the queue, damaged: every message comes out as something, and none stops the reading. */
import { createHash } from 'node:crypto';
import { sqsInterruptionQueue } from '../../src/clouds/aws/adapter/index.js';
import { clientsOf } from '../support/builders/aws-clients.js';
import { FakeAws, jsonAnswer } from '../support/fake-aws.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { BODIES, fuzz, MOST_GROWTH_MIB, summary } from './fuzz.js';

const INSTANCE = 'i-0123456789abcdef0';
const BASES = [
  {
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    resources: [`arn:aws:ec2:eu-west-3b:instance/${INSTANCE}`],
    detail: { 'instance-id': INSTANCE, 'instance-action': 'terminate' },
  },
  {
    source: 'aws.ec2',
    'detail-type': 'EC2 Instance State-change Notification',
    detail: { 'instance-id': INSTANCE, state: 'stopping' },
  },
  {
    source: 'aws.health',
    'detail-type': 'AWS Health Event',
    resources: [INSTANCE],
    detail: {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      statusCode: 'open',
      affectedEntities: [{ entityValue: INSTANCE }],
    },
  },
];

const KINDS = [
  'SpotInterruption',
  'RebalanceRecommendation',
  'StateChange',
  'ScheduledChange',
  'Other',
  'Malformed',
];

test('every message of the queue is read as an interruption of some kind, through the SDK', async () => {
  let body = '';
  const aws = new FakeAws()
    .answer('GetQueueUrl', jsonAnswer({ QueueUrl: 'https://sqs.eu-west-3.amazonaws.com/000000000000/berth' }))
    .answer('ReceiveMessage', () => {
      const MD5OfBody = createHash('md5').update(body).digest('hex');
      const message = { MessageId: '1', ReceiptHandle: 'r', Body: body, MD5OfBody };
      return jsonAnswer({ Messages: [{ ...message, Attributes: { SentTimestamp: '1795252846416' } }] });
    });
  const clock = new VirtualClock();
  const queue = sqsInterruptionQueue({ clients: clientsOf(aws, { clock }), queue: 'berth' });
  const report = await fuzz({
    bases: BASES,
    // So that the rate limit of the client has no part in it.
    between: () => {
      clock.freeze(1000);
    },
    ask: async (damaged) => {
      body = damaged.toString('utf8');
      const received = await queue.receive();
      aws.asked.length = 0;
      return received.map(({ interruption }) => interruption.kind).join(' and ') || 'lost';
    },
  });
  process.stdout.write(`${summary('events', report)}\n`);
  expect([...report.outcomes.keys()].filter((kind) => !KINDS.includes(kind))).toEqual([]);
  expect(report.outcomes.get('SpotInterruption')).toBeGreaterThan(BODIES / 20);
  expect(report.outcomes.get('Malformed')).toBeGreaterThan(BODIES / 20);
  expect(report.slow).toEqual([]);
  expect(report.growthMiB).toBeLessThan(MOST_GROWTH_MIB);
});
