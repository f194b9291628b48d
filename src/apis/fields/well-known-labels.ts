/** Label keys that Karpenter fills in itself, and the values that some of them can have. */
import {
  ARCH,
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  INSTANCE_TENANCY,
  INSTANCE_TYPE,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
  ZONE_ID,
} from '../../domain/values/labels.js';
import { TENANCIES } from '../../domain/nodes/tenancy.js';

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

/** Values that nodes can have for these keys: without one of them a requirement can never be met. */
export const CHECKED_VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [CAPACITY_TYPE, ['on-demand', 'spot', 'reserved']],
  [ARCH, ['amd64', 'arm64']],
  [OS, ['linux', 'windows']],
  [INSTANCE_TENANCY, TENANCIES],
  [CAPACITY_RESERVATION_TYPE, ['default', 'capacity-block']],
  [CAPACITY_RESERVATION_INTERRUPTIBLE, ['true', 'false']],
]);

/** Keys that every node has: a requirement that allows none of their values is not met by leaving the label out. */
export const ALWAYS_PRESENT: ReadonlySet<string> = new Set([CAPACITY_TYPE, ARCH, OS, INSTANCE_TENANCY]);

/** Labels of nodes that were launched into a capacity reservation; others have none of them. */
export const RESERVATION_LABELS: ReadonlySet<string> = new Set([
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
]);

/** Keys that Karpenter supports and no node of Berth is planned with → what to write in their place. */
export const UNSUPPLIED: ReadonlyMap<string, string> = new Map([
  ['karpenter.k8s.aws/ec2nodeclass', 'spec.template.spec.nodeClassRef decides the node class'],
]);
