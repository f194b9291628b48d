/** What messages of the queue mean; nothing that they hold makes reading them fail. */
import fc from 'fast-check';
import { readEvent } from '../../../../../src/clouds/aws/adapter/interruptions/sqs-interruption-queue.js';

const ID = 'i-0123456789abcdef0';

function event(source: string, detailType: string, detail: unknown, resources: unknown = []): string {
  return JSON.stringify({ version: '0', source, 'detail-type': detailType, detail, resources });
}

const ec2 = (detailType: string, detail: unknown, resources?: unknown): string =>
  event('aws.ec2', detailType, detail, resources);
const health = (detail: object, resources?: unknown): string =>
  event('aws.health', 'AWS Health Event', detail, resources);

const SCHEDULED = { service: 'EC2', eventTypeCategory: 'scheduledChange' };

test.each([
  [
    'a spot warning',
    ec2('EC2 Spot Instance Interruption Warning', { 'instance-id': ID, 'instance-action': 'terminate' }),
    { kind: 'SpotInterruption', instanceIDs: [ID] },
  ],
  [
    'a warning that a capacity reservation is wanted back',
    ec2('EC2 Capacity Reservation Instance Interruption Warning', { 'instance-id': ID }),
    { kind: 'SpotInterruption', instanceIDs: [ID] },
  ],
  [
    'a rebalance recommendation',
    ec2('EC2 Instance Rebalance Recommendation', { 'instance-id': ID }),
    { kind: 'RebalanceRecommendation', instanceIDs: [ID] },
  ],
  [
    'a state change',
    ec2('EC2 Instance State-change Notification', { 'instance-id': ID, state: 'stopping' }),
    { kind: 'StateChange', instanceIDs: [ID], state: 'stopping' },
  ],
  [
    'a warning that names its instance in its resources only',
    ec2('EC2 Spot Instance Interruption Warning', {}, [`arn:aws:ec2:us-east-1b:instance/${ID}`]),
    { kind: 'SpotInterruption', instanceIDs: [ID] },
  ],
  [
    'a scheduled change of several instances, one of them named twice',
    health({
      ...SCHEDULED,
      affectedEntities: [{ entityValue: ID }, { entityValue: 'i-12345678' }, { entityValue: ID }, null, 'x'],
    }),
    { kind: 'ScheduledChange', instanceIDs: [ID, 'i-12345678'] },
  ],
  [
    'a scheduled change that names instances in its resources',
    health(SCHEDULED, [ID]),
    { kind: 'ScheduledChange', instanceIDs: [ID] },
  ],
  [
    'a scheduled change that is over',
    health({ ...SCHEDULED, statusCode: 'closed' }, [ID]),
    { kind: 'Other', detailType: 'AWS Health Event', instanceIDs: [ID] },
  ],
  [
    'a health event about another service',
    health({ service: 'RDS', eventTypeCategory: 'scheduledChange' }),
    { kind: 'Other', detailType: 'AWS Health Event', instanceIDs: [] },
  ],
  [
    'an event of another kind',
    event('aws.s3', 'Object Created', { bucket: 'x' }),
    { kind: 'Other', detailType: 'Object Created', instanceIDs: [] },
  ],
  ['no JSON', 'hello', { kind: 'Malformed', problem: 'is not JSON', instanceIDs: [] }],
  ['nothing', '', { kind: 'Malformed', problem: 'is not JSON', instanceIDs: [] }],
  ['a list', '[1]', { kind: 'Malformed', problem: 'is not a JSON object', instanceIDs: [] }],
  ['no source', '{"detail-type":"x"}', { kind: 'Malformed', problem: 'has no source', instanceIDs: [] }],
  ['no detail-type', '{"source":"x"}', { kind: 'Malformed', problem: 'has no detail-type', instanceIDs: [] }],
  [
    'a warning without an instance',
    ec2('EC2 Spot Instance Interruption Warning', { 'instance-id': 7 }),
    {
      kind: 'Malformed',
      problem: 'is an EC2 Spot Instance Interruption Warning without an instance',
      instanceIDs: [],
    },
  ],
  [
    'a state change without a state',
    ec2('EC2 Instance State-change Notification', { 'instance-id': ID }),
    {
      kind: 'Malformed',
      problem: 'is an EC2 Instance State-change Notification without a state',
      instanceIDs: [],
    },
  ],
])('%s is read as what it is', (...[, body, expected]) => {
  expect(readEvent(body)).toEqual(expected);
});

test('whatever a message holds, it is read, and its text is not repeated', () => {
  const kinds = ['SpotInterruption', 'RebalanceRecommendation', 'ScheduledChange', 'StateChange'];
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .tuple(
        fc.constantFrom('aws.ec2', 'aws.health', 'mine'),
        fc.constantFrom(
          'EC2 Spot Instance Interruption Warning',
          'AWS Health Event',
          'EC2 Instance State-change Notification',
        ),
        fc.jsonValue(),
        fc.jsonValue(),
      )
      .map(([source, detailType, detail, resources]) => event(source, detailType, detail, resources)),
  );
  fc.assert(
    fc.property(anything, (body) => {
      const { kind, instanceIDs } = readEvent(body);
      expect([...kinds, 'Other', 'Malformed']).toContain(kind);
      expect(kinds.includes(kind) && instanceIDs.length === 0).toBe(false);
    }),
  );
});
