/** Settings of the kubelet: in the node class since v1, in the pool before. */
import * as z from 'zod';
import {
  amountError,
  amounts,
  amountsOrExpressions,
  checkNames,
  MOST_CHARACTERS,
  textAmounts,
} from './amount.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];

type TextMap = z.ZodType<Record<string, string>, Record<string, string>>;

function thresholds(description: string): TextMap {
  return withRule(z.record(z.string(), z.string()), (value, context) => {
    checkNames(value, SIGNALS, context);
    for (const [signal, text] of Object.entries(value)) {
      const wrong = typeof text === 'string' ? thresholdError(text) : undefined;
      if (wrong !== undefined) refuse(context, wrong, { path: [signal] });
    }
  }).describe(description);
}

function thresholdError(text: string): string | undefined {
  if (!text.endsWith('%')) return amountError('memory', text);
  const percent = /^\d{1,3}(?:\.\d{1,2})?%$/.test(text) ? Number.parseFloat(text) : NaN;
  return percent <= 100
    ? undefined
    : `must be a quantity or a percentage from 0% to 100%, not ${JSON.stringify(text.slice(0, 40))}`;
}

const GO_DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;

const gracePeriods = z
  .record(z.string(), z.string().regex(GO_DURATION, 'must be a duration such as 1m30s'))
  .superRefine((value, context) => {
    checkNames(value, SIGNALS, context);
  })
  .describe('How long each soft eviction threshold may be crossed before pods are evicted, per signal.');

const RESERVED = 'Resources kept from pods for';
const percent = (description: string): z.ZodType<number, number> =>
  z.int().min(0).max(100).describe(description);

const common = {
  clusterDNS: z
    .array(z.string())
    .describe('Addresses of the cluster DNS servers. Default: found by the bootstrap script.')
    .optional(),
  podsPerCore: z
    .int()
    .min(0)
    .describe('Maximum number of pods per vCPU, in addition to maxPods. Default: no limit.')
    .optional(),
  evictionHard: thresholds(
    'Quantity or percentage per signal below which the kubelet evicts pods at once; memory and storage are kept from pods. Default: memory.available 100Mi, nodefs.available 10%.',
  ).optional(),
  evictionSoft: thresholds(
    'Quantity or percentage per signal below which the kubelet evicts pods after a grace period. Default: none.',
  ).optional(),
  evictionSoftGracePeriod: gracePeriods.optional(),
  evictionMaxPodGracePeriod: z
    .int()
    .describe('Maximum termination grace period in seconds of pods evicted for a soft threshold.')
    .optional(),
  imageGCHighThresholdPercent: percent(
    'Use of the disk, in percent, above which unused images are removed. Default: 85.',
  ).optional(),
  imageGCLowThresholdPercent: percent(
    'Use of the disk, in percent, at which the removal of images stops; below the high threshold. Default: 80.',
  ).optional(),
  cpuCFSQuota: z
    .boolean()
    .describe('Whether CPU limits of containers are enforced by quota. Default: true.')
    .optional(),
};

const MAX_PODS = 'Maximum number of pods on a node';
const MAX_PODS_DEFAULT = 'Default: as the network interfaces of the instance type allow.';
const mostPods = z.int().min(0);
const maxPods = mostPods.describe(`${MAX_PODS}. ${MAX_PODS_DEFAULT}`).optional();

const SYSTEM = 'the operating system: cpu, memory, ephemeral-storage, pid';
const KUBE = "Kubernetes' own daemons: cpu, memory, ephemeral-storage, pid";
const EXPRESSION = 'A CEL expression counts millicores, MiB, GiB or processes.';
/** What may be an expression, too. */
const computed = {
  maxPods: z
    .union([mostPods, z.string().min(1).max(MOST_CHARACTERS)], {
      error: 'must be a number of pods from 0, or a CEL expression such as min(110, max_pods)',
    })
    .describe(`${MAX_PODS}, or a CEL expression such as min(110, max_pods). ${MAX_PODS_DEFAULT}`)
    .optional(),
  systemReserved: amountsOrExpressions(
    RESERVABLE,
    `${RESERVED} ${SYSTEM}. ${EXPRESSION} Default: none.`,
  ).optional(),
  kubeReserved: amountsOrExpressions(
    RESERVABLE,
    `${RESERVED} ${KUBE}. ${EXPRESSION} What is not named follows the image's own curve over CPU and pods.`,
  ).optional(),
};

const textReserved = {
  systemReserved: textAmounts(RESERVABLE, `${RESERVED} ${SYSTEM}. Default: none.`).optional(),
  kubeReserved: textAmounts(
    RESERVABLE,
    `${RESERVED} ${KUBE}. What is not named follows the image's own curve over CPU and pods.`,
  ).optional(),
};

const KUBELET = 'Settings of the kubelet on new nodes. They determine the allocatable resources.';

/** kubelet of a node class. Fields that are not listed are handed to the kubelet as they are. */
export const kubeletV1 = withRule(z.looseObject({ ...common, ...computed }), checkKubelet).describe(KUBELET);

/** kubelet in a NodePool of karpenter.sh/v1beta1. */
export const kubeletV1Beta1 = withRule(
  z.strictObject({ ...common, maxPods, ...textReserved }),
  checkKubelet,
).describe(KUBELET);

function reservedNames(value: Readonly<Record<string, unknown>>, context: RuleContext): void {
  checkNames(value, RESERVABLE, context);
}

/** kubeletConfiguration of a Provisioner. */
export const kubeletV1Alpha5 = withRule(
  z.strictObject({
    ...common,
    maxPods,
    systemReserved: amounts(`${RESERVED} the operating system.`).superRefine(reservedNames).optional(),
    kubeReserved: amounts(`${RESERVED} Kubernetes' own daemons.`).superRefine(reservedNames).optional(),
    containerRuntime: z.string().describe('Ignored: every node runs containerd.').optional(),
  }),
  checkKubelet,
).describe(KUBELET);

/** Known settings of a kubelet, and whatever else was written. */
export type KubeletDocument = z.output<typeof kubeletV1>;

/** Names of the settings that are checked. */
export const KUBELET_FIELDS: readonly string[] = Object.keys({ ...common, ...computed });

function checkKubelet(value: Loose, context: RuleContext): void {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = value;
  if (typeof high === 'number' && typeof low === 'number' && high <= low) {
    refuse(context, `must be greater than imageGCLowThresholdPercent (${String(low)}), not ${String(high)}`, {
      path: ['imageGCHighThresholdPercent'],
    });
  }
  checkPairs(value, ['evictionSoft', 'evictionSoftGracePeriod'], context);
  checkPairs(value, ['evictionSoftGracePeriod', 'evictionSoft'], context);
}

function checkPairs(value: Loose, [field, other]: readonly [string, string], context: RuleContext): void {
  for (const signal of keysOf(value[field])) {
    if (!keysOf(value[other]).includes(signal))
      refuse(context, `needs an entry in ${other} too`, {
        path: [field, signal],
        code: 'missing-field',
        at: 'key',
      });
  }
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
