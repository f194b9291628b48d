import {
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { createFleet, describeAll, idsOf, readyToLaunch, ZONES } from './fixture.js';

type Ready = Awaited<ReturnType<typeof readyToLaunch>>;

async function launch(on: Ready, size = 1, spot = false): Promise<readonly string[]> {
  const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
  return idsOf(await createFleet(on, overrides, { size, spot }));
}

describe('an instance', () => {
  it('is pending, runs within 15 seconds, ends within a minute of being asked to, and is forgotten after an hour', async () => {
    const on = await readyToLaunch();
    const seen: SimulatedInstance['state'][] = [];
    on.aws.onInstance(({ state }) => seen.push(state));
    const ids = await launch(on);
    const states = async () => (await describeAll(on)).map(({ State }) => [State?.Name, State?.Code]);
    expect(await states()).toEqual([['pending', 0]]);
    await on.clock.advance(15_000);
    expect(await states()).toEqual([['running', 16]]);
    const answer = await on.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids] }));
    expect(answer.TerminatingInstances).toMatchObject([
      { CurrentState: { Name: 'shutting-down' }, PreviousState: { Name: 'running' } },
    ]);
    await on.clock.advance(60_000);
    expect(await states()).toEqual([['terminated', 48]]);
    await on.clock.advance(3_600_000);
    expect(await states()).toEqual([]);
    expect(seen).toEqual(['pending', 'running', 'shutting-down', 'terminated']);
  });

  it('says what it is: place, address, image, price class and launch time', async () => {
    const on = await readyToLaunch();
    const [id = ''] = await launch(on, 1, true);
    const [instance] = await describeAll(on, [id]);
    expect(instance).toMatchObject({
      InstanceId: id,
      InstanceType: 'm5.large',
      InstanceLifecycle: 'spot',
      Architecture: 'x86_64',
      Placement: { AvailabilityZone: 'eu-west-3a', AvailabilityZoneId: 'euw3-az1' },
      PrivateDnsName: 'ip-10-0-0-4.eu-west-3.compute.internal',
      PrivateIpAddress: '10.0.0.4',
      SubnetId: on.subnets.get('eu-west-3a'),
      LaunchTime: new Date(on.clock.now()),
      MetadataOptions: { HttpTokens: 'optional', HttpPutResponseHopLimit: 1 },
    });
  });

  it('is terminated twice without an error, and not at all when one id of the call is unknown', async () => {
    const on = await readyToLaunch();
    const [id = ''] = await launch(on);
    await expect(
      on.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id, 'i-00000000000000000'] })),
    ).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    expect(on.aws.instances().map(({ state }) => state)).toEqual(['pending']);
    await on.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await on.clock.advance(60_000);
    const again = await on.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(again.TerminatingInstances).toMatchObject([{ PreviousState: { Code: 48 } }]);
  });

  it('cannot be seen, tagged or terminated before reads have caught up', async () => {
    const on = await readyToLaunch({ lagMillis: { from: 10_000, to: 10_000 } });
    const [id = ''] = await launch(on);
    expect(await describeAll(on)).toEqual([]);
    await expect(describeAll(on, [id])).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    await expect(
      on.ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] })),
    ).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    await on.clock.advance(10_000);
    expect(await describeAll(on, [id])).toHaveLength(1);
  });

  it('shows new tags only when reads have caught up', async () => {
    const on = await readyToLaunch({ lagMillis: { from: 1_000, to: 1_000 } });
    const [id = ''] = await launch(on);
    await on.clock.advance(1_000);
    await on.ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] }));
    const tagged = () =>
      on.ec2.send(new DescribeInstancesCommand({ Filters: [{ Name: 'tag-key', Values: ['a'] }] }));
    expect((await tagged()).Reservations).toEqual([]);
    await on.clock.advance(1_000);
    expect((await tagged()).Reservations).toHaveLength(1);
  });

  it('loses only the tags that are named, and never AWS’ own', async () => {
    const on = await readyToLaunch();
    const [id = ''] = await launch(on);
    const tags = ['a', 'b'].map((Key) => ({ Key, Value: '1' }));
    await on.ec2.send(new CreateTagsCommand({ Resources: [id], Tags: tags }));
    await on.ec2.send(
      new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: 'a' }, { Key: 'b', Value: '2' }] }),
    );
    const keys = [...(on.aws.instances()[0]?.tags.keys() ?? [])];
    expect(keys.filter((key) => !key.startsWith('aws:'))).toEqual(['b']);
    expect(keys).toContain('aws:ec2:fleet-id');
  });
});

describe('DescribeInstances', () => {
  it('finds by tag, state and wildcard, all filters together', async () => {
    const on = await readyToLaunch();
    const ids = await launch(on, 2);
    await on.ec2.send(
      new CreateTagsCommand({ Resources: [ids[1] ?? ''], Tags: [{ Key: 'team', Value: 'blue-1' }] }),
    );
    const find = async (...filters: readonly (readonly [string, string])[]) => {
      const Filters = filters.map(([Name, value]) => ({ Name, Values: [value] }));
      const answer = await on.ec2.send(new DescribeInstancesCommand({ Filters }));
      return (answer.Reservations ?? []).flatMap(({ Instances }) =>
        Instances?.map(({ InstanceId }) => InstanceId),
      );
    };
    expect(await find(['tag:team', 'blue-*'], ['instance-state-name', 'pending'])).toEqual([ids[1]]);
    expect(await find(['tag:team', 'blue-*'], ['instance-state-name', 'running'])).toEqual([]);
    await expect(find(['colour', 'blue'])).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  it('gives pages that together are all, and refuses page sizes together with ids', async () => {
    const on = await readyToLaunch();
    const ids = await launch(on, 12);
    const found: string[] = [];
    let token: string | undefined;
    do {
      const page = await on.ec2.send(new DescribeInstancesCommand({ MaxResults: 5, NextToken: token }));
      found.push(
        ...(page.Reservations ?? []).flatMap(
          ({ Instances }) => Instances?.map((i) => i.InstanceId ?? '') ?? [],
        ),
      );
      token = page.NextToken;
    } while (token !== undefined);
    expect(found).toEqual(ids);
    await expect(
      on.ec2.send(new DescribeInstancesCommand({ MaxResults: 5, InstanceIds: [...ids] })),
    ).rejects.toMatchObject({ name: 'InvalidParameterCombination' });
  });
});

describe('DescribeInstanceStatus', () => {
  it('tells of running instances, their checks and their maintenance', async () => {
    const on = await readyToLaunch();
    const [id = ''] = await launch(on);
    const status = async () => (await on.ec2.send(new DescribeInstanceStatusCommand({}))).InstanceStatuses;
    expect(await status()).toEqual([]);
    await on.clock.advance(15_000);
    on.aws.scheduleChange(id);
    expect(await status()).toMatchObject([
      { InstanceId: id, SystemStatus: { Status: 'initializing' }, Events: [{ Code: 'instance-retirement' }] },
    ]);
    await on.clock.advance(120_000);
    expect(await status()).toMatchObject([{ InstanceStatus: { Status: 'ok' } }]);
  });
});

describe('RunInstances', () => {
  it('launches from a template with the request’s word before it', async () => {
    const on = await readyToLaunch();
    const answer = await on.ec2.send(
      new RunInstancesCommand({
        LaunchTemplate: { LaunchTemplateName: 'nodes' },
        InstanceType: 'c5.large',
        SubnetId: on.subnets.get(ZONES[1]),
        MinCount: 2,
        MaxCount: 2,
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: 'mine' }] }],
      }),
    );
    expect(answer.Instances).toHaveLength(2);
    expect(on.aws.instances()).toMatchObject([
      { instanceType: 'c5.large', zone: ZONES[1], userData: 'hello' },
      { privateDnsName: 'ip-10-0-16-5.eu-west-3.compute.internal' },
    ]);
  });

  it('fails with 500 when there are not enough instances', async () => {
    const on = await readyToLaunch({ stock: 1 });
    await expect(
      on.ec2.send(
        new RunInstancesCommand({
          LaunchTemplate: { LaunchTemplateName: 'nodes' },
          InstanceType: 'c5.large',
          SubnetId: on.subnets.get(ZONES[1]),
          MinCount: 2,
          MaxCount: 2,
        }),
      ),
    ).rejects.toMatchObject({ name: 'InsufficientInstanceCapacity', $metadata: { httpStatusCode: 500 } });
  });
});
