/** What of a node class stands in its launch template. */
import {
  blockDevices,
  launchTemplateData,
  type TemplateQuestion,
} from '../../../../../src/clouds/aws/adapter/launch/launch-template-data.js';
import type { CapacityType } from '../../../../../src/domain/nodes/instance-type.js';
import type { AmiFamily } from '../../../../../src/clouds/aws/families/families.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { resolvedReservation } from '../../../../support/builders/resolved-reservation.js';

function data(
  spec: Readonly<Record<string, unknown>> = {},
  family: AmiFamily = 'AL2023',
  capacityType: CapacityType = 'on-demand',
  network: Partial<TemplateQuestion> = {},
) {
  const whole = launchTemplateData({
    spec: ec2NodeClass(spec).spec,
    family,
    imageID: 'ami-1',
    securityGroupIDs: ['sg-1', 'sg-2'],
    instanceProfile: 'profile-1',
    userData: 'hello',
    capacityType,
    ownerTags: [['kubernetes.io/cluster/c', 'owned']],
    ...network,
  });
  return JSON.parse(JSON.stringify(whole)) as Readonly<Record<string, unknown>>;
}

const OWNED = [{ Key: 'kubernetes.io/cluster/c', Value: 'owned' }];

test('a node class that says little gets what Karpenter would give it', () => {
  expect(data()).toEqual({
    ImageId: 'ami-1',
    IamInstanceProfile: { Name: 'profile-1' },
    SecurityGroupIds: ['sg-1', 'sg-2'],
    BlockDeviceMappings: [
      {
        DeviceName: '/dev/xvda',
        Ebs: { DeleteOnTermination: true, Encrypted: true, VolumeSize: 20, VolumeType: 'gp3' },
      },
    ],
    MetadataOptions: {
      HttpEndpoint: 'enabled',
      HttpProtocolIpv6: 'disabled',
      HttpPutResponseHopLimit: 1,
      HttpTokens: 'required',
      InstanceMetadataTags: 'disabled',
    },
    CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
    TagSpecifications: [{ ResourceType: 'network-interface', Tags: OWNED }],
    UserData: 'aGVsbG8=',
  });
});

test.each<[AmiFamily, readonly (readonly [string, number])[]]>([
  ['AL2', [['/dev/xvda', 20]]],
  [
    'Bottlerocket',
    [
      ['/dev/xvda', 4],
      ['/dev/xvdb', 20],
    ],
  ],
  ['Windows2022', [['/dev/sda1', 50]]],
  ['Custom', []],
])('%s has disks of its own', (family, expected) => {
  const devices = data({}, family)['BlockDeviceMappings'] as readonly {
    readonly DeviceName: string;
    readonly Ebs: { readonly VolumeSize: number };
  }[];
  expect(devices.map(({ DeviceName, Ebs }) => [DeviceName, Ebs.VolumeSize])).toEqual(expected);
});

test('a dedicated instance has its tenancy beside the placement group, others say nothing of it', () => {
  const question = {
    family: 'AL2023' as const,
    imageID: 'ami-1',
    securityGroupIDs: ['sg-1'],
    instanceProfile: 'profile-1',
    userData: '',
    capacityType: 'on-demand' as const,
    ownerTags: [],
  };
  const { spec } = ec2NodeClass({ placementGroupSelector: { name: 'a' } });
  expect(launchTemplateData({ ...question, spec, tenancy: 'dedicated' }).Placement).toEqual({
    GroupName: 'a',
    GroupId: undefined,
    Tenancy: 'dedicated',
  });
  const plain = ec2NodeClass().spec;
  expect(launchTemplateData({ ...question, spec: plain, tenancy: 'dedicated' }).Placement).toEqual({
    Tenancy: 'dedicated',
  });
  expect(launchTemplateData({ ...question, spec: plain, tenancy: 'default' })).not.toHaveProperty(
    'Placement',
  );
});

test('disks are as the node class has them, in whole GiB', () => {
  const blockDeviceMappings = [
    {
      deviceName: '/dev/xvdb',
      ebs: {
        volumeSize: '100G',
        volumeType: 'io2',
        iops: 5000,
        encrypted: true,
        kmsKeyID: 'key-1',
        snapshotID: 'snap-1',
        volumeInitializationRate: 200,
        deleteOnTermination: false,
      },
    },
    { rootVolume: true, ebs: { volumeSize: '1Ti', volumeType: 'gp3', throughput: 250 } },
  ];
  expect(data({ blockDeviceMappings })['BlockDeviceMappings']).toEqual([
    {
      DeviceName: '/dev/xvdb',
      Ebs: {
        DeleteOnTermination: false,
        Encrypted: true,
        Iops: 5000,
        KmsKeyId: 'key-1',
        SnapshotId: 'snap-1',
        VolumeInitializationRate: 200,
        VolumeSize: 94,
        VolumeType: 'io2',
      },
    },
    {
      DeviceName: '/dev/xvda',
      Ebs: { DeleteOnTermination: true, Throughput: 250, VolumeSize: 1024, VolumeType: 'gp3' },
    },
  ]);
});

test('monitoring, metadata, placement, CPU options and tags are handed on', () => {
  const spec = {
    detailedMonitoring: true,
    metadataOptions: { httpTokens: 'optional', httpPutResponseHopLimit: 2 },
    placementGroupSelector: { name: 'group-1' },
    cpuOptions: { nestedVirtualization: 'enabled' },
    tags: { team: 'a' },
  };
  expect(data(spec)).toMatchObject({
    Monitoring: { Enabled: true },
    MetadataOptions: { HttpTokens: 'optional', HttpPutResponseHopLimit: 2 },
    Placement: { GroupName: 'group-1' },
    CpuOptions: { NestedVirtualization: 'enabled' },
    TagSpecifications: [{ ResourceType: 'network-interface', Tags: [...OWNED, { Key: 'team', Value: 'a' }] }],
  });
});

test.each([true, false])('Nitro Enclaves are asked for as the class says: %s', (enabled) => {
  expect(data({ enclaveOptions: { enabled } })['EnclaveOptions']).toEqual({ Enabled: enabled });
});

describe('the network', () => {
  const primary = { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: 'interface' };
  const common = { Groups: ['sg-1', 'sg-2'], DeleteOnTermination: true };

  test.each([
    [{ associatePublicIPAddress: false }, [{ ...primary, ...common, AssociatePublicIpAddress: false }]],
    [{ ipPrefixCount: 2 }, [{ ...primary, ...common, Ipv4PrefixCount: 2 }]],
    [
      { connectionTracking: { udpTimeout: 30 } },
      [{ ...primary, ...common, ConnectionTrackingSpecification: { UdpTimeout: 30 } }],
    ],
    [
      {
        connectionTracking: { udpTimeout: 30 },
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 1, deviceIndex: 0, interfaceType: 'efa-only' },
        ],
      },
      [
        { ...primary, ...common, ConnectionTrackingSpecification: { UdpTimeout: 30 } },
        { NetworkCardIndex: 1, DeviceIndex: 0, InterfaceType: 'efa-only', ...common },
      ],
    ],
  ])('%j makes interfaces that have the groups', (spec, expected) => {
    const { NetworkInterfaces, SecurityGroupIds } = data(spec);
    expect(NetworkInterfaces).toEqual(expected);
    expect(SecurityGroupIds).toBeUndefined();
  });

  const ipv6 = { PrimaryIpv6: true, Ipv6AddressCount: 1 };

  test.each([
    [{}, [{ ...primary, ...common, ...ipv6 }]],
    [{ ipPrefixCount: 2 }, [{ ...primary, ...common, ...ipv6, Ipv6PrefixCount: 2 }]],
    [
      {
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
        ],
      },
      [
        { ...primary, ...common, ...ipv6 },
        { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', ...common },
      ],
    ],
  ])('in an IPv6 cluster %j makes interfaces with a primary IPv6 address', (spec, expected) => {
    expect(data(spec, 'AL2023', 'on-demand', { isIPv6: true })['NetworkInterfaces']).toEqual(expected);
  });

  const efa = { InterfaceType: 'efa', ...common };

  test.each([
    [{}, [0], [{ NetworkCardIndex: 0, DeviceIndex: 0, ...efa }]],
    [
      { connectionTracking: { udpTimeout: 30 }, associatePublicIPAddress: false },
      [0, 1],
      [
        {
          ...{ NetworkCardIndex: 0, DeviceIndex: 0, ...efa, AssociatePublicIpAddress: false },
          ConnectionTrackingSpecification: { UdpTimeout: 30 },
        },
        {
          ...{ NetworkCardIndex: 1, DeviceIndex: 1, ...efa },
          ConnectionTrackingSpecification: { UdpTimeout: 30 },
        },
      ],
    ],
    [
      {},
      [1],
      [
        { ...primary, ...common },
        { NetworkCardIndex: 1, DeviceIndex: 1, ...efa },
      ],
    ],
    [
      { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] },
      [0, 1],
      [{ ...primary, ...common }],
    ],
  ])('%j with EFAs on the cards %j has these interfaces', (spec, efaCards, expected) => {
    expect(data(spec, 'AL2023', 'on-demand', { efaCards })['NetworkInterfaces']).toEqual(expected);
  });
});

test('a spot request is tagged as interfaces are', () => {
  expect(data({ tags: { team: 'a' } }, 'AL2023', 'spot')['TagSpecifications']).toEqual(
    ['network-interface', 'spot-instances-request'].map((ResourceType) => ({
      ResourceType,
      Tags: [...OWNED, { Key: 'team', Value: 'a' }],
    })),
  );
});

test.each([
  ['an on-demand capacity reservation', {}, undefined],
  ['a capacity block', { type: 'capacity-block' }, { MarketType: 'capacity-block' }],
  [
    'an interruptible reservation',
    { interruptible: true },
    { MarketType: 'interruptible-capacity-reservation' },
  ],
] as const)('%s is the target, on its market', (_, reservation, market) => {
  const whole = launchTemplateData({
    spec: ec2NodeClass().spec,
    family: 'AL2023',
    imageID: 'ami-1',
    securityGroupIDs: [],
    instanceProfile: 'profile-1',
    userData: '',
    capacityType: 'reserved',
    ownerTags: [],
    reservation: resolvedReservation(reservation),
  });
  expect(whole).toMatchObject({
    CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } },
  });
  expect(whole.InstanceMarketOptions).toEqual(market);
  expect(whole.UserData).toBeUndefined();
});

describe('a root volume made to measure', () => {
  const sizes = (leastGiB: number, family: AmiFamily, devices?: Parameters<typeof blockDevices>[1]) =>
    blockDevices(family, devices, leastGiB).map(({ Ebs }) => Ebs?.VolumeSize);

  test('is the volume that pods write to', () => {
    expect(sizes(113, 'AL2023')).toEqual([113]);
    expect(sizes(113, 'Bottlerocket')).toEqual([4, 113]);
    const devices = [
      { deviceName: '/dev/xvda', ebs: { volumeSize: '30Gi' } },
      { deviceName: '/dev/xvdz', ebs: { volumeSize: '40Gi' } },
    ];
    expect(sizes(113, 'AL2023', devices)).toEqual([113, 40]);
  });

  test('is never smaller than the node class says, and a snapshot keeps its size', () => {
    expect(sizes(113, 'AL2023', [{ deviceName: '/dev/xvda', ebs: { volumeSize: '200Gi' } }])).toEqual([200]);
    expect(sizes(113, 'AL2023', [{ deviceName: '/dev/xvda', ebs: { snapshotID: 'snap-1' } }])).toEqual([
      undefined,
    ]);
  });
});
