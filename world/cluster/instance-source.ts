/** Instances of the simulated cloud, as far as the world looks at them. */

export interface SimulatedInstance {
  /** `i-…`. */
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly imageID: string;
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  /** What its node is called. */
  readonly privateDnsName: string;
  readonly privateIP: string;
  /** Decoded. */
  readonly userData: string;
  readonly tags: ReadonlyMap<string, string>;
  /** Elastic Fabric Adapters that it has. */
  readonly efaInterfaces: number;
  /** How often it was rebooted. */
  readonly boots: number;
}

export interface InstanceSource {
  instances(): readonly SimulatedInstance[];
  /** Calls at every change of a state. */
  onInstance(listener: (instance: SimulatedInstance) => void): () => void;
  /** Calls when the system of an instance goes down for a reboot, and when it is up again. */
  onReboot(listener: (instance: SimulatedInstance, isUp: boolean) => void): () => void;
}
