/** The options of Berth's long-running commands. */
import type { SafetyLimits } from '../../../controllers/safeguards/index.js';
import type { LogLevel } from '../../../runtime/process/pino-logger.js';
import type { Address } from './address.js';

/** What one process of Berth does; the loops run on one replica at a time, everything else on all. */
export const ROLES = ['loops', 'webhooks', 'extender', 'metrics', 'dashboard'] as const;
export type Role = (typeof ROLES)[number];

/** The clouds that instances can be launched in. */
export const CLOUDS = ['aws'] as const;
export type CloudName = (typeof CLOUDS)[number];

export interface ServiceOptions extends SafetyLimits {
  readonly roles: readonly Role[];
  /** undefined: KUBECONFIG, the pod's own account, or ~/.kube/config, in kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Where Berth runs and its policies are. */
  readonly namespace: string;
  /** Names this replica in the Lease. */
  readonly identity: string;
  /** Of the nodes' tags and names; undefined: none. */
  readonly clusterName: string | undefined;
  /** Where instances are launched; undefined: not given, which only a process without loops can do without. */
  readonly cloud: CloudName | undefined;
  /** undefined where neither a flag nor the environment names it. */
  readonly region: string | undefined;
  /** One URL for all services of AWS, for a simulator; undefined: AWS itself. */
  readonly awsEndpoint: string | undefined;
  /** Name or URL of the SQS queue of interruption events; undefined: none. */
  readonly interruptionQueue: string | undefined;
  /** What nodes have to know of the cluster; undefined: EKS is asked. */
  readonly clusterEndpoint: string | undefined;
  /** PEM in base64. */
  readonly clusterCertificateAuthority: string | undefined;
  readonly clusterServiceCIDR: string | undefined;
  /** `1.36`, for the images of aliases. */
  readonly kubernetesVersion: string | undefined;
  /** What node classes may name, with `*` for anything; undefined: everything. */
  readonly nodeRoles: readonly string[] | undefined;
  readonly nodeProfiles: readonly string[] | undefined;
  readonly nodeSubnets: readonly string[] | undefined;
  readonly nodeImageOwners: readonly string[] | undefined;
  /** Whether missing permissions are looked for before they are needed. */
  readonly checkPermissions: boolean;
  /** Without a way to AWS' price list. */
  readonly isolatedVPC: boolean;
  readonly webhookAddress: Address;
  readonly extenderAddress: Address;
  readonly metricsAddress: Address;
  readonly healthAddress: Address;
  readonly dashboardAddress: Address;
  /** Whether serving certificates also name localhost: for processes outside a cluster. */
  readonly localCertificates: boolean;
  /** How long the leader's Lease holds without being renewed. */
  readonly leaseDurationMillis: number;
  readonly batchIdleMillis: number;
  readonly batchMaxMillis: number;
  readonly planTimeoutMillis: number;
  /** MiB of JavaScript objects that the planner's thread may hold; undefined: 60 % of what the container may. */
  readonly plannerMemoryMiB: number | undefined;
  /** Whether planned pods are nominated to their node (level L0). */
  readonly nominate: boolean;
  /** Whether kube-scheduler may evict others for a pod whose node is being launched. */
  readonly preemptWhileLaunching: boolean;
  readonly decisionsKept: number;
  /** Requests a second to the API server, and how many at once after a pause. */
  readonly kubeQps: number;
  readonly kubeBurst: number;
  readonly logLevel: LogLevel;
  /** Where the time of an embedded world is served; undefined: time is the host's. */
  readonly virtualTime: Address | undefined;
}
