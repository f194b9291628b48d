/** The order of a pod's reasons: the pool that needs the smallest change comes first. */
import type { PoolReason } from '../plan.js';
import type { LimitReached, Reason, ReasonCode } from '../reason.js';

/** Labels that Kubernetes, Karpenter or a cloud give a meaning; a pool cannot label its nodes otherwise. */
const GIVEN = /^([^/]*\.)?(kubernetes\.io|k8s\.io|karpenter\.sh|k8s\.aws)\//;

/** Whether Kubernetes, Karpenter or a cloud decide what nodes have of the label. */
export function isGivenLabel(key: string): boolean {
  return GIVEN.test(key);
}

type Efforts = { readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>) => number };

const RULE = 2;
const KEPT_FOR_OTHERS = 10;
const NOTHING_FOR_PODS = 20;
const rule = (): number => RULE;

/**
 * How large the change is, as a number to compare: about 1 for an amount, 2 for a rule or a value, 10 for a label or taint
 * by which the pool is kept for others, 20 where the pool cannot launch for pods at all.
 */
const EFFORT: Efforts = {
  OutOfStock: () => 0.2,
  LeftOut: () => 0.5,
  GangIncomplete: () => 0.5,
  GangUnplaceable: () => 0.5,
  MinValues: () => 1,
  InsufficientResource: ({ needed, largest }) => 1 + (needed - Math.max(0, largest)) / Math.max(1, needed),
  LimitReached: (reason) => 1 + bounded(shortfall(reason)),
  HostPortConflict: () => 1.5,
  TopologySpread: () => 1.5,
  InsufficientTogether: rule,
  PlanRefuted: rule,
  TooComplex: rule,
  GroupTooLarge: rule,
  PodAffinity: rule,
  PodAntiAffinity: rule,
  DynamicResources: rule,
  ResourceClaimNotFound: rule,
  ResourceClaimTemplateNotFound: rule,
  ResourceClaimTerminating: rule,
  DeviceClassNotFound: rule,
  DeviceClaimUnknown: rule,
  DeviceSelector: rule,
  DevicesUnavailable: ({ wanted, matching }) => 1 + (wanted - matching) / Math.max(1, wanted),
  DeviceConstraint: rule,
  DeviceSearch: rule,
  DevicesElsewhere: rule,
  VolumeClaimNotFound: rule,
  VolumeClaimUnbound: rule,
  StorageClassNotFound: rule,
  NoDefaultStorageClass: rule,
  VolumeClaimTerminating: rule,
  VolumeNotFound: rule,
  VolumeClaimInUse: rule,
  VolumeLimit: rule,
  VolumeTopology: rule,
  NoOffering: ({ widen = [] }) => (widen.length > 0 ? RULE + 1 : 3 * RULE),
  ExcludedTypes: rule,
  NodeClassNotReady: () => 2 * RULE,
  PoolFrozen: () => 2 * RULE,
  IncompatibleLabel: ({ key, pool }) => {
    if (!isGivenLabel(key)) return KEPT_FOR_OTHERS;
    return pool === undefined ? RULE + 1 : RULE;
  },
  UntoleratedTaint: ({ others = [] }) => KEPT_FOR_OTHERS * (1 + others.length),
  StaticPool: () => NOTHING_FOR_PODS,
  NodeClassNotFound: () => NOTHING_FOR_PODS,
  NoNodePools: () => NOTHING_FOR_PODS,
};

/** One reason per pool, the smallest change first; among equals in the order of the pools. */
export function nearestFirst(reasons: readonly PoolReason[]): readonly PoolReason[] {
  return reasons
    .map((each) => ({ each, effort: effortOf(each) }))
    .sort((left, right) => left.effort - right.effort)
    .map(({ each }) => each);
}

/** All changes together: where one alone is not enough, the others count too. */
export function effortOf({ reason, also = [] }: Omit<PoolReason, 'nodePool'>): number {
  return [reason, ...also].reduce((sum, each) => sum + effort(each), 0);
}

function effort(reason: Reason): number {
  return (EFFORT[reason.code] as (reason: Reason) => number)(reason);
}

/** 0 to 1, rising. */
function bounded(share: number): number {
  return share / (1 + share);
}

/** How much the limits lack, as a share of what they are. */
export function shortfall({ others = [], ...first }: LimitReached): number {
  return [first, ...others].reduce(
    (sum, { inUse, needed, limit }) => sum + (inUse + needed - limit) / Math.max(1, limit),
    0,
  );
}
