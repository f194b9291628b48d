/** A workload in the neutral form that every solver's reader takes: plain JSON, in Kubernetes' words and quantities. */

export type Strings = Readonly<Record<string, string>>;

export interface NeutralRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

export interface NeutralTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'NoExecute';
}

export interface NeutralToleration {
  readonly key: string;
  readonly operator: 'Exists';
}

export interface NeutralPool {
  readonly name: string;
  readonly weight: number;
  readonly requirements: readonly NeutralRequirement[];
  readonly taints: readonly NeutralTaint[];
  /** Resource → quantity. */
  readonly limits: Strings;
}

/** Pods in the namespace `default` with these labels, over a topology key. */
export interface NeutralTerm {
  readonly topologyKey: string;
  readonly labels: Strings;
}

export interface NeutralSpread extends NeutralTerm {
  readonly maxSkew: number;
}

/** Spread is DoNotSchedule, affinity and anti-affinity required; what is not given is not asked. */
export interface NeutralPod {
  readonly name: string;
  readonly labels: Strings;
  readonly annotations?: Strings | undefined;
  readonly requests: Strings;
  readonly nodeSelector?: Strings | undefined;
  /** Terms of required node affinity. */
  readonly nodeAffinity?: readonly (readonly NeutralRequirement[])[] | undefined;
  readonly topologySpread?: readonly NeutralSpread[] | undefined;
  readonly podAffinity?: readonly NeutralTerm[] | undefined;
  readonly podAntiAffinity?: readonly NeutralTerm[] | undefined;
  readonly tolerations?: readonly NeutralToleration[] | undefined;
}

export interface NeutralDaemonSet {
  readonly name: string;
  readonly requests: Strings;
  readonly tolerateAll: boolean;
}

/** A node that exists, of a type of the catalogue, with the pods that run on it. */
export interface NeutralNode {
  readonly name: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot';
  readonly nodePool: string;
  readonly pods: readonly NeutralPod[];
}

export interface Workload {
  readonly name: string;
  readonly seed: number;
  readonly nodePools: readonly NeutralPool[];
  readonly daemonsets: readonly NeutralDaemonSet[];
  /** Pending ones. */
  readonly pods: readonly NeutralPod[];
  readonly nodes: readonly NeutralNode[];
}
