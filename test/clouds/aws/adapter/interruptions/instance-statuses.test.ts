/** Scheduled events and failed status checks of instances, as EC2 lists them. */
import { instanceStatuses } from '../../../../../src/clouds/aws/adapter/interruptions/instance-statuses.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2Answer, ec2Error, ec2List, FakeAws, xml } from '../../../../support/fake-aws.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { recordingLogger } from '../../../../support/recording-logger.js';

const NOW = new VirtualClock().now();

function status(id: string, ...events: readonly string[]): string {
  return xml({ instanceId: id }) + ec2List('eventsSet', events);
}

function event(id: string, description = 'The instance is running on degraded hardware'): string {
  return xml({ instanceEventId: id, code: 'instance-retirement', description });
}

/** An instance with checks that have failed for so many seconds. */
function checked(id: string, failed: Partial<Record<'instance' | 'system', number>>): string {
  const summary = (seconds: number | undefined): string =>
    seconds === undefined
      ? xml({ status: 'ok' })
      : xml({ status: 'impaired' }) +
        ec2List('details', [
          xml({ name: 'reachability', impairedSince: new Date(NOW - seconds * 1000).toISOString() }),
        ]);
  const { instance, system } = failed;
  return `${xml({ instanceId: id })}<instanceStatus>${summary(instance)}</instanceStatus><systemStatus>${summary(system)}</systemStatus>`;
}

function page(...statuses: readonly string[]): ReturnType<typeof ec2Answer> {
  return ec2Answer('DescribeInstanceStatus', ec2List('instanceStatusSet', statuses));
}

function world(aws: FakeAws) {
  const clock = new VirtualClock();
  const recorded = recordingLogger();
  const queue = instanceStatuses({ clients: clientsOf(aws, { clock }), clock, logger: recorded.logger });
  return { clock, queue, recorded };
}

test('an event becomes a scheduled change, and one that is over is not', async () => {
  const aws = new FakeAws().answer(
    'DescribeInstanceStatus',
    page(
      status('i-1', event('e-1')),
      status('i-2', event('e-2', '[Completed] retired'), event('e-3', '[Canceled] reboot')),
    ),
  );
  const told = await world(aws).queue.receive();
  expect(told.map(({ interruption }) => interruption)).toEqual([
    { kind: 'ScheduledChange', instanceIDs: ['i-1'] },
  ]);
  expect(aws.asked[0]?.fields).toMatchObject({ 'Filter.1.Name': 'event.code', MaxResults: '100' });
});

test('a check that has failed for two minutes is reported, the one of the host before that of the instance', async () => {
  const aws = new FakeAws().answer(
    'DescribeInstanceStatus',
    page(
      checked('i-host', { system: 120, instance: 150 }),
      checked('i-own', { instance: 121 }),
      checked('i-recent', { instance: 119 }),
      checked('i-well', {}),
    ),
  );
  const told = await world(aws).queue.receive();
  expect(told.map(({ interruption }) => interruption)).toEqual([
    { kind: 'FailedStatusCheck', check: 'system', instanceIDs: ['i-host'] },
    { kind: 'FailedStatusCheck', check: 'instance', instanceIDs: ['i-own'] },
  ]);
  expect(aws.asked.map(({ fields }) => fields['Filter.1.Name'])).toEqual([
    'event.code',
    'instance-status.status',
    'system-status.status',
  ]);
});

test('EC2 is asked once a minute; an event is told until it is deleted', async () => {
  const aws = new FakeAws().answer('DescribeInstanceStatus', page(status('i-1', event('e-1'))));
  const { clock, queue } = world(aws);
  const next = async () => {
    const told = queue.receive();
    for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1000);
    return told;
  };
  expect((await next()).map(({ receipt }) => receipt)).toEqual(['i-1 e-1 instance-retirement']);
  const answers = [await next(), await next(), await next()];
  expect(answers.map(({ length }) => length)).toEqual([0, 1, 0]);
  // Each time with three filters.
  expect(aws.asked).toHaveLength(6);
  await queue.delete(['i-1 e-1 instance-retirement']);
  for (let turn = 0; turn < 3; turn++) expect(await next()).toEqual([]);
  expect(aws.asked).toHaveLength(9);
});

test('a role that may not ask is warned of once', async () => {
  const aws = new FakeAws().answer('DescribeInstanceStatus', ec2Error('UnauthorizedOperation', 403));
  const { queue, recorded } = world(aws);
  expect(await queue.receive()).toEqual([]);
  expect(recorded.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});
