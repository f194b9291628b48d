/** Node repair: how long a node may be in a bad condition before it is replaced, and when so many are bad that none is. */
import type { NodeCondition, ObservedNode } from '../../domain/nodes/observed-node.js';

export interface RepairPolicy {
  readonly type: string;
  readonly status: NodeCondition['status'];
  /** How long it is tolerated before the node is repaired. */
  readonly tolerationMillis: number;
}

const TEN_MINUTES = 600_000;
const THIRTY_MINUTES = 1_800_000;

/** Karpenter's for EC2: the kubelet's own word, and those of EKS' node monitoring agent. */
const REPAIR_POLICIES: readonly RepairPolicy[] = [
  { type: 'Ready', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'Ready', status: 'Unknown', tolerationMillis: THIRTY_MINUTES },
  { type: 'AcceleratedHardwareReady', status: 'False', tolerationMillis: TEN_MINUTES },
  { type: 'StorageReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'NetworkingReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'KernelReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'ContainerRuntimeReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
];

export interface Ailment {
  readonly condition: NodeCondition;
  /** End of its toleration duration, in milliseconds since 1970. */
  readonly until: number;
}

function policyFor(condition: NodeCondition): RepairPolicy | undefined {
  return REPAIR_POLICIES.find(({ type, status }) => type === condition.type && status === condition.status);
}

/**
 * Whether a repair policy calls the node unhealthy now, however short a time it has been so: the brake counts it at once
 * (Karpenter: areNodesHealthy).
 */
export function isUnhealthyNow({ conditions }: ObservedNode): boolean {
  return conditions.some((condition) => policyFor(condition) !== undefined);
}

/** The bad condition whose toleration ends first; undefined for a healthy node. */
export function ailmentOf({ conditions }: ObservedNode): Ailment | undefined {
  let first: Ailment | undefined;
  for (const condition of conditions) {
    const policy = policyFor(condition);
    if (policy === undefined || condition.since === undefined) continue;
    const until = condition.since + policy.tolerationMillis;
    if (first === undefined || until < first.until) first = { condition, until };
  }
  return first;
}
