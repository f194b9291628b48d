/** How a pod on a stand-in node behaves; times are milliseconds. */

export interface PodBehaviour {
  /** From being bound to a ready node until it runs; 0. */
  readonly startMillis?: number;
  /** Whether it becomes Ready when it runs; true. */
  readonly ready?: boolean;
  /**
   * From running until its containers exit; absent: they never do. Counts for pods that then end, which are those with
   * restartPolicy Never, and OnFailure with exit code 0; others would be restarted and so keep running.
   */
  readonly runMillis?: number;
  /** Of the containers, when they exit by themselves; 0. */
  readonly exitCode?: number;
  /** From the request to end until the containers have; 0. At most the grace period, after which they are killed (137). */
  readonly terminationMillis?: number;
}
