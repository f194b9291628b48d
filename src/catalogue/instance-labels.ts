/** The labels that nodes of an instance type carry, as Karpenter's AWS provider sets them. */
import { ARCH, INSTANCE_PREFIX, INSTANCE_TYPE, OS, REGION, type Labels } from '../domain/labels.js';
import type { Accelerator, Gpu, InstanceFacts } from './instance-facts.js';
import { parseInstanceName } from './instance-name.js';

type Value = string | number | boolean | undefined;

/**
 * Architecture, system, name, region and `karpenter.k8s.aws/instance-*`; what does not apply or is not known has no label.
 * Zone and capacity type belong to offerings. Tenancy is `default`: dedicated hosts and instances are not launched.
 */
export function instanceLabels(facts: InstanceFacts, region: string): Labels {
  const name = parseInstanceName(facts.name);
  const described: Readonly<Record<string, Value>> = {
    category: name.category,
    family: name.family,
    generation: name.generation,
    size: name.size,
    'capability-flex': name.family?.includes('-flex') ?? false,
    cpu: facts.vcpu,
    'cpu-manufacturer': facts.cpuManufacturer,
    'cpu-sustained-clock-speed-mhz': facts.clockMHz,
    memory: facts.memoryMiB,
    hypervisor: facts.hypervisor,
    'encryption-in-transit-supported': facts.encryptionInTransit,
    'network-bandwidth': facts.networkMbps,
    'ebs-bandwidth': facts.ebsMbps,
    'local-nvme': facts.localStorageGB,
    tenancy: 'default',
    ...gpuLabels(facts.gpu),
    ...acceleratorLabels(facts.accelerator),
  };
  return new Map([
    [ARCH, facts.arch],
    [OS, 'linux'],
    [INSTANCE_TYPE, facts.name],
    [REGION, region],
    ...Object.entries(described).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[INSTANCE_PREFIX + key, String(value)]],
    ),
  ]);
}

function gpuLabels(gpu: Gpu | undefined): Readonly<Record<string, Value>> {
  if (!gpu) return {};
  return {
    'gpu-name': gpu.name,
    'gpu-manufacturer': gpu.manufacturer,
    'gpu-count': gpu.count,
    'gpu-memory': gpu.memoryMiB > 0 ? gpu.memoryMiB : undefined,
  };
}

function acceleratorLabels(accelerator: Accelerator | undefined): Readonly<Record<string, Value>> {
  if (!accelerator) return {};
  return {
    'accelerator-name': accelerator.name,
    'accelerator-manufacturer': accelerator.manufacturer,
    'accelerator-count': accelerator.count,
  };
}
