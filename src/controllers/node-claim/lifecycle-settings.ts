/** How long the steps of a claim's life may take, in milliseconds. */

export interface LifecycleSettings {
  /** A claim whose pods' reservation does not come in this time is given up: its node would start without pods. */
  readonly reservationMillis: number;
  /** Waiting for the last claims of a group to appear before it is launched without them. */
  readonly groupMillis: number;
  /** Within this time the cloud shows everything that happened. */
  readonly consistencyMillis: number;
  /** From a claim's creation until it has an instance. */
  readonly launchMillis: number;
  /** From the launch until its node has registered. */
  readonly registrationMillis: number;
  /** Poll interval for state that has no watch. */
  readonly pollMillis: number;
  /** First wait for a pod whose eviction a PodDisruptionBudget forbids, */
  readonly evictionBaseMillis: number;
  /** and the longest one. */
  readonly evictionMaxMillis: number;
}

/** Launch and registration as Karpenter's liveness controller has them. */
export const DEFAULT_LIFECYCLE_SETTINGS: LifecycleSettings = {
  reservationMillis: 30_000,
  groupMillis: 5_000,
  consistencyMillis: 60_000,
  launchMillis: 300_000,
  registrationMillis: 900_000,
  pollMillis: 5_000,
  evictionBaseMillis: 1_000,
  evictionMaxMillis: 10_000,
};
