/** An instance type as DescribeInstanceTypes tells it. */
import { isForClusters } from '../instances/placement-groups.js';
import type { InstanceFacts } from '../../../../src/clouds/aws/catalogue/index.js';
import { NamedList, type XmlStructure } from '../../protocol/xml.js';

/** Families of before 2014 are not of the current generation. */
const PREVIOUS_GENERATION = /^(?:a1|c[13]|g2|i2|m[123]|r3|t1|u-)/;
/** Interfaces of a network card that is not the first. */
const INTERFACES_OF_OTHERS = 2;
const MANUFACTURERS: Readonly<Record<string, string>> = {
  intel: 'Intel',
  amd: 'AMD',
  aws: 'AWS',
  nvidia: 'NVIDIA',
  habana: 'Habana',
};

/** The facts are our catalogue's; what it does not know is left out. */
export function instanceTypeXml(facts: InstanceFacts, isOnSpot: boolean): XmlStructure {
  const isMetal = facts.hypervisor === '';
  const threads = facts.arch === 'arm64' || facts.vcpu === 1 ? 1 : 2;
  return {
    instanceType: facts.name,
    currentGeneration: !PREVIOUS_GENERATION.test(facts.name),
    freeTierEligible: false,
    supportedUsageClasses: isOnSpot ? ['on-demand', 'spot'] : ['on-demand'],
    supportedRootDeviceTypes: ['ebs'],
    supportedVirtualizationTypes: ['hvm'],
    bareMetal: isMetal,
    hypervisor: isMetal ? undefined : facts.hypervisor,
    processorInfo: {
      supportedArchitectures: [facts.arch === 'arm64' ? 'arm64' : 'x86_64'],
      sustainedClockSpeedInGhz: facts.clockMHz && facts.clockMHz / 1000,
      manufacturer: facts.cpuManufacturer && spelled(facts.cpuManufacturer),
    },
    vCpuInfo: {
      defaultVCpus: facts.vcpu,
      defaultCores: Math.max(facts.vcpu / threads, 1),
      defaultThreadsPerCore: threads,
    },
    memoryInfo: { sizeInMiB: facts.memoryMiB },
    instanceStorageSupported: facts.localStorageGB !== undefined,
    instanceStorageInfo: facts.localStorageGB && {
      totalSizeInGB: facts.localStorageGB,
      disks: [{ sizeInGB: facts.localStorageGB, count: 1, type: 'ssd' }],
      nvmeSupport: 'required',
      encryptionSupport: 'required',
    },
    ebsInfo: ebsInfo(facts),
    networkInfo: networkInfo(facts),
    ...devices(facts),
    nitroEnclavesSupport: facts.nitroEnclaves === true ? 'supported' : 'unsupported',
    placementGroupInfo: {
      supportedStrategies: isForClusters(facts.name)
        ? ['cluster', 'partition', 'spread']
        : ['partition', 'spread'],
    },
    hibernationSupported: false,
    burstablePerformanceSupported: /^t\d/.test(facts.name),
    dedicatedHostsSupported: true,
    autoRecoverySupported: !isMetal,
    supportedBootModes: facts.arch === 'arm64' ? ['uefi'] : ['legacy-bios', 'uefi'],
  };
}

function ebsInfo({ ebsMbps, hypervisor }: InstanceFacts): XmlStructure {
  return {
    ebsOptimizedSupport: 'default',
    encryptionSupport: 'supported',
    ebsOptimizedInfo: ebsMbps && {
      baselineBandwidthInMbps: ebsMbps,
      baselineThroughputInMBps: ebsMbps / 8,
      maximumBandwidthInMbps: ebsMbps,
      maximumThroughputInMBps: ebsMbps / 8,
    },
    nvmeSupport: hypervisor === 'xen' ? 'unsupported' : 'required',
  };
}

/** The catalogue counts the default card's interfaces: of other cards it lists only those that take an EFA. */
function networkInfo(facts: InstanceFacts): XmlStructure {
  const addresses = facts.addressesPerInterface ?? facts.maxPods - 1;
  const interfaces = Math.max(Math.round((facts.maxPods - 2) / Math.max(addresses - 1, 1)), 1);
  const cards = [...new Set([0, ...facts.efaCards])];
  const gigabits = facts.networkMbps && facts.networkMbps / 1000;
  const networkPerformance = gigabits === undefined ? 'Moderate' : `${String(gigabits)} Gigabit`;
  return {
    networkPerformance,
    maximumNetworkInterfaces: interfaces,
    maximumNetworkCards: cards.length,
    defaultNetworkCardIndex: 0,
    networkCards: cards.map((index) => ({
      networkCardIndex: index,
      networkPerformance,
      maximumNetworkInterfaces: index === 0 ? interfaces : INTERFACES_OF_OTHERS,
      // Of all cards together, which is what the catalogue knows.
      ...(index === 0 && { baselineBandwidthInGbps: gigabits, peakBandwidthInGbps: gigabits }),
      interfaceTypeSet: facts.efaCards.includes(index) ? ['interface', 'efa', 'efa-only'] : ['interface'],
    })),
    ipv4AddressesPerInterface: addresses,
    ipv6AddressesPerInterface: addresses,
    ipv6Supported: true,
    enaSupport: facts.hypervisor === 'xen' ? 'supported' : 'required',
    efaSupported: facts.efaCards.length > 0,
    efaInfo: facts.efaCards.length > 0 ? { maximumEfaInterfaces: facts.efaCards.length } : undefined,
    encryptionInTransitSupported: facts.encryptionInTransit ?? false,
  };
}

function devices({ gpu, accelerator }: InstanceFacts): XmlStructure {
  return {
    gpuInfo: gpu && {
      gpus: [
        {
          name: titled(gpu.name),
          manufacturer: spelled(gpu.manufacturer),
          count: gpu.count,
          memoryInfo: { sizeInMiB: gpu.memoryMiB },
        },
      ],
      totalGpuMemoryInMiB: gpu.memoryMiB * Math.max(gpu.count, 1),
    },
    inferenceAcceleratorInfo: accelerator?.name.startsWith('inferentia')
      ? {
          // Unlike all other lists of EC2.
          accelerators: new NamedList('member', [
            { count: accelerator.count, name: titled(accelerator.name), manufacturer: 'AWS' },
          ]),
        }
      : undefined,
    neuronInfo: accelerator && {
      neuronDevices: [
        {
          count: accelerator.count,
          name: titled(accelerator.name),
          coreInfo: { count: accelerator.coresPerDevice, version: 2 },
        },
      ],
    },
  };
}

function spelled(manufacturer: string): string {
  return MANUFACTURERS[manufacturer] ?? manufacturer;
}

/** The catalogue has names as labels have them: `radeon-pro-v520`. */
function titled(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}
