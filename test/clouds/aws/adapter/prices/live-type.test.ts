import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { liveType } from '../../../../../src/clouds/aws/adapter/prices/live-type.js';
import { embeddedTypes } from '../../../../../src/clouds/aws/catalogue/index.js';

const M5_LARGE: InstanceTypeInfo = {
  InstanceType: 'm5.large',
  SupportedUsageClasses: ['on-demand', 'spot'],
  Hypervisor: 'nitro',
  BareMetal: false,
  ProcessorInfo: { SupportedArchitectures: ['x86_64'], SustainedClockSpeedInGhz: 3.1, Manufacturer: 'Intel' },
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  EbsInfo: { EbsOptimizedInfo: { BaselineBandwidthInMbps: 650, MaximumBandwidthInMbps: 4750 } },
  NitroEnclavesSupport: 'unsupported',
  NetworkInfo: {
    EfaSupported: false,
    MaximumNetworkInterfaces: 3,
    Ipv4AddressesPerInterface: 10,
    EncryptionInTransitSupported: false,
    DefaultNetworkCardIndex: 0,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: 3, BaselineBandwidthInGbps: 0.75 }],
  },
};

function unknown(overrides: Partial<InstanceTypeInfo>) {
  return liveType({ ...M5_LARGE, InstanceType: 'm99.large', ...overrides } as InstanceTypeInfo, undefined);
}

test('what EC2 says of a known type is what the embedded catalogue says', () => {
  const known = embeddedTypes().get('m5.large')?.facts;
  expect(known).toBeDefined();
  expect(liveType(M5_LARGE, known)).toEqual({ facts: known, onDemand: true, spot: true });
});

test('a type that the embedded catalogue does not know has all facts but its branch interfaces and what EC2 left out', () => {
  const known = embeddedTypes().get('m5.large')?.facts;
  expect(unknown({})?.facts).toEqual({
    ...known,
    name: 'm99.large',
    branchInterfaces: 0,
    attachments: undefined,
  });
});

test('pods are counted on the default network card alone', () => {
  const NetworkInfo = {
    MaximumNetworkInterfaces: 64,
    Ipv4AddressesPerInterface: 50,
    DefaultNetworkCardIndex: 0,
    NetworkCards: [
      { NetworkCardIndex: 0, MaximumNetworkInterfaces: 2, BaselineBandwidthInGbps: 100 },
      { NetworkCardIndex: 1, MaximumNetworkInterfaces: 62, BaselineBandwidthInGbps: 100 },
    ],
  };
  expect(unknown({ NetworkInfo })?.facts).toMatchObject({ maxPods: 100, networkMbps: 200_000 });
});

test('EFAs are counted on the cards that take one, as many as EC2 attaches; Nitro Enclaves are as EC2 says', () => {
  const cards = [['interface'], ['interface', 'efa'], ['efa', 'efa-only'], ['efa']].map(
    (InterfaceTypes, index) => ({
      NetworkCardIndex: index,
      MaximumNetworkInterfaces: 2,
      InterfaceTypes,
    }),
  );
  const NetworkInfo = {
    ...M5_LARGE.NetworkInfo,
    EfaSupported: true,
    EfaInfo: { MaximumEfaInterfaces: 2 },
    NetworkCards: cards,
  };
  const info = { NetworkInfo, NitroEnclavesSupport: 'supported' } as Partial<InstanceTypeInfo>;
  expect(unknown(info)?.facts).toMatchObject({ efaCards: [1, 2], nitroEnclaves: true });
});

test('GPUs are spelled as labels spell them; a share of one counts as none', () => {
  const GpuInfo = {
    Gpus: [{ Name: 'Radeon Pro V520', Manufacturer: 'AMD', Count: 2, MemoryInfo: { SizeInMiB: 8192 } }],
  };
  expect(unknown({ GpuInfo })?.facts.gpu).toEqual({
    name: 'radeon-pro-v520',
    manufacturer: 'amd',
    count: 2,
    memoryMiB: 8192,
  });
  expect(unknown({ GpuInfo: { Gpus: [{ Name: 'L4', Manufacturer: 'NVIDIA' }] } })?.facts.gpu).toMatchObject({
    count: 0,
  });
});

test("AWS' own chips come with their cores", () => {
  const NeuronInfo = { NeuronDevices: [{ Name: 'Trainium2', Count: 16, CoreInfo: { Count: 8 } }] };
  expect(unknown({ NeuronInfo })?.facts.accelerator).toEqual({
    name: 'trainium2',
    manufacturer: 'aws',
    count: 16,
    coresPerDevice: 8,
  });
});

test("another manufacturer's inference chip is no resource that a pod could ask for", () => {
  const InferenceAcceleratorInfo = { Accelerators: [{ Name: 'AI100', Manufacturer: 'Qualcomm', Count: 8 }] };
  expect(unknown({ InferenceAcceleratorInfo })?.facts.accelerator).toBeUndefined();
});

test('local disks count when they are NVMe', () => {
  const disks = { TotalSizeInGB: 475 };
  expect(unknown({ InstanceStorageInfo: { ...disks, NvmeSupport: 'required' } })?.facts.localStorageGB).toBe(
    475,
  );
  expect(
    unknown({ InstanceStorageInfo: { ...disks, NvmeSupport: 'unsupported' } })?.facts.localStorageGB,
  ).toBeUndefined();
});

test('bare metal has no hypervisor', () => {
  expect(unknown({ BareMetal: true, Hypervisor: undefined })?.facts.hypervisor).toBe('');
});

test.each([
  ['a Mac', { ProcessorInfo: { SupportedArchitectures: ['arm64_mac'] } }],
  ['one without memory', { MemoryInfo: undefined }],
  ['one without CPUs', { VCpuInfo: undefined }],
  ['one without a network', { NetworkInfo: undefined }],
] satisfies [string, object][])('%s is none that could be planned with', (_, overrides) => {
  expect(unknown(overrides as Partial<InstanceTypeInfo>)).toBeUndefined();
});

test('what is sold for capacity blocks only is sold neither on demand nor on spot', () => {
  expect(unknown({ SupportedUsageClasses: ['capacity-block'] })).toMatchObject({
    onDemand: false,
    spot: false,
  });
});

test('volumes that can be attached are as EC2 says, but for limits that it calls shared and are not', () => {
  const says = (name: string, AttachmentLimitType: 'shared' | 'dedicated', Hypervisor: 'nitro' | 'xen') => {
    const info = { ...M5_LARGE, InstanceType: name, Hypervisor } as InstanceTypeInfo;
    const EbsInfo = { MaximumEbsAttachments: 40, AttachmentLimitType };
    return liveType({ ...info, EbsInfo }, embeddedTypes().get(name)?.facts)?.facts.attachments;
  };
  expect(says('m99.large', 'shared', 'nitro')).toEqual({ most: 40, areShared: true });
  expect(says('m99.large', 'dedicated', 'nitro')).toEqual({ most: 40, areShared: false });
  expect(says('i7i.metal-24xl', 'shared', 'nitro')).toEqual({ most: 40, areShared: false });
  expect(says('m4.large', 'shared', 'xen')).toEqual({ most: 39, areShared: false });
});
