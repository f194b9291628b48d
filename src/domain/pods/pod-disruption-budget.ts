/** How many of the pods that a selector covers may be evicted at once. */
import type { LabelSelector } from '../values/label-selector.js';

/** A count of pods, or a share of those the budget covers. */
export interface CountOrPercent {
  readonly unit: 'pods' | 'percent';
  readonly amount: number;
}

/** What the disruption controller last worked out, as the Eviction API goes by it (Kubernetes: PodDisruptionBudgetStatus). */
export interface PodDisruptionBudgetStatus {
  /** Pods that may be evicted now. */
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  /** Whether observedGeneration has reached metadata.generation; before, the Eviction API lets no healthy pod go. */
  readonly isCurrent: boolean;
}

/** A PodDisruptionBudget. With neither bound it lets no pod go: the disruption controller then expects none healthy. */
export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Pods of its namespace that it covers; undefined covers none. */
  readonly selector: LabelSelector | undefined;
  readonly minAvailable: CountOrPercent | undefined;
  readonly maxUnavailable: CountOrPercent | undefined;
  /** AlwaysAllow: pods that are not Ready may go whatever the budget says (Kubernetes: unhealthyPodEvictionPolicy). */
  readonly unhealthyPodEvictionPolicy: 'AlwaysAllow' | 'IfHealthyBudget';
  /** undefined for a document that no API server has stored: it is worked out then. */
  readonly status: PodDisruptionBudgetStatus | undefined;
}
