/** Which conditions of nodes call for repair on EKS: the kubelet's own, and those of EKS' node monitoring agent (Karpenter 1.15.1). */
import { specificFirst, type RepairPolicy } from '../../../domain/policies/repair-policy.js';

type Tolerated = Pick<RepairPolicy, 'tolerationSeconds' | 'terminationGracePeriodSeconds'>;

const SOME_TIME: Tolerated = { tolerationSeconds: 1800, terminationGracePeriodSeconds: 600 };
const SHORT: Tolerated = { tolerationSeconds: 600, terminationGracePeriodSeconds: 300 };

/** NVIDIA's codes of errors that a GPU does not recover from by itself. */
const XIDS = [46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158];

function policy(
  [conditionType, conditionStatus]: readonly [string, RepairPolicy['conditionStatus']],
  tolerated: Tolerated,
  reasons?: readonly string[],
): RepairPolicy {
  return { conditionType, conditionStatus, reasons, ...tolerated, priority: 0 };
}

export const REPAIR_POLICIES: readonly RepairPolicy[] = specificFirst([
  policy(['Ready', 'False'], SOME_TIME),
  policy(['Ready', 'Unknown'], SOME_TIME),
  policy(
    ['AcceleratedHardwareReady', 'False'],
    SHORT,
    XIDS.map((code) => `NvidiaXID${String(code)}Error`),
  ),
  policy(['AcceleratedHardwareReady', 'False'], SOME_TIME),
  policy(['StorageReady', 'False'], SOME_TIME),
  policy(['NetworkingReady', 'False'], SOME_TIME),
  policy(['KernelReady', 'False'], SOME_TIME),
  policy(['ContainerRuntimeReady', 'False'], SOME_TIME),
]);
