/** Existing nodes for tests. */
import { CAPACITY_TYPE, HOSTNAME, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import type { CapacityType, InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import { instanceType, ZONE_A } from './instance-type.js';
import { amounts, labels, type LabelRecord, type Quantities } from './pod.js';

export interface NodeOverrides extends Partial<
  Omit<Node, 'labels' | 'allocatable' | 'capacity' | 'volumeLimits' | 'declaredFeatures'>
> {
  /** What the node is made of; labels, allocatable and capacity follow. m5.large when not given. */
  readonly type?: InstanceType;
  readonly zone?: string;
  readonly capacityType?: CapacityType;
  /** Pool that launched it; none by default. */
  readonly nodePool?: string;
  readonly labels?: LabelRecord;
  /** Replaces single amounts of the type's allocatable. */
  readonly allocatable?: Quantities;
  readonly volumeLimits?: Readonly<Record<string, number>>;
  readonly declaredFeatures?: readonly string[];
}

/** A Ready node `node` in zone a, on-demand, m5.large, of no pool. */
export function node(overrides: NodeOverrides = {}): Node {
  const { name = 'node', type = instanceType(), zone = ZONE_A, declaredFeatures } = overrides;
  return {
    name,
    labels: new Map([...type.labels, ...labels(nodeLabels(name, zone, overrides))]),
    taints: overrides.taints ?? [],
    unschedulable: overrides.unschedulable ?? false,
    allocatable: new Map([...type.allocatable, ...amounts(overrides.allocatable ?? {})]),
    capacity: type.capacity,
    providerID: overrides.providerID ?? `aws:///${zone}/i-${name}`,
    volumeLimits: new Map(Object.entries(overrides.volumeLimits ?? {})),
    ...(overrides.devices && { devices: overrides.devices }),
    declaredFeatures: declaredFeatures && new Set(declaredFeatures),
  };
}

function nodeLabels(name: string, zone: string, overrides: NodeOverrides): LabelRecord {
  const { capacityType = 'on-demand', nodePool } = overrides;
  return {
    [HOSTNAME]: name,
    [ZONE]: zone,
    [CAPACITY_TYPE]: capacityType,
    ...(nodePool === undefined ? {} : { [NODEPOOL]: nodePool }),
    ...overrides.labels,
  };
}
