/** Berth's own kinds and those of the Cluster Autoscaler, as far as cluster tests read them. */
import { clusterScoped, namespaced, type Condition, type KubeObject } from '../fixture/api/kube-object.js';

export interface NodeClaim extends KubeObject {
  readonly spec: { readonly nodePool: string };
  readonly status?: {
    readonly providerID?: string;
    readonly nodeName?: string;
    readonly instanceType?: string;
    readonly zone?: string;
    readonly capacityType?: string;
    readonly conditions?: readonly Condition[];
    readonly disruption?: { readonly reason: string };
  };
}

export interface Reservation extends KubeObject {
  readonly spec: {
    readonly target: { readonly kind: 'NodeClaim' | 'Node'; readonly name: string };
    readonly entries: readonly { readonly podUID?: string }[];
  };
}

export interface Decision extends KubeObject {
  readonly spec: {
    readonly subject: { readonly kind: string; readonly namespace?: string; readonly name: string };
    readonly action: string;
    readonly reason: string;
    readonly message: string;
  };
  readonly status?: { readonly outcome?: string; readonly phase?: string };
}

export interface PolicyStatus extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ProvisioningRequest extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly provisioningClassDetails?: Readonly<Record<string, string>>;
  };
}

export const NODE_CLAIMS = clusterScoped<NodeClaim>('berth.sh/v1', 'NodeClaim');
export const RESERVATIONS = clusterScoped<Reservation>('berth.sh/v1', 'Reservation');
export const DECISIONS = clusterScoped<Decision>('berth.sh/v1', 'Decision');
export const POLICY_STATUSES = clusterScoped<PolicyStatus>('berth.sh/v1', 'PolicyStatus', 'policystatuses');
export const PROVISIONING_REQUESTS = namespaced<ProvisioningRequest>(
  'autoscaling.x-k8s.io/v1',
  'ProvisioningRequest',
);
