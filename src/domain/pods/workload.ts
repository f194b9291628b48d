/** ReplicaSets, StatefulSets and Jobs as far as they tell how many pods are going to come. */
import type { LabelSelector } from '../values/label-selector.js';

export interface Workload {
  readonly kind: 'ReplicaSet' | 'StatefulSet' | 'Job';
  readonly namespace: string;
  readonly name: string;
  /** Pods wanted: spec.replicas, or min(parallelism, completions). */
  readonly wantedPods: number;
  /** Pods that its controller has created, as its status says. */
  readonly createdPods: number;
  /** Of a ReplicaSet or StatefulSet: which pods are its own. */
  readonly selector?: LabelSelector | undefined;
  /** `gangKey` of the gang that all its pods belong to; undefined where they are of use one by one. */
  readonly gang?: string | undefined;
  /** Of a ReplicaSet: `namespace/name` of the Deployment that owns it. */
  readonly deployment?: string | undefined;
}
