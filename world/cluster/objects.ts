/** Kubernetes objects as far as the actors of the simulated world read them: JSON that the API server has checked already. */
import type { LabelSelector } from '../kubernetes/objects/label-selector.js';
import type { NodeSelectorTerm } from '../kubernetes/objects/node-selector.js';
import type { KubeObject, ObjectMeta, OwnerReference } from '../kubernetes/objects/kube-object.js';

export type { KubeObject, ObjectMeta, OwnerReference };

export type StringMap = Readonly<Record<string, string>>;

/** One that is about to be created: apiVersion and kind follow from the resource. */
export interface NewObject {
  readonly metadata: Partial<ObjectMeta> & { readonly generateName?: string };
  readonly [field: string]: unknown;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly lastHeartbeatTime?: string | undefined;
  readonly [field: string]: unknown;
}

/** Quantities as the API writes them; integers come as numbers sometimes. */
export type Quantities = Readonly<Record<string, string | number>>;

export interface Container {
  readonly name: string;
  readonly image?: string | undefined;
  readonly restartPolicy?: string | undefined;
  readonly resources?:
    { readonly requests?: Quantities | undefined; readonly limits?: Quantities | undefined } | undefined;
  readonly ports?:
    | readonly {
        readonly hostPort?: number | undefined;
        readonly containerPort?: number | undefined;
        readonly hostIP?: string | undefined;
        readonly protocol?: string | undefined;
      }[]
    | undefined;
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly topologyKey: string;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] | undefined;
}

export interface Affinity {
  readonly nodeAffinity?:
    | {
        readonly requiredDuringSchedulingIgnoredDuringExecution?:
          { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } | undefined;
      }
    | undefined;
  readonly podAffinity?: PodTerms | undefined;
  readonly podAntiAffinity?: PodTerms | undefined;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector | undefined;
  readonly minDomains?: number | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly nodeAffinityPolicy?: string | undefined;
  readonly nodeTaintsPolicy?: string | undefined;
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
  readonly ephemeral?: { readonly volumeClaimTemplate: Template } | undefined;
}

export interface PodSpec {
  readonly nodeName?: string | undefined;
  readonly schedulerName?: string | undefined;
  readonly nodeSelector?: StringMap | undefined;
  readonly affinity?: Affinity | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly topologySpreadConstraints?: readonly SpreadConstraint[] | undefined;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[] | undefined;
  readonly overhead?: Quantities | undefined;
  readonly resources?: Container['resources'];
  readonly volumes?: readonly Volume[] | undefined;
  readonly priority?: number | undefined;
  readonly priorityClassName?: string | undefined;
  readonly preemptionPolicy?: string | undefined;
  readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly restartPolicy?: string | undefined;
  readonly [field: string]: unknown;
}

export interface PodStatus {
  readonly phase?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly nominatedNodeName?: string | undefined;
  readonly startTime?: string | undefined;
  readonly [field: string]: unknown;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
  readonly timeAdded?: string | undefined;
}

export interface Node extends KubeObject {
  readonly spec?:
    | {
        readonly providerID?: string | undefined;
        readonly unschedulable?: boolean | undefined;
        readonly taints?: readonly Taint[] | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly allocatable?: Quantities | undefined;
        readonly capacity?: Quantities | undefined;
        readonly conditions?: readonly Condition[] | undefined;
        readonly [field: string]: unknown;
      }
    | undefined;
}

/** What a workload makes objects of. */
export interface Template {
  readonly metadata?: Partial<ObjectMeta> | undefined;
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

/** Deployment, ReplicaSet, StatefulSet, Job and DaemonSet, as far as they are alike. */
export interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas?: number | undefined;
    readonly selector?: LabelSelector | undefined;
    readonly template: Template;
    readonly [field: string]: unknown;
  };
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: {
    readonly accessModes?: readonly string[] | undefined;
    readonly storageClassName?: string | undefined;
    readonly volumeName?: string | undefined;
    readonly resources?: { readonly requests?: Quantities | undefined } | undefined;
    readonly [field: string]: unknown;
  };
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly capacity?: Quantities | undefined;
    readonly accessModes?: readonly string[] | undefined;
    readonly storageClassName?: string | undefined;
    readonly claimRef?:
      | {
          readonly namespace?: string | undefined;
          readonly name?: string | undefined;
          readonly uid?: string | undefined;
        }
      | undefined;
    readonly nodeAffinity?:
      | { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } | undefined }
      | undefined;
    readonly csi?: { readonly driver: string } | undefined;
    readonly persistentVolumeReclaimPolicy?: string | undefined;
    readonly [field: string]: unknown;
  };
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string | undefined;
  readonly allowedTopologies?:
    | readonly {
        readonly matchLabelExpressions?:
          readonly { readonly key: string; readonly values: readonly string[] }[] | undefined;
      }[]
    | undefined;
}

export interface CSINode extends KubeObject {
  readonly spec: {
    readonly drivers?:
      | readonly {
          readonly name: string;
          readonly allocatable?: { readonly count?: number | undefined } | undefined;
        }[]
      | undefined;
  };
}

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly selector?: LabelSelector | undefined;
    readonly minAvailable?: number | string | undefined;
    readonly maxUnavailable?: number | string | undefined;
    readonly unhealthyPodEvictionPolicy?: string | undefined;
  };
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}
