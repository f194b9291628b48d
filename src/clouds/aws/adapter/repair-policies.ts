/** Which conditions of nodes call for repair on EKS: the kubelet's own, and those of EKS' node monitoring agent (Karpenter 1.15.1). */
import {
  specificFirst,
  type RepairAction,
  type RepairPolicy,
} from '../../../domain/policies/repair-policy.js';

type Tolerated = Pick<RepairPolicy, 'tolerationSeconds' | 'terminationGracePeriodSeconds'>;

const SOME_TIME: Tolerated = { tolerationSeconds: 1800, terminationGracePeriodSeconds: 600 };
const SHORT: Tolerated = { tolerationSeconds: 600, terminationGracePeriodSeconds: 300 };

/** NVIDIA's codes of errors that a GPU does not recover from by itself: those that a reboot may cure, and the others. */
const REBOOT_XIDS = [46, 48, 54, 62, 63, 95, 109, 110, 136, 140, 143, 155, 156, 158];
const REPLACE_XIDS = [64, 74, 79, 119, 120];

function policy(
  [conditionType, conditionStatus]: readonly [string, RepairPolicy['conditionStatus']],
  tolerated: Tolerated,
  {
    reasons,
    action = 'Replace',
  }: { readonly reasons?: readonly string[]; readonly action?: RepairAction } = {},
): RepairPolicy {
  return { conditionType, conditionStatus, reasons, ...tolerated, priority: 0, action };
}

function reasonsOf(xids: readonly number[]): readonly string[] {
  return xids.map((code) => `NvidiaXID${String(code)}Error`);
}

/** `reboots`: whether nodes are rebooted for errors that a reboot may cure (Karpenter: RebootForRepair). */
export function repairPolicies(reboots: boolean): readonly RepairPolicy[] {
  const action = reboots ? 'Reboot' : 'Replace';
  return specificFirst([
    policy(['Ready', 'False'], SOME_TIME),
    policy(['Ready', 'Unknown'], SOME_TIME),
    policy(['AcceleratedHardwareReady', 'False'], SHORT, { reasons: reasonsOf(REBOOT_XIDS), action }),
    policy(['AcceleratedHardwareReady', 'False'], SHORT, { reasons: reasonsOf(REPLACE_XIDS) }),
    policy(['AcceleratedHardwareReady', 'False'], SOME_TIME),
    policy(['StorageReady', 'False'], SOME_TIME),
    policy(['NetworkingReady', 'False'], SOME_TIME),
    policy(['KernelReady', 'False'], SOME_TIME),
    policy(['ContainerRuntimeReady', 'False'], SOME_TIME),
  ]);
}
