/** The table of options: one row parses, documents and defaults one of them. */
import { readDefaultSpread } from '../../../apis/kubernetes/pods/default-spread.js';
import { METRICS_DETAILS } from '../../../controllers/measuring/measuring-context.js';
import { MIN_VALUES_POLICIES } from '../../../controllers/provisioning/relaxed-min-values.js';
import { DEFAULT_DEMAND_TERMS } from '../../../domain/pods/demand.js';
import { LOG_LEVELS } from '../../../runtime/process/pino-logger.js';
import { isLoopback, parseAddress, type Address } from './address.js';
import { APPROVAL_OPTIONS } from './approval-options.js';
import { NOTIFY_OPTIONS } from './notify-options.js';
import { isYes, YES_NO, type OptionRow } from './option-row.js';
import { SAFETY_OPTIONS } from './safety-options.js';
import { CLOUDS } from '../../clouds.js';
import { MODES, ROLES, type Role } from './service-options.js';

const REBALANCE_ACTIONS = ['report', 'replace'] as const;
const PREFERENCE_POLICIES = ['Respect', 'Ignore'] as const;

export const OPTION_TABLE: readonly OptionRow[] = [
  {
    key: 'mode',
    flag: {
      name: 'mode',
      value: MODES.join('|'),
      allowed: MODES,
      help: 'act: launch and disrupt nodes; approve: launches and voluntary disruptions above a threshold wait for approval; observe: change nothing, and report what Berth would do and save beside Karpenter or node groups',
    },
    env: 'BERTH_MODE',
    fallback: 'act',
    parse: (text) => MODES.find((mode) => mode === text) ?? 'act',
  },
  {
    key: 'roles',
    flag: { name: 'roles', value: 'LIST', help: `roles that this process runs, of ${ROLES.join(',')}` },
    env: 'BERTH_ROLES',
    fallback: ROLES.join(','),
    parse: parseRoles,
  },
  {
    key: 'observeIntervalMillis',
    flag: {
      name: 'observe-interval',
      value: 'SECONDS',
      help: 'with --mode observe: length of the periods that are reported',
    },
    env: 'BERTH_OBSERVE_INTERVAL_SECONDS',
    fallback: '3600',
    parse: parseSeconds,
  },
  {
    key: 'kubeconfig',
    flag: {
      name: 'kubeconfig',
      value: 'FILE',
      help: "path to a kubeconfig (default: kubectl's, or the pod's service account)",
    },
    env: 'BERTH_KUBECONFIG',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'context',
    flag: { name: 'context', value: 'NAME', help: 'kubeconfig context (default: the current context)' },
    env: 'BERTH_CONTEXT',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'namespace',
    flag: {
      name: 'namespace',
      short: 'n',
      value: 'NAME',
      help: 'namespace of Berth and of its policy ConfigMaps',
    },
    env: 'POD_NAMESPACE',
    fallback: 'berth-system',
    parse: (text) => text,
  },
  {
    key: 'identity',
    flag: {
      name: 'identity',
      value: 'NAME',
      help: 'holder identity of this replica in the Lease (default: POD_NAME, else host name and process id)',
    },
    env: 'POD_NAME',
    fallback: '',
    parse: (text) => text,
  },
  {
    key: 'clusterName',
    flag: {
      name: 'cluster-name',
      value: 'NAME',
      help: 'cluster name, for instance tags and user data; required with --cloud aws',
    },
    env: 'CLUSTER_NAME',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'cloud',
    flag: {
      name: 'cloud',
      value: [...CLOUDS.keys()].join('|'),
      allowed: [...CLOUDS.keys()],
      help: 'cloud that instances are launched in; required for the role loops',
    },
    env: 'BERTH_CLOUD',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'webhookAddress',
    flag: {
      name: 'webhook-address',
      value: 'HOST:PORT',
      help: 'address of the admission webhooks (TLS)',
    },
    env: 'BERTH_WEBHOOK_ADDRESS',
    fallback: ':9443',
    parse: parseAddress,
  },
  {
    key: 'extenderAddress',
    flag: {
      name: 'extender-address',
      value: 'HOST:PORT',
      help: 'address of the scheduler extender; plain HTTP on loopback, else TLS with client certificates',
    },
    env: 'BERTH_EXTENDER_ADDRESS',
    fallback: ':9444',
    parse: parseAddress,
  },
  {
    key: 'metricsAddress',
    flag: { name: 'metrics-address', value: 'HOST:PORT', help: 'address of /metrics' },
    env: 'BERTH_METRICS_ADDRESS',
    fallback: ':8080',
    parse: parseAddress,
  },
  {
    key: 'metricsDetail',
    flag: {
      name: 'metrics-detail',
      value: METRICS_DETAILS.join('|'),
      allowed: METRICS_DETAILS,
      help: 'full: metrics have a series for each pod, node and offering; bounded: only as many as a large cluster can do with',
    },
    env: 'BERTH_METRICS_DETAIL',
    fallback: 'bounded',
    parse: (text) => METRICS_DETAILS.find((detail) => detail === text) ?? 'bounded',
  },
  {
    key: 'healthAddress',
    flag: { name: 'health-address', value: 'HOST:PORT', help: 'address of /healthz and /readyz' },
    env: 'BERTH_HEALTH_ADDRESS',
    fallback: ':8081',
    parse: parseAddress,
  },
  {
    key: 'dashboardAddress',
    flag: {
      name: 'dashboard-address',
      value: 'HOST:PORT',
      help: 'address of the dashboard, which has no authentication',
    },
    env: 'BERTH_DASHBOARD_ADDRESS',
    fallback: '127.0.0.1:8090',
    parse: parseAddress,
  },
  {
    key: 'adminAddress',
    flag: {
      name: 'admin-address',
      value: 'HOST:PORT',
      help: 'loopback address where the log level is read and set (/log-level) and CPU profiles are taken (/debug/profile); default: none',
    },
    env: 'BERTH_ADMIN_ADDRESS',
    fallback: undefined,
    parse: parseLoopback,
  },
  {
    key: 'localCertificates',
    flag: {
      name: 'local-certificates',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether serving certificates are also valid for localhost',
    },
    env: 'BERTH_LOCAL_CERTIFICATES',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'leaseDurationMillis',
    flag: {
      name: 'lease-duration',
      value: 'SECONDS',
      help: 'leader election lease duration; extenders fail open once the Lease is twice as old',
    },
    env: 'LEASE_DURATION_SECONDS',
    fallback: '15',
    parse: parseSeconds,
  },
  {
    key: 'batchIdleMillis',
    flag: {
      name: 'batch-idle',
      value: 'SECONDS',
      help: 'a batch closes after this time without a new pending pod',
    },
    env: 'BATCH_IDLE_SECONDS',
    fallback: '1',
    parse: (text) => parseSeconds(text),
  },
  {
    key: 'batchMaxMillis',
    flag: { name: 'batch-max', value: 'SECONDS', help: 'maximum time a batch stays open' },
    env: 'BATCH_MAX_SECONDS',
    fallback: '10',
    parse: (text) => parseSeconds(text),
  },
  {
    key: 'planTimeoutMillis',
    flag: { name: 'plan-timeout', value: 'SECONDS', help: 'maximum time of one planning run' },
    env: 'BERTH_PLAN_TIMEOUT_SECONDS',
    fallback: '60',
    parse: (text) => parseSeconds(text),
  },
  {
    key: 'schedulers',
    flag: { name: 'schedulers', value: 'LIST', help: 'schedulers whose pods are planned' },
    env: 'BERTH_SCHEDULERS',
    fallback: DEFAULT_DEMAND_TERMS.schedulers.join(','),
    parse: parseNames,
  },
  {
    key: 'leastPriority',
    flag: {
      name: 'least-priority',
      value: 'N',
      help: 'pods of a lower priority get no nodes and no room (default: pods of every priority do)',
    },
    env: 'BERTH_LEAST_PRIORITY',
    fallback: undefined,
    parse: parsePriority,
  },
  {
    key: 'preferencePolicy',
    flag: {
      name: 'preference-policy',
      value: PREFERENCE_POLICIES.join('|'),
      allowed: PREFERENCE_POLICIES,
      help: 'Respect: preferred affinities and spread count as long as they can be kept; Ignore: they are not looked at',
    },
    env: 'PREFERENCE_POLICY',
    fallback: 'Respect',
    parse: (text) => PREFERENCE_POLICIES.find((policy) => policy === text) ?? 'Respect',
  },
  {
    key: 'defaultSpread',
    flag: {
      name: 'scheduler-config',
      value: 'YAML',
      help: "kube-scheduler's default spread, as {podTopologySpread: {defaultConstraints: […]}} of its configuration: pods without spread constraints are planned by it (default: none)",
    },
    env: 'SCHEDULER_CONFIG',
    fallback: '{}',
    parse: readDefaultSpread,
  },
  {
    key: 'plansDevices',
    flag: {
      name: 'ignore-dra-requests',
      value: 'true|false',
      allowed: ['true', 'false'],
      help: 'true: pods with ResourceClaims are refused; false: they get nodes with the devices that they claim (dynamic resource allocation)',
    },
    env: 'IGNORE_DRA_REQUESTS',
    fallback: 'true',
    parse: (text) => text === 'false',
  },
  {
    key: 'minValuesPolicy',
    flag: {
      name: 'min-values-policy',
      value: MIN_VALUES_POLICIES.join('|'),
      allowed: MIN_VALUES_POLICIES,
      help: 'Strict: pods wait where no NodePool has as many values as its minValues asks for; BestEffort: they get a node with fewer, except with --mode approve. Replacements of nodes are always Strict',
    },
    env: 'MIN_VALUES_POLICY',
    fallback: 'Strict',
    parse: (text) => MIN_VALUES_POLICIES.find((policy) => policy === text) ?? 'Strict',
  },
  {
    key: 'spotToSpot',
    flag: {
      name: 'spot-to-spot',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether spot nodes may be replaced by cheaper spot nodes',
    },
    env: 'BERTH_SPOT_TO_SPOT',
    fallback: 'yes',
    parse: isYes,
  },
  {
    key: 'rebalance',
    flag: {
      name: 'rebalance-recommendations',
      value: REBALANCE_ACTIONS.join('|'),
      allowed: REBALANCE_ACTIONS,
      help: 'replace: spot nodes are replaced when the cloud recommends to rebalance them; report: an event names them',
    },
    env: 'BERTH_REBALANCE_RECOMMENDATIONS',
    fallback: 'report',
    parse: (text) => REBALANCE_ACTIONS.find((action) => action === text) ?? 'report',
  },
  {
    key: 'plannerMemoryMiB',
    flag: {
      name: 'planner-memory',
      value: 'MIB',
      help: "heap limit of the planner's thread; auto: what the main thread's heap leaves of the container's memory",
    },
    env: 'BERTH_PLANNER_MEMORY_MIB',
    fallback: 'auto',
    parse: (text) => (text === 'auto' ? undefined : parseCount(text)),
  },
  {
    key: 'nominate',
    flag: {
      name: 'nominate',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether planned pods get status.nominatedNodeName',
    },
    env: 'BERTH_NOMINATE',
    fallback: 'yes',
    parse: isYes,
  },
  {
    key: 'taintNewNodes',
    flag: {
      name: 'taint-new-nodes',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether new nodes have the taint berth.sh/held until the pods planned on them are bound',
    },
    env: 'BERTH_TAINT_NEW_NODES',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'podDeletionCost',
    flag: {
      name: 'pod-deletion-cost',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether pods of nodes that should go are deleted first when a ReplicaSet is scaled in; no removes what was written',
    },
    env: 'BERTH_POD_DELETION_COST',
    fallback: 'yes',
    parse: isYes,
  },
  {
    key: 'preemptWhileLaunching',
    flag: {
      name: 'preempt-while-launching',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether a pod may preempt others while its node is being launched',
    },
    env: 'BERTH_PREEMPT_WHILE_LAUNCHING',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'maxNodesToScore',
    flag: {
      name: 'max-nodes-to-score',
      value: 'N',
      help: 'how many nodes kube-scheduler scores at most for a pod that has no plan and no preferences',
    },
    env: 'BERTH_MAX_NODES_TO_SCORE',
    fallback: '100',
    parse: parseCount,
  },
  {
    key: 'checkCapacityInstance',
    flag: {
      name: 'check-capacity-processor-instance',
      value: 'NAME',
      help: 'answer only ProvisioningRequests of the class check-capacity whose parameter processorInstance is NAME (default: all that name no instance)',
    },
    env: 'BERTH_CHECK_CAPACITY_PROCESSOR_INSTANCE',
    fallback: '',
    parse: (text) => text,
  },
  {
    key: 'decisionsKept',
    flag: {
      name: 'decisions-kept',
      value: 'N',
      help: 'maximum number of Decisions kept; the oldest are deleted',
    },
    env: 'BERTH_DECISIONS_KEPT',
    fallback: '5000',
    parse: parseCount,
  },
  ...SAFETY_OPTIONS,
  ...APPROVAL_OPTIONS,
  ...NOTIFY_OPTIONS,
  {
    key: 'kubeQps',
    flag: {
      name: 'kube-qps',
      value: 'N',
      help: 'API client requests per second, watches and Leases not counted',
    },
    env: 'KUBE_CLIENT_QPS',
    fallback: '200',
    parse: parseCount,
  },
  {
    key: 'kubeBurst',
    flag: { name: 'kube-burst', value: 'N', help: 'API client burst size' },
    env: 'KUBE_CLIENT_BURST',
    fallback: '300',
    parse: parseCount,
  },
  {
    key: 'logLevel',
    flag: {
      name: 'log-level',
      value: LOG_LEVELS.join('|'),
      allowed: LOG_LEVELS,
      help: 'minimum log level',
    },
    env: 'LOG_LEVEL',
    fallback: 'info',
    parse: (text) => LOG_LEVELS.find((level) => level === text) ?? 'info',
  },
  {
    key: 'virtualTime',
    flag: {
      name: 'virtual-time',
      value: 'HOST:PORT',
      help: 'follow the time of the embedded world that is served there; never for a real cluster',
    },
    env: 'BERTH_VIRTUAL_TIME',
    fallback: undefined,
    parse: parseAddress,
  },
];

function parseRoles(text: string): readonly Role[] {
  return text.split(',').map((word) => {
    const role = ROLES.find((each) => each === word.trim());
    if (role === undefined) throw new RangeError(`expected a list of ${ROLES.join(', ')}`);
    return role;
  });
}

function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))) return names;
  throw new RangeError('expected names of schedulers such as default-scheduler,my-scheduler');
}

/** As PriorityClasses have it. */
function parsePriority(text: string): number {
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (Math.abs(value) <= 2 ** 31) return value;
  throw new RangeError('expected a priority such as -10 or 0');
}

/** What is served there has no authentication. */
function parseLoopback(text: string): Address {
  const address = parseAddress(text);
  if (!isLoopback(address)) throw new RangeError('expected an address of loopback, such as 127.0.0.1:8082');
  return address;
}

/** Seconds, decimals allowed, as milliseconds. */
function parseSeconds(text: string): number {
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (!(seconds > 0)) throw new RangeError('expected seconds above 0, such as 1 or 0.5');
  return Math.round(seconds * 1000);
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new RangeError('expected a whole number from 1 to 999999');
}
