/** Instances, as a port. Every call has a time-out, can be cancelled, and fails with a PortError. */
import type { CapacityType, InstanceType, ReservationType } from '../domain/nodes/instance-type.js';
import type { PlacementGroup } from '../domain/nodes/placement-group.js';
import type { Tenancy } from '../domain/nodes/tenancy.js';
import type { Labels } from '../domain/values/labels.js';
import type { LaunchRequest } from '../domain/nodes/node-claim.js';
import type { ResolvedObjects } from '../domain/policies/resolved-objects.js';
import type { NodeClass } from '../domain/policies/node-class.js';
import type { NodeClassRefusalReason } from '../domain/policies/policy-conditions.js';
import type { RepairPolicy } from '../domain/policies/repair-policy.js';
import type { ResourceList } from '../domain/values/resources.js';

/** The tags by which Berth finds its instances again. */
export const CLUSTER_TAG = 'berth.sh/cluster';
export const NODEPOOL_TAG = 'berth.sh/nodepool';
export const LAUNCH_GROUP_TAG = 'berth.sh/launch-group';
export const NODECLAIM_TAG = 'berth.sh/nodeclaim';
/** The one that consoles show as an instance's name. */
export const NAME_TAG = 'Name';

/** The cluster that instances belong to, as their tags name it. */
export interface ClusterIdentity {
  /** The UID of the kube-system namespace. */
  readonly uid: string;
  /** undefined where the cluster has none. */
  readonly name: string | undefined;
}

/** What every instance of the cluster is tagged with, and what is made for its instances. */
export function ownerTags({ uid, name }: ClusterIdentity): readonly (readonly [string, string])[] {
  return [
    [CLUSTER_TAG, uid],
    ...(name === undefined ? [] : [[`kubernetes.io/cluster/${name}`, 'owned'] as const]),
  ];
}

/** The tags that instances of a launch have from their first moment. */
export function launchTags(
  cluster: ClusterIdentity,
  { nodePool, group }: { readonly nodePool: string; readonly group: string },
): Labels {
  return new Map([
    ...ownerTags(cluster),
    [NODEPOOL_TAG, nodePool],
    [LAUNCH_GROUP_TAG, group],
    [NAME_TAG, nodePool],
  ]);
}

/** The tags that the instances of a launch begin with: Berth's own win, except over a name that the node class gives. */
export function instanceTags({ request, tags }: Pick<LaunchCall, 'request' | 'tags'>): Labels {
  const ofClass = request.tags ?? new Map<string, string>();
  return new Map([...ofClass, ...tags, ...[...ofClass].filter(([key]) => key === NAME_TAG)]);
}

/** The tags that an instance gets once a claim has it. `ofClass`: those of its node class, whose name stays. */
export function claimTags(nodeClaim: string, ofClass?: Labels): Labels {
  const tag = [NODECLAIM_TAG, nodeClaim] as const;
  return new Map(ofClass?.has(NAME_TAG) === true ? [tag] : [tag, [NAME_TAG, nodeClaim]]);
}

/** A capacity reservation that a node class may use. */
export interface ResolvedReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  /** An on-demand capacity reservation, or a capacity block for ML. */
  readonly type: ReservationType;
  /** Whether its owner may take the capacity back, with two minutes' notice. */
  readonly interruptible: boolean;
  /** Of the instances that are launched into it: `default` unless given. */
  readonly tenancy?: Tenancy | undefined;
  /** Instances that it still has. */
  readonly available: number;
  readonly ownerID?: string | undefined;
  /** `open` or `targeted`. */
  readonly matchCriteria?: string | undefined;
  /** Milliseconds since 1970; undefined where it has no end. */
  readonly endsAt?: number | undefined;
  /** Nothing more is launched into it, since it ends. */
  readonly isEnding?: boolean | undefined;
}

/** Why a document that is accepted cannot be launched from, whatever there is in the account. */
export interface NodeClassRefusal {
  /** Of the condition ValidationSucceeded. */
  readonly reason: NodeClassRefusalReason;
  readonly message: string;
}

/** What a node class amounts to in the account and region. */
export interface ResolvedNodeClass {
  /** Zones in which it has subnets. */
  readonly zones: readonly string[];
  /**
   * Zone → addresses left in the subnet where the next instances would start, 0 or less when there are none; a zone that is
   * not named has no limit.
   */
  readonly freeAddresses?: ReadonlyMap<string, number> | undefined;
  /** undefined, as the next two: nodes of this cloud have none. */
  readonly subnetIDs?: readonly string[] | undefined;
  readonly securityGroupIDs?: readonly string[] | undefined;
  /** Newest first. */
  readonly imageIDs?: readonly string[] | undefined;
  /** Architectures that its images are for, as kubernetes.io/arch spells them; undefined: any. */
  readonly architectures?: readonly string[] | undefined;
  /** The same and more, as the status of the class shows it; undefined: nodes of this cloud have none of it. */
  readonly objects?: ResolvedObjects | undefined;
  /** By id. */
  readonly reservations?: readonly ResolvedReservation[] | undefined;
  /** What is wrong with the document itself, which `problems` say, too; undefined: nothing. */
  readonly refusal?: NodeClassRefusal | undefined;
  /** Ids of all capacity reservations that it selects, those that are over or have not begun too. */
  readonly reservationIDs?: readonly string[] | undefined;
  /** The one that its instances are launched into; undefined: none. */
  readonly placementGroup?: PlacementGroup | undefined;
  /** Fingerprint of the cluster's CA bundle that its nodes are given; undefined: they are given none. */
  readonly certificateAuthority?: string | undefined;
  /** Sentences saying why it cannot be launched from; empty when it can. */
  readonly problems: readonly string[];
}

/** What a launch group needs; equal for all its claims. */
export interface LaunchIntent {
  readonly nodeClass: NodeClass;
  readonly capacityType: CapacityType;
  /** `default` unless given. */
  readonly tenancy?: Tenancy | undefined;
  /** Instance type × zone in the order of preference, with the USD/h that is paid. */
  readonly offerings: readonly {
    readonly instanceType: string;
    readonly zone: string;
    readonly price: number;
  }[];
  readonly size: number;
  /** What each instance must have for pods where that depends on the launch: a larger root volume, network adapters. */
  readonly requests?: ResourceList | undefined;
  /** What the nodes register with. */
  readonly labels: Labels;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
}

/** What every cloud takes as the token of a launch: 1 to 64 printable ASCII characters. */
export const LAUNCH_TOKEN = /^[\x21-\x7e]{1,64}$/;

/** A launch about to be asked for; the same token and request give the same instances. */
export interface LaunchCall {
  readonly token: string;
  readonly request: LaunchRequest;
  /** On every instance from its first moment. */
  readonly tags: Labels;
  /** What the nodes register with: part of the launch template. */
  readonly labels: Labels;
  readonly taints: LaunchIntent['taints'];
}

/** The instance types that the cloud sells, as they are at the moment. */
export interface InstanceCatalogue {
  /** As a node class that says nothing makes them. */
  readonly instanceTypes: readonly InstanceType[];
  /** As they are for a node class and a tenancy, `default` unless given; those with equal settings get the same list. */
  forNodeClass(nodeClass: NodeClass, tenancy?: Tenancy): readonly InstanceType[];
}

export interface CloudInstance {
  /** `i-…`. */
  readonly id: string;
  /** What its node has as spec.providerID. */
  readonly providerID: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly imageID: string;
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  readonly tags: Labels;
  /** Those that it has now; undefined where the cloud does not say. */
  readonly securityGroupIDs?: readonly string[] | undefined;
  /** Number of its partition of a placement group, from 1; undefined where it has none. */
  readonly partition?: number | undefined;
  /** The capacity reservation that it was launched into and is in now, '' for none; undefined where the cloud does not say. */
  readonly reservationID?: string | undefined;
  /** Both parts '' for none; undefined where the cloud does not say. */
  readonly placementGroup?: Pick<PlacementGroup, 'id' | 'name'> | undefined;
}

/** An offering that could not be had. */
export interface LaunchFailure {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** `InsufficientInstanceCapacity`, `MaxSpotInstanceCountExceeded`, … as the cloud spells it. */
  readonly code: string;
  readonly message: string;
  readonly reach: FailureReach;
}

/**
 * What cannot be launched for a while after a failure: the offering, its zone, its capacity type; anything of the NodePool,
 * where what the failure names (an image, a security group, a permission) is the same for all its offerings; or nothing, where
 * the call was only too early. A call that is refused as a whole, with Invalid, Forbidden or NotFound, reaches the NodePool.
 */
export type FailureReach = 'offering' | 'zone' | 'capacity-type' | 'pool' | 'none';

/** Fewer instances than asked for is an answer, not an error. */
export interface LaunchAnswer {
  readonly instances: readonly CloudInstance[];
  readonly failures: readonly LaunchFailure[];
}

/** What the node of an instance says of its memory. */
export interface MemoryReport {
  readonly instanceType: string;
  readonly imageID: string;
  /** Bytes of status.capacity. */
  readonly bytes: number;
}

export interface Cloud {
  /** For node repair, where a NodePool says nothing else; those for certain reasons first. */
  readonly repairPolicies: readonly RepairPolicy[];
  resolveNodeClass(nodeClass: NodeClass, signal?: AbortSignal): Promise<ResolvedNodeClass>;
  /** Settles what will be asked, without starting anything; what it makes (a launch template) may be made twice. */
  prepareLaunch(intent: LaunchIntent, signal?: AbortSignal): Promise<LaunchRequest>;
  /**
   * @throws PortError TokenMismatch, when the token was used with another request; TimedOut, when the outcome is unknown.
   */
  launch(call: LaunchCall, signal?: AbortSignal): Promise<LaunchAnswer>;
  /**
   * Instances with all these tags, ended ones too while the cloud remembers them.
   *
   * @param ids given, no others are needed; they may be answered all the same.
   */
  instances(tags: Labels, signal?: AbortSignal, ids?: readonly string[]): Promise<readonly CloudInstance[]>;
  tagInstances(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void>;
  /** Asking again is no error, nor is asking for an instance that is gone. */
  terminate(ids: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Has the instance boot again. `operation` is the same for every try of one reboot: a cloud that knows it has done this reboot
   * already.
   * @throws PortError NotFound, when there is no such instance.
   */
  reboot(id: string, operation: string, signal?: AbortSignal): Promise<void>;
}
