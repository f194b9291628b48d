/** What Berth's long-running commands can be told. */
import type { LogLevel } from '../../runtime/pino-logger.js';
import type { Address } from './address.js';
import type { Role } from './roles.js';

export interface ServiceOptions {
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
  readonly cloud: 'memory';
  /** Where the in-memory cloud is served; undefined: in this process, and gone with it. */
  readonly memoryCloud: string | undefined;
  readonly region: string;
  readonly webhookAddress: Address;
  readonly extenderAddress: Address;
  readonly metricsAddress: Address;
  readonly healthAddress: Address;
  /** Whether serving certificates also name localhost: for processes outside a cluster. */
  readonly localCertificates: boolean;
  readonly batchIdleMillis: number;
  readonly batchMaxMillis: number;
  readonly planTimeoutMillis: number;
  /** Whether planned pods are nominated to their node (level L0). */
  readonly nominate: boolean;
  /** Whether kube-scheduler may evict others for a pod whose node is being launched. */
  readonly preemptWhileLaunching: boolean;
  readonly decisionsKept: number;
  /** Requests a second to the API server, and how many at once after a pause. */
  readonly kubeQps: number;
  readonly kubeBurst: number;
  readonly logLevel: LogLevel;
}
