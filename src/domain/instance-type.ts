/** Instance types and the offerings under which they can be bought. */
import type { Labels } from './labels.js';
import type { ResourceList } from './resources.js';

export const CAPACITY_TYPES = ['reserved', 'spot', 'on-demand'] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];

/** One way to buy an instance type: zone × capacity type (and reservation). */
export interface Offering {
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** USD/h. */
  readonly price: number;
  /** Estimated from another region or capacity type rather than quoted. */
  readonly estimated: boolean;
  /** false while EC2 is known to be out of it. */
  readonly available: boolean;
}

export interface InstanceType {
  readonly name: string;
  /** `amd64` or `arm64`, as kubernetes.io/arch spells it. */
  readonly arch: string;
  /** Labels every node of this type carries: arch, os, instance-type, region, karpenter.k8s.aws/instance-*. */
  readonly labels: Labels;
  /** What the node reports as capacity: whole vCPUs, memory after the VM's overhead. Pool limits count it. */
  readonly capacity: ResourceList;
  /** What pods can use when nothing in the node class changes it. */
  readonly allocatable: ResourceList;
  readonly offerings: readonly Offering[];
}
