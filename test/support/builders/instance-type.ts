/** Instance types for tests, and a small catalogue of real-looking ones over three zones. */
import * as label from '../../../src/domain/values/labels.js';
import type { CapacityType, InstanceType, Offering } from '../../../src/domain/nodes/instance-type.js';
import { amounts, labels, type LabelRecord, type Quantities } from './pod.js';

export const REGION = 'us-east-1';
export const ZONE_A = 'us-east-1a';
export const ZONE_B = 'us-east-1b';
export const ZONE_C = 'us-east-1c';
export const ZONES: readonly string[] = [ZONE_A, ZONE_B, ZONE_C];
/** What a type keeps back of its capacity for the system. */
const RESERVED = { cpuMilli: 80, memoryMiB: 400 };
const SPOT_FACTOR = 0.4;
const DEDICATED_FACTOR = 1.06;

export interface InstanceTypeOverrides {
  /** `<family>.<size>`; the labels instance-family, -size, -category and -generation follow from it. */
  readonly name?: string;
  readonly arch?: string;
  /** Whole vCPUs of capacity; 80m less are allocatable. */
  readonly vcpu?: number;
  /** MiB of capacity; 400 less are allocatable. */
  readonly memoryMiB?: number;
  readonly maxPods?: number;
  /** Count of nvidia.com/gpu. */
  readonly gpus?: number;
  /** On-demand USD/h. */
  readonly price?: number;
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
  /** Instead of zones × capacity types at `price`, spot at 0.4 of it. */
  readonly offerings?: readonly Offering[];
  /** Added to the labels. */
  readonly labels?: LabelRecord;
  /** Added to allocatable and capacity. */
  readonly resources?: Quantities;
  /** GPUs that a DRA driver publishes on its nodes; none unless given. */
  readonly devices?: InstanceType['devices'];
  /** CSI driver → how many volumes; not known unless given. */
  readonly volumeLimits?: Readonly<Record<string, number>>;
}

export function offering(overrides: Partial<Offering> = {}): Offering {
  return {
    zone: ZONE_A,
    capacityType: 'on-demand',
    price: 0.1,
    estimated: false,
    available: true,
    ...overrides,
  };
}

/** m5.large unless said otherwise: 2 vCPU, 8 GiB, 29 pods, USD 0.096, three zones, spot and on-demand. */
export function instanceType(overrides: InstanceTypeOverrides = {}): InstanceType {
  const { name = 'm5.large', arch = 'amd64', vcpu = 2, memoryMiB = 8192, maxPods = 29, gpus = 0 } = overrides;
  const extra = { ...(gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {}), ...overrides.resources };
  const common = { pods: String(maxPods), 'ephemeral-storage': '17Gi', ...extra };
  return {
    name,
    arch,
    labels: labels({ ...typeLabels(name, arch, vcpu, memoryMiB), ...overrides.labels }),
    capacity: amounts({ ...common, cpu: String(vcpu), memory: `${String(memoryMiB)}Mi` }),
    allocatable: amounts({
      ...common,
      cpu: `${String(vcpu * 1000 - RESERVED.cpuMilli)}m`,
      memory: `${String(memoryMiB - RESERVED.memoryMiB)}Mi`,
    }),
    ...(overrides.devices && { devices: overrides.devices }),
    ...(overrides.volumeLimits && { volumeLimits: new Map(Object.entries(overrides.volumeLimits)) }),
    offerings: overrides.offerings ?? offerings(overrides),
  };
}

function offerings(overrides: InstanceTypeOverrides): readonly Offering[] {
  const { price = 0.096, zones = ZONES, capacityTypes = ['on-demand', 'spot'] } = overrides;
  return zones.flatMap((zone) =>
    capacityTypes.map((capacityType) =>
      offering({ zone, capacityType, price: capacityType === 'spot' ? price * SPOT_FACTOR : price }),
    ),
  );
}

function typeLabels(name: string, arch: string, vcpu: number, memoryMiB: number): LabelRecord {
  const [family = name, size = ''] = name.split('.');
  const [, category = family, generation = ''] = /^([a-z]+)(\d*)/.exec(family) ?? [];
  return {
    [label.ARCH]: arch,
    [label.OS]: 'linux',
    [label.REGION]: REGION,
    [label.INSTANCE_TYPE]: name,
    [`${label.INSTANCE_PREFIX}category`]: category,
    [`${label.INSTANCE_PREFIX}family`]: family,
    [`${label.INSTANCE_PREFIX}generation`]: generation,
    [`${label.INSTANCE_PREFIX}size`]: size,
    [`${label.INSTANCE_PREFIX}cpu`]: String(vcpu),
    [`${label.INSTANCE_PREFIX}memory`]: String(memoryMiB),
  };
}

/** Size → vCPUs. */
const SIZES: Readonly<Record<string, number>> = { large: 2, xlarge: 4, '2xlarge': 8, '4xlarge': 16 };
/** Family → arch, GiB per vCPU, USD/h per vCPU. */
const FAMILIES: readonly (readonly [string, string, number, number])[] = [
  ['c6i', 'amd64', 2, 0.0425],
  ['m6i', 'amd64', 4, 0.048],
  ['r6i', 'amd64', 8, 0.063],
  ['c7g', 'arm64', 2, 0.0363],
  ['m7g', 'arm64', 4, 0.0408],
];

/** 22 types: c6i, m6i, r6i, c7g, m7g from large to 4xlarge, and g5.xlarge and g5.12xlarge with 1 and 4 GPUs. */
export function smallCatalogue(): readonly InstanceType[] {
  const general = FAMILIES.flatMap(([family, arch, ratio, price]) =>
    Object.entries(SIZES).map(([size, vcpu]) =>
      instanceType({
        name: `${family}.${size}`,
        arch,
        vcpu,
        memoryMiB: vcpu * ratio * 1024,
        maxPods: vcpu <= 2 ? 29 : 58,
        price: Number((vcpu * price).toFixed(4)),
      }),
    ),
  );
  const gpu = {
    'karpenter.k8s.aws/instance-gpu-name': 'a10g',
    'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia',
  };
  return [
    ...general,
    instanceType({
      name: 'g5.xlarge',
      vcpu: 4,
      memoryMiB: 16384,
      maxPods: 58,
      gpus: 1,
      price: 1.006,
      labels: { ...gpu, 'karpenter.k8s.aws/instance-gpu-count': '1' },
    }),
    instanceType({
      name: 'g5.12xlarge',
      vcpu: 48,
      memoryMiB: 196608,
      maxPods: 234,
      gpus: 4,
      price: 5.672,
      labels: { ...gpu, 'karpenter.k8s.aws/instance-gpu-count': '4' },
    }),
  ];
}

/** The types with the label of the tenancy; as dedicated instances they cost 6 % more. */
export function ofTenancy(
  types: readonly InstanceType[],
  tenancy: 'default' | 'dedicated',
): readonly InstanceType[] {
  return types.map((type) => ({
    ...type,
    labels: new Map([...type.labels, [label.INSTANCE_TENANCY, tenancy]]),
    offerings: type.offerings.map((each) => ({
      ...each,
      price: tenancy === 'dedicated' ? Number((each.price * DEDICATED_FACTOR).toFixed(6)) : each.price,
    })),
  }));
}
