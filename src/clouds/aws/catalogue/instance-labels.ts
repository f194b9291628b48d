/** The labels that nodes of an instance type carry, as Karpenter's AWS provider sets them. */
import {
  ARCH,
  INSTANCE_PREFIX,
  INSTANCE_TYPE,
  type Labels,
  OS,
  REGION,
} from '../../../domain/values/labels.js';
import type { InstanceFacts } from './instance-facts.js';

/**
 * Architecture, system, name, region and `karpenter.k8s.aws/instance-*`; what does not apply or is not known has no label.
 * Zone and capacity type belong to offerings. Tenancy is `default`: that of dedicated instances is a matter of NodePools and pods.
 */
export function instanceLabels(facts: InstanceFacts, region: string): Labels {
  const name = parseInstanceName(facts.name);
  const labels = new Map<string, string>();
  labels.set(ARCH, facts.arch);
  labels.set(OS, 'linux');
  labels.set(INSTANCE_TYPE, facts.name);
  labels.set(REGION, region);
  enter(labels, 'category', name.category);
  enter(labels, 'family', name.family);
  enter(labels, 'generation', name.generation);
  enter(labels, 'size', name.size);
  enter(labels, 'capability-flex', name.family?.includes('-flex') ?? false);
  enter(labels, 'cpu', facts.vcpu);
  enter(labels, 'cpu-manufacturer', facts.cpuManufacturer);
  enter(labels, 'cpu-sustained-clock-speed-mhz', facts.clockMHz);
  enter(labels, 'memory', facts.memoryMiB);
  enter(labels, 'hypervisor', facts.hypervisor);
  enter(labels, 'encryption-in-transit-supported', facts.encryptionInTransit);
  enter(labels, 'network-bandwidth', facts.networkMbps);
  enter(labels, 'ebs-bandwidth', facts.ebsMbps);
  enter(labels, 'local-nvme', facts.localStorageGB);
  enter(labels, 'tenancy', 'default');
  const { gpu, accelerator } = facts;
  if (gpu) {
    enter(labels, 'gpu-name', gpu.name);
    enter(labels, 'gpu-manufacturer', gpu.manufacturer);
    enter(labels, 'gpu-count', gpu.count);
    enter(labels, 'gpu-memory', gpu.memoryMiB > 0 ? gpu.memoryMiB : undefined);
  }
  if (accelerator) {
    enter(labels, 'accelerator-name', accelerator.name);
    enter(labels, 'accelerator-manufacturer', accelerator.manufacturer);
    enter(labels, 'accelerator-count', accelerator.count);
  }
  return labels;
}

function enter(
  labels: Map<string, string>,
  key: keyof typeof KEYS,
  value: string | number | boolean | undefined,
): void {
  if (value !== undefined) labels.set(KEYS[key], String(value));
}

/** Keys put together once: strings joined for each type would be hashed again for each. */
const KEYS = {
  category: `${INSTANCE_PREFIX}category`,
  family: `${INSTANCE_PREFIX}family`,
  generation: `${INSTANCE_PREFIX}generation`,
  size: `${INSTANCE_PREFIX}size`,
  'capability-flex': `${INSTANCE_PREFIX}capability-flex`,
  cpu: `${INSTANCE_PREFIX}cpu`,
  'cpu-manufacturer': `${INSTANCE_PREFIX}cpu-manufacturer`,
  'cpu-sustained-clock-speed-mhz': `${INSTANCE_PREFIX}cpu-sustained-clock-speed-mhz`,
  memory: `${INSTANCE_PREFIX}memory`,
  hypervisor: `${INSTANCE_PREFIX}hypervisor`,
  'encryption-in-transit-supported': `${INSTANCE_PREFIX}encryption-in-transit-supported`,
  'network-bandwidth': `${INSTANCE_PREFIX}network-bandwidth`,
  'ebs-bandwidth': `${INSTANCE_PREFIX}ebs-bandwidth`,
  'local-nvme': `${INSTANCE_PREFIX}local-nvme`,
  tenancy: `${INSTANCE_PREFIX}tenancy`,
  'gpu-name': `${INSTANCE_PREFIX}gpu-name`,
  'gpu-manufacturer': `${INSTANCE_PREFIX}gpu-manufacturer`,
  'gpu-count': `${INSTANCE_PREFIX}gpu-count`,
  'gpu-memory': `${INSTANCE_PREFIX}gpu-memory`,
  'accelerator-name': `${INSTANCE_PREFIX}accelerator-name`,
  'accelerator-manufacturer': `${INSTANCE_PREFIX}accelerator-manufacturer`,
  'accelerator-count': `${INSTANCE_PREFIX}accelerator-count`,
};

// What the name of an instance type says: `m7gd.4xlarge` is category m, generation 7, family m7gd, size 4xlarge.

interface InstanceName {
  readonly family: string | undefined;
  readonly size: string | undefined;
  readonly category: string | undefined;
  readonly generation: number | undefined;
}

/** Reads a name as Karpenter does; u-6tb1 is generation 1, u7i-12tb generation 7. What does not look like one has no parts. */
export function parseInstanceName(name: string): InstanceName {
  const [family, size, ...rest] = name.split('.');
  const scheme = /^([a-z]+)(?:-\d+tb)?(\d+).*\./.exec(name);
  const whole = family !== undefined && size !== undefined && rest.length === 0;
  return {
    family: whole ? family : undefined,
    size: whole ? size : undefined,
    category: scheme?.[1],
    generation: scheme ? Number(scheme[2]) : undefined,
  };
}
