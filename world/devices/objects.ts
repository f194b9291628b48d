/** Objects of resource.k8s.io/v1 as far as the simulated world reads them. */
import type { Pod } from '../cluster/objects.js';
import type { KubeObject } from '../kubernetes/objects/kube-object.js';
import type { NodeSelectorTerm } from '../kubernetes/objects/node-selector.js';

export const CLAIMS = 'resourceclaims.resource.k8s.io';
export const TEMPLATES = 'resourceclaimtemplates.resource.k8s.io';
export const CLASSES = 'deviceclasses.resource.k8s.io';

export interface Selector {
  readonly cel?: { readonly expression: string } | undefined;
}

export interface DeviceAsk {
  readonly name?: string | undefined;
  readonly deviceClassName: string;
  readonly selectors?: readonly Selector[] | undefined;
  readonly allocationMode?: string | undefined;
  readonly count?: number | undefined;
}

export interface ClaimRequest {
  readonly name: string;
  readonly exactly?: DeviceAsk | undefined;
  readonly firstAvailable?: readonly DeviceAsk[] | undefined;
}

export interface ClaimConstraint {
  readonly requests?: readonly string[] | undefined;
  readonly matchAttribute?: string | undefined;
}

/** A device that a claim has. */
export interface DeviceResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

export interface ClaimAllocation {
  readonly devices: { readonly results: readonly DeviceResult[] };
  readonly nodeSelector?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } | undefined;
}

interface ConsumerReference {
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface ResourceClaim extends KubeObject {
  readonly spec: {
    readonly devices?:
      | {
          readonly requests?: readonly ClaimRequest[] | undefined;
          readonly constraints?: readonly ClaimConstraint[] | undefined;
        }
      | undefined;
  };
  readonly status?:
    | {
        readonly allocation?: ClaimAllocation | undefined;
        readonly reservedFor?: readonly ConsumerReference[] | undefined;
      }
    | undefined;
}

export interface DeviceClass extends KubeObject {
  readonly spec: { readonly selectors?: readonly Selector[] | undefined };
}

export interface PublishedDevice {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

export interface ResourceSlice extends KubeObject {
  readonly spec: {
    readonly driver: string;
    readonly nodeName?: string | undefined;
    readonly pool: { readonly name: string };
    readonly devices?: readonly PublishedDevice[] | undefined;
  };
}

/** A claim as a pod names it. */
export interface PodClaim {
  readonly name: string;
  readonly resourceClaimName?: string | undefined;
  readonly resourceClaimTemplateName?: string | undefined;
}

/** In a pod's status: the claim that was made from a template. */
export interface PodClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string | undefined;
}

export function claimsOf({ spec }: Pod): readonly PodClaim[] {
  return (spec['resourceClaims'] ?? []) as readonly PodClaim[];
}
