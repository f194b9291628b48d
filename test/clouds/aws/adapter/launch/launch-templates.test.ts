/** Launch templates: one for each content, whoever makes it, and none that nobody uses. */
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { LaunchTemplates } from '../../../../../src/clouds/aws/adapter/launch/launch-templates.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2Answer, ec2Error, ec2List, FakeAws, xml } from '../../../../support/fake-aws.js';
import { sent, simulatedWorld, type SimulatedWorld } from '../simulated-world.js';

const CREATE = 'ec2:CreateLaunchTemplate';
const DATA: RequestLaunchTemplateData = { ImageId: 'ami-1', UserData: 'aGVsbG8=' };
const MINUTE = 60_000;

function templatesOf({ clients, clock }: SimulatedWorld, clusterName = 'berth-demo'): LaunchTemplates {
  return new LaunchTemplates({ clients, clock, clusterName });
}

test('the same content is one template, for this process and the next', async () => {
  const world = simulatedWorld();
  const first = await templatesOf(world).ensure(DATA);
  const reordered = { UserData: 'aGVsbG8=', ImageId: 'ami-1' };
  expect(await templatesOf(world).ensure(reordered)).toEqual(first);
  expect(world.aws.log.count(CREATE)).toBe(1);
  expect(sent(world.aws, CREATE)[0]?.['LaunchTemplateName']).toMatch(/^berth-[0-9a-f]{32}$/);
});

test('another content, or another cluster, is another template', async () => {
  const world = simulatedWorld();
  const ids = [
    await templatesOf(world).ensure(DATA),
    await templatesOf(world).ensure({ ...DATA, ImageId: 'ami-2' }),
    await templatesOf(world, 'other').ensure(DATA),
  ].map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
});

test('what another client makes at the same moment is taken', async () => {
  const theirs = xml({ launchTemplateId: 'lt-theirs', latestVersionNumber: 1 });
  const aws = new FakeAws()
    .answer(
      'DescribeLaunchTemplates',
      ec2Answer('DescribeLaunchTemplates', ec2List('launchTemplates', [])),
      ec2Answer('DescribeLaunchTemplates', ec2List('launchTemplates', [theirs])),
    )
    .answer('CreateLaunchTemplate', ec2Error('InvalidLaunchTemplateName.AlreadyExistsException'));
  const { clock } = simulatedWorld();
  const templates = new LaunchTemplates({ clients: clientsOf(aws), clock, clusterName: 'berth-demo' });
  expect(await templates.ensure(DATA)).toEqual({ id: 'lt-theirs', version: '1' });
  expect(aws.askedFor('DescribeLaunchTemplates')[1]?.fields['LaunchTemplateName.1']).toMatch(/^berth-/);
});

test('a template that is in use is asked for once in ten minutes', async () => {
  const world = simulatedWorld();
  const templates = templatesOf(world);
  for (let minute = 0; minute < 10; minute++) {
    await templates.ensure(DATA);
    await world.clock.advance(MINUTE);
  }
  expect(world.aws.log.count('ec2:DescribeLaunchTemplates')).toBe(1);
  await templates.ensure(DATA);
  expect(world.aws.log.count('ec2:DescribeLaunchTemplates')).toBe(2);
});

describe('collect', () => {
  test('deletes what nobody has used for an hour, of this cluster alone', async () => {
    const world = simulatedWorld();
    const templates = templatesOf(world);
    await templatesOf(world, 'other').ensure(DATA);
    await templates.ensure(DATA);
    await world.clock.advance(59 * MINUTE);
    const used = await templates.ensure({ ...DATA, ImageId: 'ami-2' });
    await templates.collect();
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(0);
    await world.clock.advance(2 * MINUTE);
    await templates.collect();
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(1);
    expect(await templates.ensure({ ...DATA, ImageId: 'ami-2' })).toEqual(used);
    await templates.ensure(DATA);
    expect(world.aws.log.count(CREATE)).toBe(4);
  });

  test('leaves alone what this process uses again and again, however old it is', async () => {
    const world = simulatedWorld();
    const templates = templatesOf(world);
    for (let hour = 0; hour < 3; hour++) {
      await templates.ensure(DATA);
      await world.clock.advance(50 * MINUTE);
      await templates.collect();
    }
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(0);
  });

  test('what the process before used may still be asked for, so a new one waits for an hour, too', async () => {
    const world = simulatedWorld();
    await templatesOf(world).ensure(DATA);
    await world.clock.advance(61 * MINUTE);
    const next = templatesOf(world);
    await next.collect();
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(0);
    await world.clock.advance(60 * MINUTE);
    await next.collect();
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(1);
  });

  test('is done every hour while the cloud runs', async () => {
    const world = simulatedWorld();
    await templatesOf(world).ensure(DATA);
    const stop = new AbortController();
    const running = world.cloud.run(stop.signal);
    await world.clock.advance(61 * MINUTE);
    for (let minute = 0; minute < 60; minute++) await world.clock.advance(MINUTE);
    expect(world.aws.log.count('ec2:DeleteLaunchTemplate')).toBe(1);
    stop.abort();
    await running;
  });
});
