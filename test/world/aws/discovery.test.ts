import {
  DescribeAvailabilityZonesCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  type InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import { DescribeClusterCommand } from '@aws-sdk/client-eks';
import { GetProductsCommand } from '@aws-sdk/client-pricing';
import { GetParameterCommand, GetParametersByPathCommand, GetParametersCommand } from '@aws-sdk/client-ssm';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { fewTypes, fixture, type Fixture } from './fixture.js';

const DAY_MILLIS = 86_400_000;

async function allTypes({ ec2 }: Fixture): Promise<readonly InstanceTypeInfo[]> {
  const types: InstanceTypeInfo[] = [];
  let token: string | undefined;
  do {
    const page = await ec2.send(new DescribeInstanceTypesCommand({ NextToken: token }));
    expect(page.InstanceTypes?.length).toBeLessThanOrEqual(100);
    types.push(...(page.InstanceTypes ?? []));
    token = page.NextToken;
  } while (token !== undefined);
  return types;
}

describe('DescribeInstanceTypes', () => {
  it('tells all types of the catalogue, at most a hundred at a time', async () => {
    const catalogue = catalogueFor('eu-west-3');
    const types = await allTypes(fixture({ catalogue }));
    expect(types.map(({ InstanceType }) => InstanceType)).toEqual(
      catalogue.entries.map(({ facts }) => facts.name),
    );
  });

  it('tells what the catalogue knows: size, architecture, interfaces, disks, accelerators', async () => {
    const types = new Map((await allTypes(fixture())).map((type) => [String(type.InstanceType), type]));
    expect(types.get('m5.large')).toMatchObject({
      VCpuInfo: { DefaultVCpus: 2 },
      MemoryInfo: { SizeInMiB: 8192 },
      Hypervisor: 'nitro',
      ProcessorInfo: { SupportedArchitectures: ['x86_64'], Manufacturer: 'Intel' },
      NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 10 },
      SupportedUsageClasses: ['on-demand', 'spot'],
    });
    expect(types.get('m6g.large')?.ProcessorInfo?.SupportedArchitectures).toEqual(['arm64']);
    expect(types.get('g5.xlarge')?.GpuInfo?.Gpus).toMatchObject([
      { Name: 'A10g', Manufacturer: 'NVIDIA', Count: 1, MemoryInfo: { SizeInMiB: 22888 } },
    ]);
    expect(types.get('inf2.xlarge')?.NeuronInfo?.NeuronDevices).toMatchObject([
      { Count: 1, CoreInfo: { Count: 2 } },
    ]);
    expect(types.get('m5.metal')).toMatchObject({ BareMetal: true });
    expect(types.get('m5.metal')?.Hypervisor).toBeUndefined();
  });

  it('refuses names that do not exist and page sizes out of range', async () => {
    const { ec2 } = fixture();
    await expect(
      ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.huge' as 'm5.large'] })),
    ).rejects.toMatchObject({ name: 'InvalidInstanceType' });
    await expect(ec2.send(new DescribeInstanceTypesCommand({ MaxResults: 1000 }))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });
});

describe('DescribeInstanceTypeOfferings', () => {
  it.each([
    ['availability-zone', ['eu-west-3a', 'eu-west-3b', 'eu-west-3c']],
    ['availability-zone-id', ['euw3-az1', 'euw3-az2', 'euw3-az3']],
    ['region', ['eu-west-3']],
  ] as const)('tells where a type is sold by %s', async (LocationType, locations) => {
    const answer = await fixture().ec2.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType,
        Filters: [{ Name: 'instance-type', Values: ['m5.l*'] }],
      }),
    );
    expect(answer.InstanceTypeOfferings?.map(({ Location }) => Location)).toEqual(locations);
  });
});

describe('the network', () => {
  it('has a discoverable subnet in each zone, a security group, and things that are not Berth’s', async () => {
    const { ec2 } = fixture();
    const Filters = [{ Name: 'tag:karpenter.sh/discovery', Values: ['berth-demo'] }];
    const subnets = await ec2.send(new DescribeSubnetsCommand({ Filters }));
    const groups = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
    const zones = await ec2.send(new DescribeAvailabilityZonesCommand({}));
    expect(subnets.Subnets?.map(({ AvailabilityZone }) => AvailabilityZone)).toEqual(
      zones.AvailabilityZones?.map(({ ZoneName }) => ZoneName),
    );
    expect(subnets.Subnets?.[0]?.AvailableIpAddressCount).toBe(4091);
    expect(groups.SecurityGroups).toHaveLength(1);
    expect((await ec2.send(new DescribeSubnetsCommand({}))).Subnets).toHaveLength(4);
    await expect(
      ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-00000000000000000'] })),
    ).rejects.toMatchObject({ name: 'InvalidSubnetID.NotFound' });
  });
});

it('a capacity reservation that is not there is an error, beside one that is there too', async () => {
  const { ec2, aws } = fixture();
  aws.addReservation({
    ...{ id: 'cr-0', instanceType: 'm5.large', zone: 'eu-west-3a', instances: 1, tags: new Map() },
    ...{ type: 'default', interruptible: false },
  });
  const ask = (...CapacityReservationIds: readonly string[]) =>
    ec2.send(
      new DescribeCapacityReservationsCommand({ CapacityReservationIds: [...CapacityReservationIds] }),
    );
  expect((await ask('cr-0')).CapacityReservations).toHaveLength(1);
  await expect(ask('cr-0', 'cr-9')).rejects.toMatchObject({ name: 'InvalidCapacityReservationId.NotFound' });
});

describe('images', () => {
  const alias = (kubernetes: string) =>
    `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/arm64/standard/recommended/image_id`;

  it('are behind the SSM parameters of every family, and exist', async () => {
    const { ssm, ec2 } = fixture();
    const Names = [
      alias('1.34'),
      '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id',
      '/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/recommended/image_id',
      '/aws/service/eks/optimized-ami/1.32/amazon-linux-2-arm64/recommended/image_id',
      '/aws/service/bottlerocket/aws-k8s-1.34/arm64/latest/image_id',
      '/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/latest/image_id',
      '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id',
      '/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id',
    ];
    const answer = await ssm.send(new GetParametersCommand({ Names }));
    expect(answer.InvalidParameters).toEqual(Names.slice(-1));
    const ImageIds = (answer.Parameters ?? []).map(({ Value }) => Value ?? '');
    const images = await ec2.send(new DescribeImagesCommand({ ImageIds }));
    expect(images.Images?.map(({ Architecture }) => Architecture)).toEqual([
      ...['arm64', 'x86_64', 'x86_64', 'arm64', 'arm64', 'x86_64', 'x86_64'],
    ]);
    await expect(ssm.send(new GetParameterCommand({ Name: Names.at(-1) }))).rejects.toMatchObject({
      name: 'ParameterNotFound',
    });
  });

  it('are followed by the parameter when a new one is published, while the old one can be pinned', async () => {
    const on = fixture();
    const value = async (Name: string) =>
      (await on.ssm.send(new GetParameterCommand({ Name }))).Parameter?.Value;
    const before = await value(alias('1.34'));
    const old = await on.ec2.send(new DescribeImagesCommand({ ImageIds: [before ?? ''] }));
    await on.clock.advance(DAY_MILLIS);
    on.aws.publishImage({ family: 'AL2023', kubernetesVersion: '1.34' });
    const after = await value(alias('1.34'));
    const young = await on.ec2.send(new DescribeImagesCommand({ ImageIds: [after ?? ''] }));
    expect(young.Images?.[0]).toMatchObject({
      Name: 'amazon-eks-node-al2023-arm64-standard-1.34-v20260102',
      CreationDate: '2026-01-02T00:00:00.000Z',
    });
    expect(await value(alias('1.34').replace('recommended', old.Images?.[0]?.Name ?? ''))).toBe(before);
    expect(await value(alias('1.35'))).toBe(await value(alias('1.35')));
    expect(after).not.toBe(before);
  });

  it('of the account’s own are found by tag, newest told apart by date', async () => {
    const { ec2 } = fixture();
    const answer = await ec2.send(
      new DescribeImagesCommand({
        Owners: ['self'],
        Filters: [{ Name: 'tag:example.berth.sh/image', Values: ['golden'] }],
      }),
    );
    expect(answer.Images?.map(({ Architecture, CreationDate }) => [Architecture, CreationDate])).toEqual([
      ['x86_64', '2025-12-02T00:00:00.000Z'],
      ['arm64', '2025-12-02T00:00:00.000Z'],
      ['x86_64', '2025-12-29T00:00:00.000Z'],
      ['arm64', '2025-12-29T00:00:00.000Z'],
    ]);
    await expect(
      ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-00000000000000000'] })),
    ).rejects.toMatchObject({
      name: 'InvalidAMIID.NotFound',
    });
  });

  it('can be listed by the path of their parameters, page by page', async () => {
    const { ssm } = fixture();
    const Path = '/aws/service/bottlerocket/aws-k8s-1.34';
    const first = await ssm.send(new GetParametersByPathCommand({ Path, Recursive: true, MaxResults: 4 }));
    const rest = await ssm.send(
      new GetParametersByPathCommand({ Path, Recursive: true, NextToken: first.NextToken }),
    );
    const names = [...(first.Parameters ?? []), ...(rest.Parameters ?? [])].map(({ Name }) => Name);
    expect(names).toHaveLength(6);
    expect(rest.NextToken).toBeUndefined();
  });
});

describe('prices', () => {
  it('on demand are the catalogue’s, metal under its own tenancy', async () => {
    const { pricing } = fixture();
    const priceOf = async (tenancy: string, productFamily: string) => {
      const answer = await pricing.send(
        new GetProductsCommand({
          ServiceCode: 'AmazonEC2',
          Filters: Object.entries({
            ...{ regionCode: 'eu-west-3', operatingSystem: 'Linux', preInstalledSw: 'NA' },
            ...{ capacitystatus: 'Used', marketoption: 'OnDemand', tenancy, productFamily },
          }).map(([Field, Value]) => ({ Type: 'TERM_MATCH' as const, Field, Value })),
        }),
      );
      const list = (answer.PriceList ?? []) as readonly unknown[];
      return list.map((text) => {
        const item = JSON.parse(String(text)) as PriceItem;
        const [term] = Object.values(item.terms.OnDemand);
        const [rate] = Object.values(term?.priceDimensions ?? {});
        return [item.product.attributes.instanceType, Number(rate?.pricePerUnit.USD)] as const;
      });
    };
    const quoted = fewTypes.entries.map(({ facts, offerings }) => [facts.name, offerings[0]?.price] as const);
    expect(await priceOf('Shared', 'Compute Instance')).toEqual(
      quoted.filter(([name]) => name !== 'm5.metal'),
    );
    expect(await priceOf('Dedicated', 'Compute Instance (bare metal)')).toEqual(
      quoted.filter(([name]) => name === 'm5.metal'),
    );
  });

  it('on spot move with time within their share and never above on demand', async () => {
    const on = fixture({ spotPriceMovement: 0.2 });
    const prices = async () => {
      const answer = await on.ec2.send(
        new DescribeSpotPriceHistoryCommand({
          StartTime: new Date(on.clock.now()),
          ProductDescriptions: ['Linux/UNIX'],
        }),
      );
      return (answer.SpotPriceHistory ?? []).map(
        (row) =>
          [`${String(row.InstanceType)} ${String(row.AvailabilityZone)}`, Number(row.SpotPrice)] as const,
      );
    };
    const first = await prices();
    expect(first).toHaveLength(fewTypes.entries.flatMap(({ offerings }) => offerings).length / 2);
    await on.clock.advance(DAY_MILLIS);
    const later = await prices();
    expect(later).not.toEqual(first);
    for (const [pool, price] of [...first, ...later]) {
      const [type, zone] = pool.split(' ');
      const offerings = fewTypes.entries.find(({ facts }) => facts.name === type)?.offerings ?? [];
      const usual = (kind: string) =>
        offerings.find((offering) => offering.zone === zone && offering.capacityType === kind)?.price ?? NaN;
      expect(Math.abs(price / usual('spot') - 1)).toBeLessThanOrEqual(0.2001);
      expect(price).toBeLessThanOrEqual(usual('on-demand'));
    }
  });

  it('on spot have a history, newest first, with what was set by hand', async () => {
    const on = fixture();
    await on.clock.advance(3_600_000);
    on.aws.setSpotPrice({ instanceType: 'm5.large', zone: 'eu-west-3a' }, 0.09);
    const answer = await on.ec2.send(
      new DescribeSpotPriceHistoryCommand({
        InstanceTypes: ['m5.large'],
        AvailabilityZone: 'eu-west-3a',
        StartTime: new Date(on.clock.now() - 3_600_000),
      }),
    );
    expect(answer.SpotPriceHistory?.[0]).toMatchObject({
      SpotPrice: '0.090000',
      Timestamp: new Date(on.clock.now()),
    });
    expect(answer.SpotPriceHistory?.map(({ ProductDescription }) => ProductDescription)).toEqual([
      ...['Linux/UNIX', 'Linux/UNIX', 'Windows', 'Windows'],
    ]);
  });
});

interface PriceItem {
  readonly product: { readonly attributes: { readonly instanceType: string } };
  readonly terms: {
    readonly OnDemand: Readonly<
      Record<
        string,
        {
          readonly priceDimensions: Readonly<
            Record<string, { readonly pricePerUnit: { readonly USD: string } }>
          >;
        }
      >
    >;
  };
}

describe('EKS', () => {
  it('describes the cluster, and no other', async () => {
    const { eks } = fixture({ kubernetesVersion: '1.34' });
    const answer = await eks.send(new DescribeClusterCommand({ name: 'berth-demo' }));
    expect(answer.cluster).toMatchObject({
      version: '1.34',
      status: 'ACTIVE',
      kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
    });
    await expect(eks.send(new DescribeClusterCommand({ name: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});
