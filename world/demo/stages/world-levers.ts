/** What the demo does to the world from outside Kubernetes: as Amazon does, not as a user does. */

export interface WorldInstance {
  /** `i-…`. */
  readonly id: string;
  readonly state: string;
  readonly imageID: string;
  readonly capacityType: string;
}

export interface WorldLevers {
  /** Newer images of Amazon Linux 2023, one per architecture and variant, behind its alias; answers their ids. */
  publishImages(): readonly string[];
  /** The two-minute warning of a spot instance, and its end. */
  interrupt(instanceID: string): void;
  /** Pods (`namespace/name`) that were given less time to end than they ask for, since the world began. */
  hurriedPods(): readonly string[];
  /** Pods (`namespace/name`), but for those of DaemonSets, that were still on an instance when it stopped running. */
  strandedPods(): readonly string[];
  /** Instances that the region has, ended ones too while it remembers them. */
  instances(): readonly WorldInstance[];
}
