/** How many of the pods that a selector covers may be evicted at once. */
import type { LabelSelector } from './label-selector.js';

/** A count of pods, or a share of those the budget covers. */
export interface CountOrPercent {
  readonly unit: 'pods' | 'percent';
  readonly amount: number;
}

/** A PodDisruptionBudget. With neither bound it lets no pod go: the disruption controller then expects none healthy. */
export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Pods of its namespace that it covers; undefined covers none. */
  readonly selector: LabelSelector | undefined;
  readonly minAvailable: CountOrPercent | undefined;
  readonly maxUnavailable: CountOrPercent | undefined;
}
