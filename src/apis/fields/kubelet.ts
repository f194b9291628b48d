/** Settings of the kubelet: in an EC2NodeClass since v1, in the pool before. */
import * as z from 'zod';
import type { AmiFamily, KubeletSettings } from '../../domain/policies/node-class.js';
import { nearest } from '../decode/nearest.js';
import { amountError, amounts, checkNames, resourceListOf, textAmounts } from './amount.js';
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
  maxPods: z
    .int()
    .min(0)
    .describe(
      'Maximum number of pods on a node. Default: as the network interfaces of the instance type allow.',
    )
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

const textReserved = {
  systemReserved: textAmounts(
    RESERVABLE,
    `${RESERVED} the operating system: cpu, memory, ephemeral-storage, pid. Default: none.`,
  ).optional(),
  kubeReserved: textAmounts(
    RESERVABLE,
    `${RESERVED} Kubernetes' own daemons: cpu, memory, ephemeral-storage, pid. What is not named follows EKS' curve over CPU and pods.`,
  ).optional(),
};

const KUBELET = 'Settings of the kubelet on new nodes. They determine the allocatable resources.';

/** kubelet of karpenter.k8s.aws/v1. Fields that are not listed are handed to the kubelet as they are. */
export const kubeletV1 = withRule(z.looseObject({ ...common, ...textReserved }), checkKubelet).describe(
  `${KUBELET} Nodes of AL2023 take any other field of KubeletConfiguration, too; other families do not, and Bottlerocket has no podsPerCore.`,
);

/** kubelet in a NodePool of karpenter.sh/v1beta1. */
export const kubeletV1Beta1 = withRule(z.strictObject({ ...common, ...textReserved }), checkKubelet).describe(
  KUBELET,
);

function reservedNames(value: Readonly<Record<string, unknown>>, context: RuleContext): void {
  checkNames(value, RESERVABLE, context);
}

/** kubeletConfiguration of a Provisioner. */
export const kubeletV1Alpha5 = withRule(
  z.strictObject({
    ...common,
    systemReserved: amounts(`${RESERVED} the operating system.`).superRefine(reservedNames).optional(),
    kubeReserved: amounts(`${RESERVED} Kubernetes' own daemons.`).superRefine(reservedNames).optional(),
    containerRuntime: z.string().describe('Ignored: every node runs containerd.').optional(),
  }),
  checkKubelet,
).describe(KUBELET);

/** Known settings of a kubelet, and whatever else was written. */
export type KubeletDocument = z.output<typeof kubeletV1>;

/** Names of the settings that are checked. */
export const KUBELET_FIELDS: readonly string[] = Object.keys({ ...common, ...textReserved });

/** Families whose user data hands on one address of a DNS server. */
const ONE_DNS_SERVER: readonly AmiFamily[] = ['AL2', 'Windows2019', 'Windows2022', 'Windows2025'];

/** Names of the settings that nodes of the family take; undefined: all that a KubeletConfiguration has. */
function fieldsOf(family: AmiFamily): readonly string[] | undefined {
  // Custom images get their user data as it is written: what it does with the settings is not known.
  if (family === 'AL2023' || family === 'Custom') return undefined;
  return family === 'Bottlerocket' ? KUBELET_FIELDS.filter((name) => name !== 'podsPerCore') : KUBELET_FIELDS;
}

/** Refuses what user data of the family cannot carry, as Karpenter does (UnsupportedKubeletConfiguration). */
export function checkFamilyKubelet(kubelet: Loose, family: AmiFamily, context: RuleContext): void {
  const allowed = fieldsOf(family);
  for (const field of Object.keys(kubelet)) {
    if (kubelet[field] === undefined || allowed === undefined || allowed.includes(field)) continue;
    refuse(context, `is not supported by nodes of ${family}`, {
      path: ['kubelet', field],
      code: 'unsupported',
      allowed,
      guess: nearest(field, allowed),
      at: 'key',
    });
  }
  const { clusterDNS } = kubelet;
  if (!Array.isArray(clusterDNS) || clusterDNS.length < 2 || !ONE_DNS_SERVER.includes(family)) return;
  refuse(context, `may have one address on nodes of ${family}, not ${String(clusterDNS.length)}`, {
    path: ['kubelet', 'clusterDNS'],
    code: 'unsupported',
  });
}

/** The settings without those that nodes of the family do not take: older versions left them out without a word. */
export function supportedKubelet(
  kubelet: Readonly<Record<string, unknown>>,
  family: AmiFamily,
): Readonly<Record<string, unknown>> {
  const allowed = fieldsOf(family);
  const kept = Object.entries(kubelet).filter(([field]) => allowed?.includes(field) ?? true);
  return Object.fromEntries(
    kept.map(([field, value]) =>
      field === 'clusterDNS' && Array.isArray(value) && ONE_DNS_SERVER.includes(family)
        ? [field, value.slice(0, 1)]
        : [field, value],
    ),
  );
}

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

/** The settings that change what a node can hold. */
export function kubeletSettings(kubelet: KubeletDocument | undefined): KubeletSettings {
  const { maxPods, podsPerCore, systemReserved, kubeReserved, evictionHard } = kubelet ?? {};
  return {
    maxPods,
    podsPerCore,
    systemReserved: resourceListOf(systemReserved ?? {}),
    kubeReserved: kubeReserved && resourceListOf(kubeReserved),
    evictionHard: new Map(Object.entries(evictionHard ?? {})),
  };
}
