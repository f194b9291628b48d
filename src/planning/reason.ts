/** The closed union of reasons for which a pool cannot hold a pod. */
import type { Taint } from '../domain/values/taint.js';
import type { DeviceReason } from './device-reason.js';

export type Reason =
  | { readonly code: 'NoNodePools' }
  | DeviceReason
  | GangIncomplete
  | GangUnplaceable
  | PlanRefuted
  /** `nodeClass`: kind and name, such as `EC2NodeClass default`. */
  | { readonly code: 'NodeClassNotFound'; readonly nodeClass: string }
  | { readonly code: 'NodeClassNotReady'; readonly nodeClass: string; readonly problem: string }
  | ExcludedTypes
  | { readonly code: 'StaticPool' }
  /** The pool's document is gone from the policy ConfigMaps. */
  | { readonly code: 'PoolFrozen'; readonly nodePool: string }
  /** No node of the pool holds all pods that required affinity over hosts keeps together. */
  | { readonly code: 'GroupTooLarge' }
  /** A node of the pool could hold the pod, and the plan has none for it. */
  | { readonly code: 'LeftOut' }
  | UntoleratedTaint
  | IncompatibleLabel
  | NoOffering
  | { readonly code: 'OutOfStock'; readonly types: readonly string[] }
  | InsufficientResource
  | {
      readonly code: 'InsufficientTogether';
      readonly needed: string;
      readonly nearestType: string;
      /** What that type has too little of: as much less, all of it, is what the pod would have to ask for. */
      readonly short: string;
    }
  | LimitReached
  | { readonly code: 'MinValues'; readonly key: string; readonly wanted: number; readonly available: number }
  | TopologySpread
  | PodAffinity
  | PodAntiAffinity
  | HostPortConflict
  | { readonly code: 'VolumeClaimNotFound'; readonly claim: string }
  | { readonly code: 'VolumeClaimUnbound'; readonly claim: string }
  | { readonly code: 'StorageClassNotFound'; readonly claim: string; readonly storageClass: string }
  | { readonly code: 'NoDefaultStorageClass'; readonly claim: string }
  | { readonly code: 'VolumeClaimTerminating'; readonly claim: string }
  | { readonly code: 'VolumeNotFound'; readonly claim: string; readonly volume: string }
  | { readonly code: 'VolumeClaimInUse'; readonly claim: string }
  | { readonly code: 'VolumeLimit'; readonly claim: string }
  | VolumeTopology
  | TooComplex;

/** The pool could hold the pod on instance types that its node class excludes. */
export interface ExcludedTypes {
  readonly code: 'ExcludedTypes';
  /** Kind and name. */
  readonly nodeClass: string;
  /** The field of the node class, and what it needs that the types lack. */
  readonly setting: string;
  readonly lacks: string;
  readonly types: readonly string[];
}

/** Planning the pod would take more than its share of the work; it is set aside, and the other pods are planned. */
export interface TooComplex {
  readonly code: 'TooComplex';
  /** Requirements, values, terms, tolerations, ports and volumes of its spec, where these are too many. */
  readonly rules?: number | undefined;
  readonly most?: number | undefined;
}

/** Fewer members of the pod's gang exist than are of use. */
export interface GangIncomplete {
  readonly code: 'GangIncomplete';
  /** `PodGroup default/train`. */
  readonly gang: string;
  readonly minimum: number;
  readonly existing: number;
}

/** Fewer members of the pod's gang have a place, or could have one, than are of use. */
export interface GangUnplaceable {
  readonly code: 'GangUnplaceable';
  /** `PodGroup default/train`. */
  readonly gang: string;
  readonly minimum: number;
  readonly possible: number;
}

/** Every plan that gave the pod a place broke a rule: a defect of planning, so that the pod is left out. */
export interface PlanRefuted {
  readonly code: 'PlanRefuted';
  /** The rule, as `Refutation.rule`. */
  readonly rule: string;
}

/** The pool's nodes repel the pod. */
export interface UntoleratedTaint {
  readonly code: 'UntoleratedTaint';
  readonly taint: Taint;
  /** Further taints of the pool that the pod does not tolerate. */
  readonly others?: readonly Taint[] | undefined;
}

/** Nothing that the pool can launch has the label that the pod wants. */
export interface IncompatibleLabel {
  readonly code: 'IncompatibleLabel';
  readonly key: string;
  readonly wanted: string;
  readonly offered: string;
  /** What the pool could do about it; absent where only the pod can change. */
  readonly pool?: PoolLabelChange | undefined;
}

/** `allow`: its requirements leave out values that its types have; `label`: its nodes get the label that it names. */
export interface PoolLabelChange {
  readonly kind: 'allow' | 'label';
  /** Any of these would do. */
  readonly values: readonly string[];
}

/** Each label alone is available, but not all together. */
export interface NoOffering {
  readonly code: 'NoOffering';
  readonly wanted: string;
  /** Keys of which any one, left open, would do; empty where a single one is not enough, absent where this was not tried. */
  readonly widen?: readonly string[] | undefined;
  /** Whose requirements the keys are: the pool's, or else the pod's. */
  readonly of?: 'pool' | 'terms' | undefined;
}

/** No type of the pool has enough of one resource; amounts in the resource's unit. */
export interface InsufficientResource {
  readonly code: 'InsufficientResource';
  readonly resource: string;
  readonly needed: number;
  /** Most that any type has left beside its DaemonSets: 0 when none offers the resource, less when they lack some. */
  readonly largest: number;
  readonly largestType: string;
  /** Instance families that pool and pod leave, where they are few. */
  readonly families?: readonly string[] | undefined;
}

/** A limit of the pool that one more node would break; amounts in the resource's unit. */
export interface LimitShortage {
  readonly resource: string;
  readonly limit: number;
  readonly inUse: number;
  /** Of what is in use, what nodes have that are being removed; absent where there are none. */
  readonly leaving?: number | undefined;
  readonly needed: number;
}

/** The pool's limits leave no room for the type that fits and lacks least. */
export interface LimitReached extends LimitShortage {
  readonly code: 'LimitReached';
  /** Further limits that the same type would break. */
  readonly others?: readonly LimitShortage[] | undefined;
}

/** Pods that a rule counts in one domain: a zone, a node. */
export interface DomainCount {
  readonly domain: string;
  readonly pods: number;
}

/** The pod's own spread keeps it out of every domain that it could go to. */
export interface TopologySpread {
  readonly code: 'TopologySpread';
  readonly key: string;
  readonly maxSkew: number;
  /** The pool's nodes lack the label, and so are in no domain. */
  readonly unlabelled?: true | undefined;
  /** The domain nearest to taking the pod. */
  readonly nearest?: DomainCount | undefined;
  /** The domain with the fewest pods, which cannot take this one; absent where minDomains alone is in the way. */
  readonly least?: DomainCount | undefined;
  /** The least maxSkew under which the nearest domain would take the pod. */
  readonly needed?: number | undefined;
  /** Domains that there are, and that minDomains asks for, where these are more. */
  readonly domains?: number | undefined;
  readonly minDomains?: number | undefined;
}

/** No pod that the affinity looks for is where the pool could place this one. */
export interface PodAffinity {
  readonly code: 'PodAffinity';
  readonly key: string;
  /** Domains that exist and hold pods that match; absent where this was not looked at, empty where no pod matches. */
  readonly matching?: readonly string[] | undefined;
  /** Nodes of the same plan that hold pods that match, where the key is the hostname. */
  readonly planned?: number | undefined;
  /** Whether the pool would place it if it allowed one of these domains. */
  readonly allow?: true | undefined;
}

/** Pods with anti-affinity to this one, or that its anti-affinity selects, are in every domain that the pool could place it in. */
export interface PodAntiAffinity {
  readonly code: 'PodAntiAffinity';
  readonly key: string;
  /** These domains. */
  readonly taken?: readonly string[] | undefined;
  /** Whether the pool would place it if it allowed other domains. */
  readonly allow?: true | undefined;
}

export interface HostPortConflict {
  readonly code: 'HostPortConflict';
  readonly port: number;
  /** `namespace/name` of the DaemonSet that has it on every node. */
  readonly daemonSet?: string | undefined;
}

/** The pod's volume can be used only where the pool cannot launch. */
export interface VolumeTopology {
  readonly code: 'VolumeTopology';
  readonly claim: string;
  /** Where it can be used, and what the pool offers of that. */
  readonly wanted?: string | undefined;
  readonly offered?: string | undefined;
  /** Whether the pool could launch there if its requirements allowed it. */
  readonly allow?: true | undefined;
}

export type ReasonCode = Reason['code'];
