/** An instance type as EC2 describes it → its facts. */
import type {
  GpuInfo,
  InferenceDeviceInfo,
  InstanceTypeInfo,
  NetworkInfo,
  NeuronDeviceInfo,
} from '@aws-sdk/client-ec2';
import type { Accelerator, Attachments, Gpu, InstanceFacts } from '../../catalogue/index.js';

export interface LiveType {
  readonly facts: InstanceFacts;
  /** Whether EC2 sells it so at all. */
  readonly onDemand: boolean;
  readonly spot: boolean;
}

const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * The type; undefined where EC2 says too little to plan with it. What EC2 does not tell at all (branch interfaces), or left
 * out, is taken from `known`, the embedded facts of the type.
 */
export function liveType(info: InstanceTypeInfo, known: InstanceFacts | undefined): LiveType | undefined {
  const name = info.InstanceType;
  const arch = archOf(info);
  const vcpu = info.VCpuInfo?.DefaultVCpus;
  const memoryMiB = info.MemoryInfo?.SizeInMiB;
  const maxPods = maxPodsOf(info.NetworkInfo) ?? known?.maxPods;
  if (name === undefined || arch === undefined || vcpu === undefined) return undefined;
  if (memoryMiB === undefined || maxPods === undefined) return undefined;
  const sold = info.SupportedUsageClasses ?? ['on-demand'];
  return {
    facts: { name, arch, vcpu, memoryMiB, maxPods, ...detailsOf(info, known) },
    onDemand: sold.includes('on-demand'),
    spot: sold.includes('spot'),
  };
}

type Details = Omit<InstanceFacts, 'name' | 'arch' | 'vcpu' | 'memoryMiB' | 'maxPods'>;

const NOTHING: Details = {
  addressesPerInterface: undefined,
  branchInterfaces: 0,
  efaCards: [],
  nitroEnclaves: undefined,
  gpu: undefined,
  accelerator: undefined,
  localStorageGB: undefined,
  networkMbps: undefined,
  ebsMbps: undefined,
  cpuManufacturer: undefined,
  clockMHz: undefined,
  hypervisor: undefined,
  encryptionInTransit: undefined,
  attachments: undefined,
};

function detailsOf(info: InstanceTypeInfo, known: InstanceFacts | undefined): Details {
  const { NetworkInfo: network, ProcessorInfo: processor } = info;
  const reported: Partial<Details> = {
    addressesPerInterface: network?.Ipv4AddressesPerInterface,
    ...efaCardsOf(network),
    nitroEnclaves: isSupported(info.NitroEnclavesSupport),
    encryptionInTransit: network?.EncryptionInTransitSupported,
    networkMbps: bandwidthOf(network),
    ebsMbps: info.EbsInfo?.EbsOptimizedInfo?.MaximumBandwidthInMbps,
    cpuManufacturer: spelled(processor?.Manufacturer),
    clockMHz: thousand(processor?.SustainedClockSpeedInGhz),
    hypervisor: hypervisorOf(info),
    attachments: attachmentsOf(info, known?.attachments),
    gpu: gpuOf(info.GpuInfo),
    accelerator: acceleratorOf(info, known?.accelerator?.coresPerDevice),
  };
  const isKnown = ([, value]: [string, unknown]): boolean => value !== undefined;
  return {
    ...NOTHING,
    ...known,
    ...Object.fromEntries(Object.entries(reported).filter(isKnown)),
    // That EC2 reports none means that there is none.
    localStorageGB: localStorageOf(info),
  };
}

/**
 * EC2 calls the limit of Xen shared, which interfaces take nothing of, and that of some bare metal whose volumes have one of
 * their own: there the embedded facts are right.
 */
function attachmentsOf(
  { EbsInfo, Hypervisor }: InstanceTypeInfo,
  known: Attachments | undefined,
): Attachments | undefined {
  const { MaximumEbsAttachments: most, AttachmentLimitType: kind } = EbsInfo ?? {};
  if (most === undefined || kind === undefined || Hypervisor === 'xen') return undefined;
  return { most, areShared: kind === 'shared' && known?.areShared !== false };
}

function hypervisorOf({ Hypervisor, BareMetal }: InstanceTypeInfo): string | undefined {
  return Hypervisor ?? (BareMetal === true ? '' : undefined);
}

function archOf({ ProcessorInfo }: InstanceTypeInfo): string | undefined {
  for (const architecture of ProcessorInfo?.SupportedArchitectures ?? []) {
    const arch = ARCHITECTURES.get(architecture);
    if (arch !== undefined) return arch;
  }
  return undefined;
}

/** As EKS counts: interfaces of the default network card only, since those of others carry no pods. */
function maxPodsOf(network: NetworkInfo | undefined): number | undefined {
  const card = network?.NetworkCards?.find(
    ({ NetworkCardIndex }) => NetworkCardIndex === (network.DefaultNetworkCardIndex ?? 0),
  );
  const interfaces = card?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces;
  const addresses = network?.Ipv4AddressesPerInterface;
  if (interfaces === undefined || addresses === undefined) return undefined;
  return interfaces * (addresses - 1) + 2;
}

/** As many as EC2 attaches at most, on the first of the cards that take one; nothing where it does not say whether there are any. */
function efaCardsOf(network: NetworkInfo | undefined): Partial<Pick<Details, 'efaCards'>> {
  if (network?.EfaSupported === undefined) return {};
  const cards = (network.NetworkCards ?? []).filter(
    ({ InterfaceTypes }) => InterfaceTypes?.includes('efa') ?? true,
  );
  const indexes = cards.map(({ NetworkCardIndex = 0 }) => NetworkCardIndex);
  return { efaCards: indexes.slice(0, network.EfaInfo?.MaximumEfaInterfaces ?? 0) };
}

/** Of all cards together; undefined when EC2 gives no figure. */
function bandwidthOf(network: NetworkInfo | undefined): number | undefined {
  const cards = network?.NetworkCards ?? [];
  const gigabits = cards.reduce((sum, { BaselineBandwidthInGbps: own = 0 }) => sum + own, 0);
  return gigabits > 0 ? thousand(gigabits) : undefined;
}

function gpuOf(info: GpuInfo | undefined): Gpu | undefined {
  const [gpu] = info?.Gpus ?? [];
  const name = spelled(gpu?.Name);
  const manufacturer = spelled(gpu?.Manufacturer);
  if (gpu === undefined || name === undefined || manufacturer === undefined) return undefined;
  // Shares of a GPU have no count.
  return { name, manufacturer, count: gpu.Count ?? 0, memoryMiB: gpu.MemoryInfo?.SizeInMiB ?? 0 };
}

function acceleratorOf(info: InstanceTypeInfo, known: number | undefined): Accelerator | undefined {
  const [device] = info.NeuronInfo?.NeuronDevices ?? [];
  const { Name, Count } = device ?? inferentiaOf(info) ?? {};
  const name = spelled(Name);
  if (name === undefined || Count === undefined) return undefined;
  return { name, manufacturer: 'aws', count: Count, coresPerDevice: coresOf(device) ?? known ?? 1 };
}

function coresOf(device: NeuronDeviceInfo | undefined): number | undefined {
  return device?.CoreInfo?.Count;
}

/** Where EC2 told of the first Inferentia; of other manufacturers' chips no pod could ask for the resources. */
function inferentiaOf({ InferenceAcceleratorInfo }: InstanceTypeInfo): InferenceDeviceInfo | undefined {
  return InferenceAcceleratorInfo?.Accelerators?.find(({ Manufacturer }) => spelled(Manufacturer) === 'aws');
}

function localStorageOf({ InstanceStorageInfo: disks }: InstanceTypeInfo): number | undefined {
  return disks === undefined || disks.NvmeSupport === 'unsupported' ? undefined : disks.TotalSizeInGB;
}

function isSupported(support: string | undefined): boolean | undefined {
  return support === undefined ? undefined : support === 'supported';
}

function thousand(amount: number | undefined): number | undefined {
  return amount === undefined ? undefined : Math.round(amount * 1000);
}

/** As labels spell it: `Radeon Pro V520` is `radeon-pro-v520`. */
function spelled(text: string | undefined): string | undefined {
  return text?.toLowerCase().replaceAll(' ', '-');
}
