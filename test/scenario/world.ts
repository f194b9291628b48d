/** What a scenario sees of a cluster and does to it, whichever backend there is: a real control plane or a simulated one. */
import type { AwsSimulator } from '../../world/aws/aws-simulator.js';

/** A Kubernetes object as a user writes it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface ObjectName {
  readonly kind: string;
  /** `default` unless given, where the kind has namespaces. */
  readonly namespace?: string;
  readonly name: string;
}

export interface SeenPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** undefined while pending. */
  readonly nodeName: string | undefined;
  readonly ready: boolean;
  /** Whether its owner is a DaemonSet. */
  readonly ofDaemonSet: boolean;
  /** The message of PodScheduled=False, or ''. */
  readonly refusal: string;
}

export interface SeenNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  readonly ready: boolean;
}

export interface SeenClaim {
  readonly name: string;
  readonly nodePool: string;
  readonly nodeName: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  /** USD/h. */
  readonly hourlyPrice: number | undefined;
  readonly imageID: string | undefined;
  /** Why it is taken away: status.disruption.reason. */
  readonly disruption: string | undefined;
  /** Conditions that are True. */
  readonly conditions: readonly string[];
  readonly deleting: boolean;
}

export interface SeenInstance {
  readonly id: string;
  readonly state: string;
  readonly tags: ReadonlyMap<string, string>;
  /** Whether Nitro Enclaves can run on it. */
  readonly enclaves: boolean;
  /** Elastic Fabric Adapters that it has. */
  readonly efaInterfaces: number;
}

/** Where Berth planned a pod, as its reservations told from the first to the last. */
export interface SeenPlan {
  /** `NodeClaim/<name>` or `Node/<name>`. */
  readonly targets: readonly string[];
}

export interface SeenDecision {
  readonly name: string;
  readonly subject: string;
  readonly action: string;
  readonly reason: string;
  readonly message: string;
  /** How far a proposal is; undefined of others. */
  readonly phase: string | undefined;
}

/** A PolicyStatus. */
export interface SeenPolicy {
  /** `nodepool.general`. */
  readonly name: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** A ProvisioningRequest. */
export interface SeenRequest {
  readonly name: string;
  /** `Provisioned=True CapacityIsFound`. */
  readonly conditions: readonly string[];
  /** Of status.provisioningClassDetails. */
  readonly schedulablePodSets: string | undefined;
}

export interface SeenEvent {
  /** `Kind/name`, namespaced as `Kind/namespace/name`. */
  readonly subject: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** What happens to a cloud from outside, in every world the one of the simulated AWS. */
export type CloudLevers = Pick<
  AwsSimulator,
  | 'addPlacementGroup'
  | 'addReservation'
  | 'interrupt'
  | 'rebalance'
  | 'publishImage'
  | 'faults'
  | 'log'
  | 'sendMessage'
  | 'deny'
  | 'setStock'
  | 'shiftAway'
>;

/** A condition in the status of a Node. */
export interface NodeConditionChange {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

export interface World {
  readonly cloud: CloudLevers;
  apply(manifests: readonly Manifest[]): Promise<void>;
  remove(object: ObjectName): Promise<void>;
  scale(object: ObjectName, replicas: number): Promise<void>;
  /** As an agent does that watches the health of nodes. */
  setNodeCondition(node: string, condition: NodeConditionChange): Promise<void>;
  /** Changes what the first container of a pod requests, in place. */
  resize(pod: Pick<SeenPod, 'namespace' | 'name'>, requests: Readonly<Record<string, string>>): Promise<void>;
  pods(): Promise<readonly SeenPod[]>;
  nodes(): Promise<readonly SeenNode[]>;
  claims(): Promise<readonly SeenClaim[]>;
  decisions(): Promise<readonly SeenDecision[]>;
  /** Approves or rejects what the Decision proposes. */
  decide(verdict: 'approve' | 'reject', decision: string): Promise<void>;
  policies(): Promise<readonly SeenPolicy[]>;
  events(): Promise<readonly SeenEvent[]>;
  /** By name; fails where the kind is not installed. */
  requests(): Promise<readonly SeenRequest[]>;
  /** Instances of the cloud, ended ones too. */
  instances(): readonly SeenInstance[];
  /** By pod uid. */
  plans(): Promise<ReadonlyMap<string, SeenPlan>>;
  /** Takes capacity out of the cloud's stock, or puts it back: instance type, zone and capacity type, each optional. */
  setStock(
    pool: { readonly instanceType?: string; readonly zone?: string; readonly capacityType?: string },
    instances: number,
  ): void;
  /**
   * Lets time pass until `look` answers something other than undefined or false.
   * @throws Error naming `what`, when that takes longer.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>, seconds: number): Promise<T>;
  /** Berth's Clock, in milliseconds since 1970. */
  now(): number;
  /** Lets so much time pass; where time is real, 20 seconds at most. */
  quietFor(seconds: number): Promise<void>;
}
