import { CreateLaunchTemplateCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { AwsSimulator } from '../../../../../world/aws/aws-simulator.js';
import { createMetrics } from '../../../../../src/runtime/metrics/metrics.js';
import { clientsOf, settled } from '../../../../support/builders/aws-clients.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { seededRandom } from '../../../../../world/seeded-random.js';

/** Has the SDK load what it loads with its first call: that takes real time, in which virtual time must not pass. */
async function warmUp(): Promise<void> {
  const simulator = new AwsSimulator({ clock: new VirtualClock(), random: seededRandom(1) });
  await clientsOf(simulator).call('DescribeSubnets', (ec2, options) =>
    ec2.send(new DescribeSubnetsCommand({}), options),
  );
  simulator.close();
}

/** A cloud that turns away what exceeds EC2's limits, and clients that count how often it did. */
function setUp() {
  const clock = new VirtualClock();
  const metrics = createMetrics();
  const simulator = new AwsSimulator({ clock, random: seededRandom(1) });
  const clients = clientsOf(simulator, { clock, metrics, random: seededRandom(2) });
  const outcomes = async (): Promise<Readonly<Record<string, number>>> => {
    const { values } = await metrics.cloudRequests.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
  };
  return { clock, metrics, simulator, clients, outcomes };
}

beforeAll(warmUp);

test('a hundred and sixty questions at once are all answered, and none is turned away', async () => {
  const { clock, simulator, clients, outcomes } = setUp();
  const calls = Array.from({ length: 160 }, () =>
    clients.call('DescribeSubnets', (ec2, options) =>
      ec2.send(new DescribeSubnetsCommand({ MaxResults: 5 }), options),
    ),
  );
  await settled(clock, Promise.all(calls));
  simulator.close();
  await expect(outcomes()).resolves.toEqual({ ok: 160 });
  // Nine tenths of a hundred at once, and then of twenty a second.
  expect(clock.monotonic()).toBeGreaterThanOrEqual(3_000);
  expect(clock.monotonic()).toBeLessThan(5_000);
});

test('another client uses the same limit: a few are turned away, and all come through', async () => {
  const { clock, metrics, simulator, clients, outcomes } = setUp();
  const other = clientsOf(simulator, { clock, metrics, random: seededRandom(3) });
  const create = (own: typeof clients, name: string): Promise<unknown> =>
    own.call(
      'CreateLaunchTemplate',
      (ec2, options) =>
        ec2.send(
          new CreateLaunchTemplateCommand({
            LaunchTemplateName: name,
            LaunchTemplateData: { InstanceType: 'm5.large' },
            ClientToken: name,
          }),
          options,
        ),
      { clientToken: name },
    );
  const both = Array.from({ length: 40 }, (_, index) => [
    create(clients, `berth-ours-${String(index)}`),
    create(other, `berth-theirs-${String(index)}`),
  ]);
  await settled(clock, Promise.all(both.flat()));
  simulator.close();
  const { ok, RateLimited = 0 } = await outcomes();
  expect(ok).toBe(80);
  expect(RateLimited).toBeGreaterThan(0);
});
