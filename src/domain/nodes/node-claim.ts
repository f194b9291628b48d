/** NodeClaims: one instance asked for, durable before the cloud is called (berth.sh/v1, cluster-scoped). */
import type { Condition } from '../values/condition.js';
import type { ClaimReboot } from './claim-reboot.js';
import type { CapacityType } from './instance-type.js';
import type { Labels } from '../values/labels.js';
import type { NodeClassRef } from '../policies/node-pool.js';
import type { Requirement } from '../values/requirement.js';
import type { ResourceList } from '../values/resources.js';
import type { Taint } from '../values/taint.js';

/** On claims and nodes: Berth takes the instance away before the object goes. Never karpenter.sh/termination. */
export const TERMINATION_FINALIZER = 'berth.sh/termination';

/** On the equal claims of one batch: the group that one call of the cloud asks for. */
export const LAUNCH_GROUP_ANNOTATION = 'berth.sh/launch-group';
/** Beside it: how many claims the group has, so that it is launched only when all exist. */
export const LAUNCH_GROUP_SIZE_ANNOTATION = 'berth.sh/launch-group-size';

/** On a claim that was created for the number of nodes that its pool has, and not for pods: it is launched without a Reservation. */
export const STATIC_ANNOTATION = 'berth.sh/static';

/** On a claim that was created for no pod yet, and is launched without a Reservation: the CapacityBuffers that it has room for, for people. */
export const BUFFER_ANNOTATION = 'berth.sh/capacity-buffer';

/** Its value is `true` on claims that keep fewer values open than minValues of their pool asks for (Karpenter). */
export const MIN_VALUES_RELAXED_ANNOTATION = 'karpenter.sh/nodeclaim-min-values-relaxed';
/** On a claim that takes the place of others: their names, parted by commas. */
export const REPLACES_ANNOTATION = 'berth.sh/replaces';
/** Rank of a node that should empty out, from -50 to -1; the lowest first. */
export const EMPTYING_ANNOTATION = 'berth.sh/emptying';
/** On a claim: fingerprints of what its pool and node class said when it was made, and how they were computed. */
export const NODEPOOL_HASH_ANNOTATION = 'berth.sh/nodepool-hash';
export const NODEPOOL_HASH_VERSION_ANNOTATION = 'berth.sh/nodepool-hash-version';
export const NODECLASS_HASH_ANNOTATION = 'berth.sh/nodeclass-hash';
export const NODECLASS_HASH_VERSION_ANNOTATION = 'berth.sh/nodeclass-hash-version';
/** On a claim, for people: the fields behind these hashes, so that a Drifted condition can name those that changed. */
export const NODEPOOL_FIELDS_ANNOTATION = 'berth.sh/nodepool-fields';
export const NODECLASS_FIELDS_ANNOTATION = 'berth.sh/nodeclass-fields';
/** On a claim whose launch kept no fingerprint of the CA bundle: that of the one that its class had when that was noticed. */
export const CA_HASH_ANNOTATION = 'berth.sh/certificate-authority-hash';

/** The taint of a new node until Berth has registered it and nominated its pods; removed last. */
export const UNREGISTERED_TAINT: Taint = { key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' };

/** The taint of a node that is being removed. */
export const DISRUPTED_TAINT: Taint = { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' };

/** Immutable: a claim whose launch failed for good is deleted, and its pods are planned again. */
export interface NodeClaimSpec {
  readonly nodePool: string;
  readonly nodeClassRef: NodeClassRef;
  /** What may be launched. The values of node.kubernetes.io/instance-type are ranked, cheapest first. */
  readonly requirements: readonly Requirement[];
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** Its pods and DaemonSets together. */
  readonly requests: ResourceList;
  /** Seconds, or undefined for Never. */
  readonly expireAfterSeconds: number | undefined;
  /** Seconds, or undefined for no hard stop. */
  readonly terminationGracePeriodSeconds: number | undefined;
}

/** One offering that a launch may use, in the order of preference. */
export interface LaunchOverride {
  readonly instanceType: string;
  readonly zone: string;
  /** USD/h. */
  readonly price: number;
  /** The image that goes with the type's architecture. */
  readonly imageID: string;
  readonly launchTemplate: { readonly id: string; readonly version: string } | undefined;
  readonly subnetID: string | undefined;
}

/** Markets of reserved capacity that the cloud has to be asked for by name. */
export const RESERVED_MARKETS = ['capacity-block', 'interruptible-capacity-reservation'] as const;
export type ReservedMarket = (typeof RESERVED_MARKETS)[number];

/** Exactly what is asked of the cloud; repeated byte for byte when the answer was lost. */
export interface LaunchRequest {
  readonly capacityType: CapacityType;
  /** Where reserved capacity is a market of its own; undefined: an on-demand capacity reservation, or none. */
  readonly market?: ReservedMarket | undefined;
  /** Instances wanted: how many claims the group has. */
  readonly size: number;
  readonly overrides: readonly LaunchOverride[];
  /** What the node class wants on the instances, beside Berth's own tags. */
  readonly tags?: Labels | undefined;
  /** The node class's context, which the cloud takes as it is. */
  readonly context?: string | undefined;
  /** Fingerprint of the CA bundle that the nodes are given; undefined: none, or that of a version of Berth that kept none. */
  readonly certificateAuthority?: string | undefined;
}

/** The launch of a group of equal claims; the same on every claim of the group, but for the offerings of the request. */
export interface LaunchStatus {
  readonly group: string;
  /** Number of the launch attempt, from 1. */
  readonly attempt: number;
  /** ClientToken: at most 64 ASCII characters, a function of group and attempt. */
  readonly token: string;
  readonly requestHash: string;
  /**
   * Whole on the claim that keeps it for the group, until the last claim of the group has its answer. Elsewhere, and from then
   * on, it has the first offerings, for people, and the one that was launched.
   */
  readonly request: LaunchRequest;
  /** The claim of the group that keeps the whole request; undefined on that claim itself. */
  readonly requestKeptBy?: string | undefined;
  /** When the cloud answered, in milliseconds since 1970; undefined while that is unknown. */
  readonly answeredAt: number | undefined;
  /** Error in the response, when no instance was launched for this NodeClaim. */
  readonly error: string | undefined;
}

/** A decision that the node of a claim goes. */
export interface ClaimDisruption {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly decidedAt: number;
  /** Most seconds that its pods may take to leave it, beside what the claim's specification says; undefined: no other bound. */
  readonly terminationGracePeriodSeconds?: number | undefined;
}

export interface NodeClaimStatus {
  readonly launch: LaunchStatus | undefined;
  /** `aws:///<zone>/<instance id>`; nodes are matched by it. */
  readonly providerID: string | undefined;
  readonly nodeName: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: CapacityType | undefined;
  /** USD/h. */
  readonly hourlyPrice: number | undefined;
  readonly imageID: string | undefined;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  readonly conditions: readonly Condition[];
  /**
   * When a pod last came to its node or left it, in milliseconds since 1970. It is kept only where the pool's consolidateAfter
   * is a time above 0s, and may be up to a quarter of that too early, or ten seconds where that is more.
   */
  readonly lastPodEventTime?: number | undefined;
  /** Set once it is decided that the node goes; extenders stop giving it pods. */
  readonly disruption: ClaimDisruption | undefined;
  /** Reboots of its instance, the oldest first: those of the last 24 hours, and the last one. */
  readonly reboots?: readonly ClaimReboot[] | undefined;
}

export interface NodeClaim {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When deletion was asked for, in milliseconds since 1970. */
  readonly deletionTimestamp: number | undefined;
  readonly finalizers: readonly string[];
  /** Labels that its node gets. */
  readonly labels: Labels;
  /** Annotations that its node gets. */
  readonly annotations: Labels;
  readonly spec: NodeClaimSpec;
  readonly status: NodeClaimStatus;
}

/** When the claim's time is over, in milliseconds since 1970; undefined for never. */
export function expiresAt({ createdAt, spec }: NodeClaim): number | undefined {
  return spec.expireAfterSeconds === undefined ? undefined : createdAt + spec.expireAfterSeconds * 1000;
}

/**
 * Most seconds that pods may take to leave its node, by its specification and by the reason for which it goes, from when it is
 * deleted on; undefined: as long as they need.
 */
export function drainSeconds({ spec, status }: NodeClaim): number | undefined {
  const own = spec.terminationGracePeriodSeconds ?? Infinity;
  const least = Math.min(own, status.disruption?.terminationGracePeriodSeconds ?? Infinity);
  return least === Infinity ? undefined : least;
}

/** The group that a claim is launched with; one without a group is a group of its own. */
export function launchGroupOf({ uid, annotations, status }: NodeClaim): string {
  return status.launch?.group ?? annotations.get(LAUNCH_GROUP_ANNOTATION) ?? uid;
}

/** Names of the claims that the claim is to replace. */
export function replacedBy({ annotations }: Pick<NodeClaim, 'annotations'>): readonly string[] {
  const text = annotations.get(REPLACES_ANNOTATION) ?? '';
  return text === '' ? [] : text.split(',');
}

/** The instance of a provider id: the last part of `aws:///<zone>/<instance id>`. */
export function instanceID(providerID: string): string {
  return providerID.slice(providerID.lastIndexOf('/') + 1);
}

/** Whether it is unknown if the cloud provider launched something for this claim. */
export function isLaunchOpen({ status: { launch, providerID } }: Pick<NodeClaim, 'status'>): boolean {
  return launch !== undefined && launch.answeredAt === undefined && providerID === undefined;
}

/** The status of a claim that nothing has happened to yet. */
export const NEW_CLAIM_STATUS: NodeClaimStatus = {
  launch: undefined,
  providerID: undefined,
  nodeName: undefined,
  instanceType: undefined,
  zone: undefined,
  capacityType: undefined,
  hourlyPrice: undefined,
  imageID: undefined,
  capacity: new Map(),
  allocatable: new Map(),
  conditions: [],
  disruption: undefined,
};
