/** When nodes on EC2 are replaced because of their conditions: Karpenter's own policies. */
import type { RepairPolicy } from '../../../../ports/cloud.js';

const TEN_MINUTES = 600_000;
const THIRTY_MINUTES = 1_800_000;

/** The kubelet's own condition, and those of EKS' node monitoring agent. */
export const REPAIR_POLICIES: readonly RepairPolicy[] = [
  { type: 'Ready', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'Ready', status: 'Unknown', tolerationMillis: THIRTY_MINUTES },
  { type: 'AcceleratedHardwareReady', status: 'False', tolerationMillis: TEN_MINUTES },
  { type: 'StorageReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'NetworkingReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'KernelReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
  { type: 'ContainerRuntimeReady', status: 'False', tolerationMillis: THIRTY_MINUTES },
];
