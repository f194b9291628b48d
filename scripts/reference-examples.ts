/** Reasons that have values, as the reference shows them: an example of each, in the words that Berth writes for it. */
import { poolReasonTexts, type CodedText } from '../src/planning/describe-reason.js';
import { describeRefusal, isNews, METHODS } from '../src/planning/disrupt/methods.js';
import type { Reason, ReasonCode } from '../src/planning/reason.js';
import { RULE_TEXTS, type RuleRefusal } from '../src/planning/disrupt/question/refusal.js';
import type { DriftRefusal } from '../src/planning/disrupt/question/drift-hold.js';
import type { ConsolidationRefusal } from '../src/planning/disrupt/sets/consolidation-refusals.js';
import type { UnhealthyRefusal } from '../src/planning/disrupt/methods/unhealthy.js';
import type { ConsolidationTermsRefusal } from '../src/planning/disrupt/methods/consolidation-terms.js';

const GIBIBYTE = 2 ** 30;
const LATER = Date.UTC(2030, 0, 1);
const claim = 'default/data';

type Values<Union extends { readonly code: string }> = {
  readonly [Code in Union['code']]: Omit<Extract<Union, { readonly code: Code }>, 'code'>;
};

const REASON_VALUES: Values<Reason> = {
  NoNodePools: {},
  DynamicResources: {},
  ResourceClaimNotFound: { claim: 'default/shared-gpu' },
  ResourceClaimTemplateNotFound: { template: 'default/one-gpu' },
  ResourceClaimTerminating: { claim: 'default/shared-gpu' },
  DeviceClassNotFound: { claim: 'default/one-gpu', request: 'gpu', deviceClass: 'gpu.nvidia.com' },
  DeviceClaimUnknown: { claim: 'default/one-gpu', part: 'more than 32 devices' },
  DeviceSelector: {
    claim: 'default/one-gpu',
    request: 'gpu',
    expression: 'device.attributes.exists(domain, true)',
    problem: 'must not call exists',
  },
  DevicesUnavailable: {
    claim: 'default/eight-gpus',
    request: 'gpus',
    wanted: 8,
    matching: 4,
    nearestType: 'g5.12xlarge',
  },
  DeviceConstraint: {
    claim: 'default/two-gpus',
    request: 'gpus',
    attribute: 'resource.kubernetes.io/pcieRoot',
  },
  DeviceSearch: { claim: 'default/many-gpus' },
  DevicesElsewhere: { claim: 'default/shared-gpu' },
  GangIncomplete: { gang: 'PodGroup default/train', minimum: 8, existing: 6 },
  GangUnplaceable: { gang: 'PodGroup default/train', minimum: 8, possible: 6 },
  PlanRefuted: { rule: 'topology-spread' },
  NodeClassNotFound: { nodeClass: 'EC2NodeClass default' },
  NodeClassNotReady: { nodeClass: 'EC2NodeClass default', problem: 'no subnet matches' },
  ExcludedTypes: {
    nodeClass: 'EC2NodeClass enclaves',
    setting: 'spec.enclaveOptions.enabled',
    lacks: 'Nitro Enclaves',
    types: ['t3.large', 't3.xlarge'],
  },
  StaticPool: {},
  PoolFrozen: { nodePool: 'general' },
  GroupTooLarge: {},
  LeftOut: {},
  UntoleratedTaint: { taint: { key: 'team', value: 'red', effect: 'NoSchedule' } },
  IncompatibleLabel: {
    key: 'kubernetes.io/arch',
    wanted: 'In [arm64]',
    offered: '[amd64]',
    pool: { kind: 'allow', values: ['arm64'] },
  },
  NoOffering: {
    wanted: 'topology.kubernetes.io/zone In [eu-west-3c], karpenter.sh/capacity-type In [spot]',
    widen: ['topology.kubernetes.io/zone'],
    of: 'pool',
  },
  OutOfStock: { types: ['m7g.large', 'm7g.xlarge'] },
  InsufficientResource: {
    resource: 'memory',
    needed: 600 * GIBIBYTE,
    largest: 500 * GIBIBYTE,
    largestType: 'r7i.16xlarge',
  },
  InsufficientTogether: {
    needed: '60 cpu and 500Gi memory',
    nearestType: 'r7i.16xlarge',
    short: '12Gi memory',
  },
  LimitReached: { resource: 'cpu', limit: 100_000, inUse: 96_000, needed: 8_000 },
  MinValues: { key: 'node.kubernetes.io/instance-type', wanted: 5, available: 3 },
  TopologySpread: {
    key: 'topology.kubernetes.io/zone',
    maxSkew: 1,
    nearest: { domain: 'eu-west-3a', pods: 4 },
    least: { domain: 'eu-west-3c', pods: 2 },
    needed: 3,
  },
  PodAffinity: { key: 'topology.kubernetes.io/zone', matching: ['eu-west-3c'], allow: true },
  PodAntiAffinity: { key: 'topology.kubernetes.io/zone', taken: ['eu-west-3a', 'eu-west-3b'], allow: true },
  HostPortConflict: { port: 9100, daemonSet: 'monitoring/node-exporter' },
  VolumeClaimNotFound: { claim },
  VolumeClaimUnbound: { claim },
  StorageClassNotFound: { claim, storageClass: 'fast' },
  NoDefaultStorageClass: { claim },
  VolumeClaimTerminating: { claim },
  VolumeNotFound: { claim, volume: 'pv-1' },
  VolumeClaimInUse: { claim },
  VolumeLimit: { claim },
  VolumeTopology: { claim, wanted: 'zone In [eu-west-3c]', offered: '[eu-west-3a, eu-west-3b]', allow: true },
  TooComplex: { rules: 5000, most: 4096 },
};

const REASONS = (Object.keys(REASON_VALUES) as ReasonCode[]).map(
  (code) => ({ code, ...REASON_VALUES[code] }) as Reason,
);

const REFUSAL_VALUES: Values<
  RuleRefusal | DriftRefusal | ConsolidationRefusal | ConsolidationTermsRefusal | UnhealthyRefusal
> = {
  NotInitialized: {},
  NodePoolFrozen: { nodePool: 'general', nodeClass: undefined },
  StaticNodePool: { nodePool: 'general' },
  StaticPoolFull: { nodePool: 'general', limit: 3 },
  NoReplica: { nodePool: 'general', why: { code: 'OutOfStock', types: ['m5.large'] } },
  NodeDoNotDisrupt: { until: undefined },
  PodDoNotDisrupt: { pod: 'default/web-1', until: LATER },
  PodOutsideWindows: { pod: 'default/web-1', opens: LATER, problem: undefined },
  PodDisruptionBudget: { pod: 'default/web-1', budget: 'default/web' },
  SeveralPodDisruptionBudgets: { pod: 'default/web-1', budgets: ['default/all', 'default/web'] },
  AwaitsPods: { pod: 'default/web-1' },
  Budget: { nodePool: 'general', total: 40, used: 4, allowed: 4 },
  LoadBudget: { nodePool: 'general', unit: 'pods', used: 18, own: 4, allowed: 20 },
  SurplusNodes: { nodePool: 'general', replicas: 3 },
  NodesMissing: { nodePool: 'general' },
  MinimumNodes: { nodePool: 'general', minimum: 2 },
  Freeze: { nodePool: 'general', until: LATER },
  OutsideWindows: { nodePool: 'general', opens: LATER },
  NoPlace: { pod: 'default/web-1', why: { code: 'LeftOut' } },
  NotLookedAt: {},
  ZonalShift: { zones: ['us-east-1a'] },
  NotEmpty: { nodePool: 'general', pods: 3 },
  TooYoung: { nodePool: 'general', until: LATER },
  UnknownPrice: {},
  NotCheaper: { price: 0.1, replacement: 0.098 },
  SmallSaving: { saving: 0.05, least: 0.2, nodes: 2 },
  MovingCost: { saving: 0.01, movingCost: 0.05, horizonHours: 4 },
  Unbalanced: { nodePool: 'general', score: 0.31 },
  SpotToSpotDisabled: {},
  SpotFlexibility: { cheaper: 9, wanted: 15 },
  ConsolidationDisabled: { nodePool: 'general' },
  NotQuiet: { until: LATER },
  MovedTo: { until: LATER },
  DoNotRepair: {},
  DriftSoaking: { nodePool: 'general', canaries: 2, until: LATER },
  DriftPaused: { nodePool: 'general', target: '3f9c2a1b77d0', why: '2 replacements failed in a row' },
  DriftBackOff: { nodePool: 'general', failures: 2, until: LATER },
};

/** Why a NodePool cannot hold a pod. */
export function poolReasons(): readonly CodedText[] {
  return REASONS.flatMap((reason) => poolReasonTexts({ nodePool: '', reason }));
}

/** Why a node is left alone; `recorded` where users are told of it. */
export interface RefusalExample {
  readonly code: string;
  readonly text: string;
  readonly recorded: boolean;
}

/** @throws Error where a refusal of a method has no example here. */
export function nodeRefusals(): readonly RefusalExample[] {
  const values = new Map<string, object>(Object.entries(REFUSAL_VALUES));
  const texts = [RULE_TEXTS, ...METHODS.flatMap(({ refusals }) => refusals ?? [])];
  const codes = new Set(texts.flatMap(({ words }) => Object.keys(words)));
  return [...codes].map((code) => {
    const example = values.get(code);
    if (example === undefined) throw new Error(`scripts/reference-examples.ts has no example of ${code}`);
    const refusal = { code, ...example };
    return { code, text: describeRefusal(refusal), recorded: isNews(refusal) };
  });
}
