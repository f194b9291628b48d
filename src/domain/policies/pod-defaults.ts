/** What the webhook stamps on pods that say nothing about it themselves (PodDefaults of berth.sh/v1). */
import type { LabelSelector } from '../values/label-selector.js';
import type { Labels } from '../values/labels.js';
import type { Toleration } from '../values/taint.js';

/** How pods of one workload are spread over zones or hosts. */
export interface SpreadDefault {
  readonly maxSkew: number;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** A toleration as it is written into pods. */
export interface StampedToleration extends Toleration {
  /** Seconds that a NoExecute taint is tolerated; undefined: forever. */
  readonly tolerationSeconds: number | undefined;
}

export const STAMP_MODES = ['stamp', 'warn'] as const;
/** stamp: pods are changed; warn: the submitter gets a warning about what would be. */
export type StampMode = (typeof STAMP_MODES)[number];

/** The fields of a document that are stamped on pods. Undefined and empty ones say nothing, so that a document of lower priority may. */
export interface StampedFields {
  /** Value of kubernetes.io/arch. */
  readonly architecture: string | undefined;
  /** Value of karpenter.sh/capacity-type. */
  readonly capacityType: string | undefined;
  /** Value of karpenter.sh/nodepool. */
  readonly nodePool: string | undefined;
  readonly nodeSelector: Labels;
  readonly spread: { readonly zone: SpreadDefault | undefined; readonly host: SpreadDefault | undefined };
  readonly tolerations: readonly StampedToleration[];
  /** `auto`: berth-scheduler while it runs; `never`: left alone; else the name of a scheduler. */
  readonly schedulerName: string | undefined;
  /** Whether pods get Berth's scheduling gate (PLAN_GATE). */
  readonly schedulingGate: boolean | undefined;
}

export interface PodDefaults extends StampedFields {
  readonly name: string;
  /** Documents with a higher one are applied first; what they set wins. */
  readonly priority: number;
  /** Namespaces whose pods are meant. */
  readonly namespaceSelector: LabelSelector;
  /** Pods that are meant. */
  readonly podSelector: LabelSelector;
  readonly mode: StampMode;
}
