/** What the demo does to the world from outside Kubernetes: as Amazon does, not as a user does. */

export interface WorldMachine {
  /** `i-…`. */
  readonly id: string;
  readonly state: string;
  readonly imageID: string;
  readonly capacityType: string;
}

export interface WorldLevers {
  /** Newer images of Amazon Linux 2023, one per architecture and variant, behind its alias; answers their ids. */
  publishImages(): readonly string[];
  /** The two-minute warning of a spot machine, and its end. */
  interrupt(machineID: string): void;
  /** Pods (`namespace/name`) that were given less time to end than they ask for, since the world began. */
  hurriedPods(): readonly string[];
  /** Pods (`namespace/name`), but for those of DaemonSets, that were still on a machine when it stopped running. */
  strandedPods(): readonly string[];
  /** Machines that the region has, ended ones too while it remembers them. */
  machines(): readonly WorldMachine[];
}
