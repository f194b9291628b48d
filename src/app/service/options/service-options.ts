/** The options of Berth's long-running commands. */
import type { ApprovalSettings } from '../../../controllers/approval/approval-settings.js';
import type { SafetyLimits } from '../../../controllers/safeguards/safety-limits.js';
import type { MetricsDetail } from '../../../controllers/measuring/measuring-context.js';
import type { MinValuesPolicy } from '../../../controllers/provisioning/relaxed-min-values.js';
import type { DemandTerms } from '../../../domain/pods/demand.js';
import type { PlanOptions } from '../../../planning/plan-options.js';
import type { LogLevel } from '../../../runtime/process/pino-logger.js';
import type { Address } from './address.js';
import type { NotifyOptions } from './notify-options.js';

/** What one process of Berth does; the loops run on one replica at a time, everything else on all. */
export const ROLES = ['loops', 'webhooks', 'extender', 'metrics', 'dashboard'] as const;
export type Role = (typeof ROLES)[number];

/** Whether Berth acts, asks before large steps, or only observes what another system does and reports what it would do. */
export const MODES = ['act', 'approve', 'observe'] as const;
export type Mode = (typeof MODES)[number];

/** What a process that only observes has: it answers neither kube-scheduler nor the API server. */
export const OBSERVING_ROLES: readonly Role[] = ['loops', 'metrics', 'dashboard'];

export interface ServiceOptions extends SafetyLimits, ApprovalSettings, DemandTerms, NotifyOptions {
  readonly mode: Mode;
  /** While observing: how long the periods of the report are. */
  readonly observeIntervalMillis: number;
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
  readonly cloud: string | undefined;
  /** Values of the options of clouds, by key. */
  readonly cloudOptions: Readonly<Record<string, unknown>>;
  readonly webhookAddress: Address;
  readonly extenderAddress: Address;
  readonly metricsAddress: Address;
  /** Whether objects have a series each in a large cluster, too. */
  readonly metricsDetail: MetricsDetail;
  readonly healthAddress: Address;
  readonly dashboardAddress: Address;
  /** Where log level and profiles are served; undefined: nowhere. */
  readonly adminAddress: Address | undefined;
  /** Whether serving certificates also name localhost: for processes outside a cluster. */
  readonly localCertificates: boolean;
  /** How long the leader's Lease holds without being renewed. */
  readonly leaseDurationMillis: number;
  readonly batchIdleMillis: number;
  readonly batchMaxMillis: number;
  readonly planTimeoutMillis: number;
  /** Whether preferred affinities and spread count as long as they can be kept. */
  readonly preferencePolicy: PlanOptions['preferencePolicy'];
  /** Of pods that have none: kube-scheduler's defaultConstraints. */
  readonly defaultSpread: PlanOptions['defaultSpread'];
  /** Whether pods may get nodes of fewer values than minValues asks for. */
  readonly minValuesPolicy: MinValuesPolicy;
  /** Whether spot nodes may be replaced by cheaper spot nodes. */
  readonly spotToSpot: boolean;
  /** What happens to nodes that the cloud recommends to rebalance. */
  readonly rebalance: 'report' | 'replace';
  /** MiB of JavaScript objects that the planner's thread may hold; undefined: what the main thread leaves of the container. */
  readonly plannerMemoryMiB: number | undefined;
  /** Whether planned pods are nominated to their node (level L0). */
  readonly nominate: boolean;
  /** Whether new nodes have the taint berth.sh/held until the pods are bound that they were launched for. */
  readonly taintNewNodes: boolean;
  /** Whether pods of nodes that should go get a low pod deletion cost. */
  readonly podDeletionCost: boolean;
  /** Whether kube-scheduler may evict others for a pod whose node is being launched. */
  readonly preemptWhileLaunching: boolean;
  /** Nodes that the extender leaves kube-scheduler to score for a pod without a plan and without preferences. */
  readonly maxNodesToScore: number;
  /** Of ProvisioningRequests that check capacity: the instance that they name; '': those that name none. */
  readonly checkCapacityInstance: string;
  readonly decisionsKept: number;
  /** Requests a second to the API server, and how many at once after a pause. */
  readonly kubeQps: number;
  readonly kubeBurst: number;
  readonly logLevel: LogLevel;
  /** Where the time of an embedded world is served; undefined: time is the host's. */
  readonly virtualTime: Address | undefined;
}
