/** Label keys that Karpenter fills in itself, and the values that some of them can have. */
import {
  ARCH,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
  ZONE_ID,
} from '../../domain/labels.js';

const AWS_SUFFIXES = [
  'instance-hypervisor',
  'instance-encryption-in-transit-supported',
  'instance-category',
  'instance-capability-flex',
  'instance-family',
  'instance-generation',
  'instance-local-nvme',
  'instance-size',
  'instance-cpu',
  'instance-cpu-manufacturer',
  'instance-cpu-sustained-clock-speed-mhz',
  'instance-memory',
  'instance-ebs-bandwidth',
  'instance-network-bandwidth',
  'instance-gpu-name',
  'instance-gpu-manufacturer',
  'instance-gpu-count',
  'instance-gpu-memory',
  'instance-accelerator-name',
  'instance-accelerator-manufacturer',
  'instance-accelerator-count',
  'instance-tenancy',
  'capacity-reservation-id',
  'capacity-reservation-type',
  'capacity-reservation-interruptible',
  'placement-group-id',
  'placement-group-partition',
  'ec2nodeclass',
];

/** Keys of the domain karpenter.k8s.aws that users may name; every other is reserved. */
export const AWS_LABELS: readonly string[] = AWS_SUFFIXES.map((suffix) => `karpenter.k8s.aws/${suffix}`);

/** All keys with a meaning that a NodePool may use. */
export const WELL_KNOWN_LABELS: readonly string[] = [
  CAPACITY_TYPE,
  ARCH,
  OS,
  ZONE,
  REGION,
  INSTANCE_TYPE,
  WINDOWS_BUILD,
  ZONE_ID,
  ...AWS_LABELS,
];

/** Values of keys that Karpenter checks: without one of them a requirement can never be met. */
export const CHECKED_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  [CAPACITY_TYPE, ['on-demand', 'spot', 'reserved']],
  ['karpenter.k8s.aws/instance-tenancy', ['default', 'dedicated']],
]);

/** Values of keys that nobody checks, though others match no machine of AWS. */
export const USUAL_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  [ARCH, ['amd64', 'arm64']],
  [OS, ['linux', 'windows']],
]);
