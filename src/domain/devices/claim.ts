/** What pods ask of devices: ResourceClaims, their templates and DeviceClasses (resource.k8s.io/v1). */
import type { NodeSelectorTerm } from '../pods/affinity.js';
import type { Quantity } from '../values/quantity.js';
import type { Toleration } from '../values/taint.js';

/** One way to satisfy a request. */
export interface DeviceAlternative {
  /** Of the sub-request; '' where the request has one way only. */
  readonly name: string;
  readonly deviceClass: string;
  /** CEL expressions, all of which a device must satisfy beside those of the class. */
  readonly selectors: readonly string[];
  /** ExactCount: `count` devices; All: every device that matches, of which there must be one. */
  readonly mode: 'ExactCount' | 'All';
  readonly count: number;
  /** Whether devices are used beside those that have them: such a request takes none. */
  readonly adminAccess: boolean;
  readonly tolerations: readonly Toleration[];
  /** Of shareable devices: capacity → how much is asked for. */
  readonly capacity: ReadonlyMap<string, Quantity>;
}

export interface DeviceRequest {
  readonly name: string;
  /** `exactly`, or those of `firstAvailable` in their order; none where the request is of a form that is not known. */
  readonly alternatives: readonly DeviceAlternative[];
}

/** Among devices of the requests named (`request` or `request/sub-request`; none: of all) the attribute has one value, or none twice. */
export interface DeviceConstraint {
  readonly kind: 'match' | 'distinct';
  /** `domain/name`. */
  readonly attribute: string;
  readonly requests: readonly string[];
}

/** spec.devices of a claim. */
export interface DeviceClaimSpec {
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
  /** A part of it that Berth does not know; undefined: none. */
  readonly unknown: string | undefined;
}

/** A device that a claim has. */
export interface AllocatedDevice {
  /** As `deviceID` names it. */
  readonly id: string;
  /** Whether it is used beside those that have it. */
  readonly adminAccess: boolean;
  /** Of a shareable device: capacity → how much of it; undefined where the claim has the device alone. */
  readonly consumed: ReadonlyMap<string, Quantity> | undefined;
}

/** status.allocation of a claim. */
export interface DeviceAllocation {
  readonly devices: readonly AllocatedDevice[];
  /** One of the terms must match the nodes of its pods; undefined: any node will do. */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
}

export interface ResourceClaim {
  /** `namespace/name`. */
  readonly name: string;
  readonly spec: DeviceClaimSpec;
  /** undefined until kube-scheduler has allocated it. */
  readonly allocation: DeviceAllocation | undefined;
  readonly terminating: boolean;
}

export interface ResourceClaimTemplate {
  /** `namespace/name`. */
  readonly name: string;
  readonly spec: DeviceClaimSpec;
}

export interface DeviceClass {
  readonly name: string;
  /** CEL expressions that devices of the class satisfy. */
  readonly selectors: readonly string[];
}

/** Everything that planning knows of claims. */
export interface DeviceObjects {
  readonly claims: readonly ResourceClaim[];
  readonly templates: readonly ResourceClaimTemplate[];
  readonly classes: readonly DeviceClass[];
}
