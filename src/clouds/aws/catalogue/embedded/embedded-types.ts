/** The embedded instance types: the generated rows as facts and us-east-1 prices. */
import { attachmentsOf } from './attachments.js';
import type { DeviceRow, FamilyRow, SizeRow } from './family-row.js';
import type { InstanceFacts } from '../instance-facts.js';
import { FAMILIES } from './instance-types.generated.js';

export interface EmbeddedType {
  readonly facts: InstanceFacts;
  /** USD/h for Linux, on demand, in us-east-1. */
  readonly onDemandPrice: number;
  /** Estimated spot price as a share of the on-demand price; 0 when not sold on spot. */
  readonly spotRatio: number;
}

let types: ReadonlyMap<string, EmbeddedType> | undefined;

/** All embedded types by name, families together, each from small to large. Built when first asked for. */
export function embeddedTypes(): ReadonlyMap<string, EmbeddedType> {
  types ??= new Map(FAMILIES.flatMap((family) => family.sizes.map((size) => embeddedType(family, size))));
  return types;
}

function embeddedType(family: FamilyRow, row: SizeRow): [string, EmbeddedType] {
  const [size, vcpu, memoryMiB, interfaces, addresses, onDemandPrice, ...rest] = row;
  const [network, ebs, branch, disks, clock, efa] = rest;
  const name = `${family.family}.${size}`;
  const facts: InstanceFacts = {
    name,
    arch: family.cpu === 'aws' ? 'arm64' : 'amd64',
    vcpu,
    memoryMiB,
    maxPods: interfaces * (addresses - 1) + 2,
    addressesPerInterface: addresses,
    branchInterfaces: branch,
    efaCards: efaCards(family.family, efa),
    nitroEnclaves: !size.startsWith('metal') && vcpu >= (family.enclavesFrom ?? Infinity),
    ...device(family.device, row),
    localStorageGB: unlessZero(disks),
    networkMbps: unlessZero(network),
    ebsMbps: unlessZero(ebs),
    cpuManufacturer: family.cpu,
    clockMHz: unlessZero(clock),
    hypervisor: size.startsWith('metal') ? '' : family.hypervisor,
    encryptionInTransit: family.encryptionInTransit,
    attachments: attachmentsOf(family.family, family.hypervisor === 'xen', { name: size, vcpu }),
  };
  return [name, { facts, onDemandPrice, spotRatio: family.spotRatio }];
}

function device(kind: DeviceRow | undefined, row: SizeRow): Pick<InstanceFacts, 'gpu' | 'accelerator'> {
  if (!kind) return { gpu: undefined, accelerator: undefined };
  const { name, manufacturer, cores } = kind;
  const [count = 0, memoryMiB = 0] = row.slice(12) as number[];
  if (cores === undefined) return { gpu: { name, manufacturer, count, memoryMiB }, accelerator: undefined };
  return { gpu: undefined, accelerator: { name, manufacturer, count, coresPerDevice: cores } };
}

/** Whose first network card takes no Elastic Fabric Adapter (DescribeInstanceTypes, interfaceTypes of its cards). */
const WITHOUT_EFA_ON_FIRST = 'p6-b300';

function efaCards(family: string, count: number): readonly number[] {
  const first = family === WITHOUT_EFA_ON_FIRST ? 1 : 0;
  return Array.from({ length: count }, (_, index) => first + index);
}

/** The tables write 0 where there is nothing. */
function unlessZero(value: number): number | undefined {
  return value === 0 ? undefined : value;
}
