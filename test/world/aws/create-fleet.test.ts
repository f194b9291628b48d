import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import {
  createFleet,
  createTemplate,
  describeAll,
  fixture,
  idsOf,
  readyToLaunch,
  subnetsOf,
  ZONES,
} from './fixture.js';

const [A, B, C] = ZONES;

describe('CreateFleet', () => {
  it('takes on demand the cheapest type first, and what is left over from the next, saying what was short', async () => {
    const on = await readyToLaunch();
    on.aws.setStock({ instanceType: 't3.small' }, 2);
    const overrides = ['m5.large', 't3.small'].map((InstanceType) => ({
      InstanceType: InstanceType as 'm5.large',
      SubnetId: on.subnets.get(A),
      AvailabilityZone: A,
    }));
    const answer = await createFleet(on, overrides, { size: 3 });
    expect(answer.FleetId).toMatch(/^fleet-/);
    expect(
      answer.Instances?.map(({ InstanceType, InstanceIds }) => [InstanceType, InstanceIds?.length]),
    ).toEqual([
      ['t3.small', 2],
      ['m5.large', 1],
    ]);
    expect(answer.Errors).toMatchObject([
      {
        ErrorCode: 'InsufficientInstanceCapacity',
        Lifecycle: 'on-demand',
        LaunchTemplateAndOverrides: {
          LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '1' },
          Overrides: { InstanceType: 't3.small', SubnetId: on.subnets.get(A), AvailabilityZone: A },
        },
      },
    ]);
  });

  it('launches Nitro Enclaves on types that have them only', async () => {
    const EnclaveOptions = { Enabled: true };
    const on = await readyToLaunch({}, { EnclaveOptions });
    const overrides = (['m5.large', 'm5.xlarge'] as const).map((InstanceType) => ({
      InstanceType,
      SubnetId: on.subnets.get(A),
    }));
    const answer = await createFleet(on, overrides);
    expect(answer.Instances).toMatchObject([{ InstanceType: 'm5.xlarge' }]);
    expect(answer.Errors).toMatchObject([
      { ErrorCode: 'Unsupported', LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm5.large' } } },
    ]);
    const [instance] = await describeAll(on);
    expect(instance).toMatchObject({ InstanceType: 'm5.xlarge', EnclaveOptions });
  });

  it.each([
    ['an EFA on a type that takes none', { InterfaceType: 'efa' }, 'Unsupported'],
    ['an IPv6 address of a subnet without any', { Ipv6AddressCount: 1 }, 'InvalidParameterValue'],
    ['a primary IPv6 address that is none', { PrimaryIpv6: true }, 'InvalidParameterCombination'],
    ['no primary interface', { NetworkCardIndex: 1 }, 'InvalidParameterValue'],
  ])('refuses %s', async (_, wanted, code) => {
    const NetworkInterfaces = [{ DeviceIndex: 0, NetworkCardIndex: 0, ...wanted }];
    const on = await readyToLaunch({}, { NetworkInterfaces });
    const answer = await createFleet(on, [{ InstanceType: 'm5.large', SubnetId: on.subnets.get(A) }]);
    expect(answer.Errors).toMatchObject([{ ErrorCode: code }]);
    expect(answer.Instances ?? []).toEqual([]);
  });

  it('heeds priority when asked to', async () => {
    const on = await readyToLaunch();
    const answer = await createFleet(
      on,
      [
        { InstanceType: 't3.small', SubnetId: on.subnets.get(A), Priority: 2 },
        { InstanceType: 'm5.xlarge', SubnetId: on.subnets.get(A), Priority: 1 },
      ],
      { strategy: 'prioritized' },
    );
    expect(answer.Instances).toMatchObject([
      { InstanceType: 'm5.xlarge', LaunchTemplateAndOverrides: { Overrides: { Priority: 1 } } },
    ]);
  });

  it.each([
    ['price-capacity-optimized', 'c5.large'],
    ['capacity-optimized', 'm5.xlarge'],
    ['lowest-price', 't3.small'],
  ])('chooses spot pools by %s', async (strategy, chosen) => {
    const on = await readyToLaunch();
    on.aws.setStock({ instanceType: 't3.small' }, 1);
    on.aws.setStock({ instanceType: 'c5.large' }, 5);
    on.aws.setStock({ instanceType: 'm5.xlarge' }, 9);
    const overrides = (['m5.xlarge', 't3.small', 'c5.large'] as const).map((InstanceType) => ({
      InstanceType,
      SubnetId: on.subnets.get(B),
    }));
    const answer = await createFleet(on, overrides, { size: 2, spot: true, strategy });
    expect(answer.Instances?.[0]).toMatchObject({ InstanceType: chosen, Lifecycle: 'spot' });
    expect(idsOf(answer)).toHaveLength(2);
  });

  it('spreads a diversified fleet over the pools', async () => {
    const on = await readyToLaunch();
    const overrides = ZONES.map((zone) => ({
      InstanceType: 'm5.large' as const,
      SubnetId: on.subnets.get(zone),
    }));
    const answer = await createFleet(on, overrides, { size: 7, spot: true, strategy: 'diversified' });
    expect(answer.Instances?.map(({ InstanceIds }) => InstanceIds?.length)).toEqual([3, 2, 2]);
  });

  it('answers 200 without instances when every pool is empty', async () => {
    const on = await readyToLaunch({ stock: 0 });
    const answer = await createFleet(on, [
      { InstanceType: 'm5.large', SubnetId: on.subnets.get(A) },
      { InstanceType: 'm5.large', SubnetId: on.subnets.get(B) },
    ]);
    expect(answer.$metadata.httpStatusCode).toBe(200);
    expect(answer.Instances).toEqual([]);
    expect(answer.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      'InsufficientInstanceCapacity',
      'InsufficientInstanceCapacity',
    ]);
  });

  it('launches fewer than the least that are wanted not at all', async () => {
    const on = await readyToLaunch({ stock: 2 });
    const answer = await createFleet(on, [{ InstanceType: 'm5.large', SubnetId: on.subnets.get(A) }], {
      size: 3,
      more: { OnDemandOptions: { MinTargetCapacity: 3 } },
    });
    expect(answer.Instances).toEqual([]);
    expect(on.aws.instances()).toEqual([]);
  });

  it('refuses each override for its own reason and launches from the one that is right', async () => {
    const on = await readyToLaunch();
    on.aws.setFreeAddresses(on.subnets.get(C) ?? '', 0);
    const answer = await createFleet(
      on,
      [
        { InstanceType: 'm6g.large', SubnetId: on.subnets.get(A) },
        { InstanceType: 'm5.large', SubnetId: 'subnet-00000000000000000' },
        { InstanceType: 'm5.large', SubnetId: on.subnets.get(A), ImageId: 'ami-00000000000000000' },
        { InstanceType: 'c5.large', SubnetId: on.subnets.get(A), MaxPrice: '0.001' },
        { InstanceType: 't3.small', SubnetId: on.subnets.get(C) },
        { InstanceType: 'm5.large', SubnetId: on.subnets.get(A) },
      ],
      { spot: true, strategy: 'lowest-price' },
    );
    expect(answer.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      'InvalidParameterValue',
      'InvalidSubnetID.NotFound',
      'InvalidAMIID.NotFound',
      'SpotMaxPriceTooLow',
      'InsufficientFreeAddressesInSubnet',
    ]);
    expect(idsOf(answer)).toHaveLength(1);
  });

  it('stops at the quotas of the account', async () => {
    const on = await readyToLaunch({ spotInstanceLimit: 1, vcpuLimit: 4 });
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(A) }];
    const spot = await createFleet(on, overrides, { size: 2, spot: true });
    const onDemand = await createFleet(on, overrides, { size: 3 });
    expect([idsOf(spot).length, spot.Errors?.[0]?.ErrorCode]).toEqual([1, 'MaxSpotInstanceCountExceeded']);
    expect([idsOf(onDemand).length, onDemand.Errors?.[0]?.ErrorCode]).toEqual([2, 'VcpuLimitExceeded']);
  });

  it('takes addresses from the subnet and gives them back with the end of the instance', async () => {
    const on = await readyToLaunch();
    const free = async () => {
      const answer = await on.ec2.send(new DescribeSubnetsCommand({ SubnetIds: [on.subnets.get(A) ?? ''] }));
      return answer.Subnets?.[0]?.AvailableIpAddressCount;
    };
    const before = await free();
    const answer = await createFleet(on, [{ InstanceType: 'm5.large', SubnetId: on.subnets.get(A) }], {
      size: 3,
    });
    expect(await free()).toBe((before ?? 0) - 3);
    on.aws.terminate(idsOf(answer)[0] ?? '');
    await on.clock.advance(60_000);
    expect(await free()).toBe((before ?? 0) - 2);
  });

  it('tags instances with the template’s tags, the fleet’s over them, and where they came from', async () => {
    const on = await readyToLaunch();
    const answer = await createFleet(on, [{ InstanceType: 'm5.large', SubnetId: on.subnets.get(A) }], {
      more: {
        TagSpecifications: [
          { ResourceType: 'instance', Tags: [{ Key: 'berth.sh/launch-group', Value: 'a & <b>' }] },
        ],
      },
    });
    const [instance] = await describeAll(on, idsOf(answer));
    expect(instance?.Tags).toEqual(
      expect.arrayContaining([
        { Key: 'berth.sh/launch-group', Value: 'a & <b>' },
        { Key: 'aws:ec2:fleet-id', Value: answer.FleetId },
      ]),
    );
    expect(on.aws.instances()[0]).toMatchObject({ userData: 'hello', zone: A, capacityType: 'on-demand' });
  });

  describe('with a client token', () => {
    it('answers the same request again as the first time, and launches nothing', async () => {
      const on = await readyToLaunch();
      const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(A) }];
      const first = await createFleet(on, overrides, { size: 2, token: 'group-1' });
      const again = await createFleet(on, overrides, { size: 2, token: 'group-1' });
      expect(again).toEqual(first);
      expect(on.aws.instances()).toHaveLength(2);
    });

    it('refuses another request with the same token', async () => {
      const on = await readyToLaunch();
      const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(A) }];
      await createFleet(on, overrides, { token: 'group-1' });
      await expect(createFleet(on, overrides, { size: 2, token: 'group-1' })).rejects.toMatchObject({
        name: 'IdempotentParameterMismatch',
        $metadata: { httpStatusCode: 400 },
      });
    });

    it('keeps the token free when the request failed as a whole', async () => {
      const on = fixture();
      const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: (await subnetsOf(on)).get(A) }];
      await expect(createFleet(on, overrides, { token: 'group-1' })).rejects.toMatchObject({
        name: 'InvalidLaunchTemplateName.NotFoundException',
      });
      await createTemplate(on);
      expect(idsOf(await createFleet(on, overrides, { token: 'group-1' }))).toHaveLength(1);
    });
  });

  it('is refused by policy as a whole, or per offering where only the instances are', async () => {
    const on = await readyToLaunch();
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(A) }];
    const allow = on.aws.deny('ec2:CreateFleet');
    await expect(createFleet(on, overrides)).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
      message: expect.stringContaining('not authorized to perform: ec2:CreateFleet') as string,
      $metadata: { httpStatusCode: 403 },
    });
    allow();
    on.aws.deny('ec2:RunInstances');
    const answer = await createFleet(on, overrides);
    expect(answer.Errors).toMatchObject([{ ErrorCode: 'UnauthorizedOperation' }]);
    expect(answer.Instances).toEqual([]);
  });

  it('says on a dry run whether it would have worked', async () => {
    const on = await readyToLaunch();
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(A) }];
    await expect(createFleet(on, overrides, { more: { DryRun: true } })).rejects.toMatchObject({
      name: 'DryRunOperation',
      $metadata: { httpStatusCode: 412 },
    });
    on.aws.deny('ec2:RunInstances');
    await expect(createFleet(on, overrides, { more: { DryRun: true } })).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
    expect(on.aws.instances()).toEqual([]);
  });
});
