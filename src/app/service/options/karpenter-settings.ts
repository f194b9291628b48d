/**
 * Settings of Karpenter 1.15, by their environment variables: each works, or is refused with what replaces it, so that no
 * setting is silently without effect.
 */
import { UsageError } from '../../command/usage-error.js';

/** An environment variable or feature gate of Karpenter. */
export interface KarpenterSetting {
  readonly name: string;
  /** What it does here, or what replaces it; without a full stop. */
  readonly text: string;
  /** Berth's variable that it sets; the same name where Berth reads it itself. Refused where this and `only` are missing. */
  readonly variable?: string | undefined;
  /** From its value to that of the variable. @throws RangeError saying what is expected. */
  readonly convert?: ((value: string) => string) | undefined;
  /** The one value that it may have, since Berth does that in any case. */
  readonly only?: string | undefined;
}

export const KARPENTER_SETTINGS: readonly KarpenterSetting[] = [
  same('CLUSTER_NAME'),
  same('CLUSTER_ENDPOINT'),
  same('CLUSTER_CA_BUNDLE'),
  same('INTERRUPTION_QUEUE'),
  same('KUBE_CLIENT_QPS'),
  same('KUBE_CLIENT_BURST'),
  same('LOG_LEVEL'),
  same('PREFERENCE_POLICY'),
  { name: 'ISOLATED_VPC', variable: 'ISOLATED_VPC', convert: yesOrNo, text: 'works' },
  { name: 'BATCH_MAX_DURATION', variable: 'BATCH_MAX_SECONDS', convert: seconds, text: 'sets --batch-max' },
  {
    name: 'BATCH_IDLE_DURATION',
    variable: 'BATCH_IDLE_SECONDS',
    convert: seconds,
    text: 'sets --batch-idle',
  },
  {
    name: 'METRICS_PORT',
    variable: 'BERTH_METRICS_ADDRESS',
    convert: portAddress,
    text: 'sets the port of --metrics-address',
  },
  {
    name: 'HEALTH_PROBE_PORT',
    variable: 'BERTH_HEALTH_ADDRESS',
    convert: portAddress,
    text: 'sets the port of --health-address',
  },
  {
    name: 'DISABLE_DRY_RUN',
    variable: 'BERTH_CHECK_PERMISSIONS',
    convert: noOrYes,
    text: 'sets --check-permissions to the opposite',
  },
  {
    name: 'DISABLE_CLUSTER_STATE_OBSERVABILITY',
    only: 'false',
    text: 'metrics of the cluster are always there; --metrics-detail bounds how many',
  },
  same('MIN_VALUES_POLICY'),
  same('IGNORE_DRA_REQUESTS'),
  same('VM_MEMORY_OVERHEAD_PERCENT'),
  same('RESERVED_ENIS'),
  { name: 'ENABLE_ZONAL_SHIFT', variable: 'ENABLE_ZONAL_SHIFT', convert: yesOrNo, text: 'works' },
  {
    name: 'EKS_CONTROL_PLANE',
    variable: 'EKS_CONTROL_PLANE',
    text: 'EKS is asked for what --cluster-endpoint and --kubernetes-version do not say',
  },
  { name: 'AMI_REFRESH_INTERVAL', only: '1m', text: 'images are looked up every minute' },
  { name: 'SUBNET_REFRESH_INTERVAL', only: '1m', text: 'subnets are looked up at least every minute' },
  { name: 'SECURITY_GROUP_REFRESH_INTERVAL', only: '1m', text: 'security groups are looked up every minute' },
  {
    name: 'LEGACY_NODE_REPAIR',
    only: 'false',
    text: 'there is one way of repair: within budgets, by policies for each reason',
  },
  same('SCHEDULER_CONFIG'),
  {
    name: 'ENABLE_PROFILING',
    variable: 'BERTH_ADMIN_ADDRESS',
    convert: (value) => (yesOrNo(value) === 'yes' ? '127.0.0.1:8082' : ''),
    text: 'sets --admin-address to 127.0.0.1:8082',
  },
  { name: 'LOG_OUTPUT_PATHS', only: 'stdout', text: 'the log goes to stdout' },
  {
    name: 'LOG_ERROR_OUTPUT_PATHS',
    only: 'stderr',
    text: 'the log goes to stdout, errors of the process to stderr',
  },
  {
    name: 'DISABLE_LEADER_ELECTION',
    only: 'false',
    text: 'the leader is always elected; one replica is always the leader',
  },
  { name: 'LEADER_ELECTION_NAME', text: 'the Lease is always berth' },
  { name: 'LEADER_ELECTION_NAMESPACE', text: 'the Lease is in the namespace of Berth (--namespace)' },
  {
    name: 'DISABLE_CONTROLLER_WARMUP',
    only: 'true',
    text: 'all replicas watch the cluster before they lead',
  },
  { name: 'CPU_REQUESTS', text: 'planning has one thread' },
  { name: 'MEMORY_LIMIT', text: "the container's limit is read; --planner-memory sets the planner's share" },
  { name: 'KARPENTER_SERVICE', text: 'the Services have fixed names' },
];

/** In FEATURE_GATES: `NAME=true`. */
export const KARPENTER_GATES: readonly KarpenterSetting[] = [
  { name: 'NodeRepair', only: 'true', text: 'unhealthy nodes are always replaced' },
  { name: 'NodeOverlay', only: 'true', text: 'NodeOverlays are always read' },
  {
    name: 'ReservedCapacity',
    only: 'true',
    text: 'capacity reservations that an EC2NodeClass selects are always used',
  },
  {
    name: 'SpotToSpotConsolidation',
    variable: 'BERTH_SPOT_TO_SPOT',
    convert: yesOrNo,
    text: 'sets --spot-to-spot',
  },
  {
    name: 'PodDeletionCostManagement',
    variable: 'BERTH_POD_DELETION_COST',
    convert: yesOrNo,
    text: 'sets --pod-deletion-cost',
  },
  { name: 'StaticCapacity', only: 'true', text: 'NodePools with replicas are always static' },
  {
    name: 'CapacityBuffer',
    only: 'true',
    text: 'CapacityBuffers are always read where the cluster has them',
  },
  { name: 'TerminateFirstDrift', only: 'false', text: 'NodePools say so: berth.terminateFirst' },
  {
    name: 'TerminateFirstRepair',
    only: 'false',
    text: 'an unhealthy node never waits for its replacement for long',
  },
];

/** In AWS_FEATURE_GATES. */
export const KARPENTER_CLOUD_GATES: readonly KarpenterSetting[] = [
  {
    name: 'NodeClassCEL',
    variable: 'BERTH_KUBELET_EXPRESSIONS',
    convert: yesOrNo,
    text: 'sets --kubelet-expressions',
  },
  {
    name: 'DRANVIDIAGPU',
    only: 'false',
    text: 'IGNORE_DRA_REQUESTS=false plans claims of the GPUs of instance types, too',
  },
  {
    name: 'DRAEFA',
    only: 'false',
    text: 'claims of Elastic Fabric Adapters are not planned; request vpc.amazonaws.com/efa',
  },
  {
    name: 'RebootForRepair',
    variable: 'BERTH_REBOOT_FOR_REPAIR',
    convert: yesOrNo,
    text: 'sets --reboot-for-repair',
  },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with Berth's variables that Karpenter's set; a variable of Berth's that is given counts more.
 * @throws UsageError naming every variable and gate that is refused, with what replaces it.
 */
export function withKarpenterSettings(env: Environment): Environment {
  const set: Record<string, string> = {};
  const refused: string[] = [];
  const take = ({ only, convert, variable, text }: KarpenterSetting, label: string, value: string): void => {
    try {
      if (variable !== undefined) set[variable] = convert === undefined ? value : convert(value);
      else if (only?.toLowerCase() !== value.toLowerCase()) refused.push(`${label} has no effect: ${text}`);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refused.push(`${label}: ${error.message}`);
    }
  };
  for (const setting of KARPENTER_SETTINGS) {
    const value = env[setting.name] ?? '';
    if (value !== '' && setting.variable !== setting.name) take(setting, `${setting.name} ${value}`, value);
    else if (value !== '' && setting.convert !== undefined) take(setting, `${setting.name} ${value}`, value);
  }
  for (const [variable, gates] of [
    ['FEATURE_GATES', KARPENTER_GATES],
    ['AWS_FEATURE_GATES', KARPENTER_CLOUD_GATES],
  ] as const)
    for (const [name, value] of gatesIn(env[variable] ?? '')) {
      const gate = gates.find((each) => each.name === name);
      const known = gates.map((each) => each.name).join(', ');
      if (gate === undefined) refused.push(`${variable} ${name}: expected one of ${known}`);
      else take(gate, `${variable} ${name}=${value}`, value);
    }
  if (refused.length > 0) throw new UsageError(refused.join('\n'));
  const own = Object.entries(set).filter(([name]) => name in KARPENTER_NAMES || (env[name] ?? '') === '');
  return { ...env, ...Object.fromEntries(own) };
}

const KARPENTER_NAMES = Object.fromEntries(KARPENTER_SETTINGS.map(({ name }) => [name, true]));

function same(name: string): KarpenterSetting {
  return { name, variable: name, text: 'works' };
}

function gatesIn(text: string): readonly (readonly [string, string])[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.flatMap((part) => {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim());
    return part === '' ? [] : [[name, value] as const];
  });
}

function yesOrNo(value: string): string {
  const word = { true: 'yes', yes: 'yes', false: 'no', no: 'no' }[value.toLowerCase()];
  if (word === undefined) throw new RangeError('expected true or false');
  return word;
}

function noOrYes(value: string): string {
  return yesOrNo(value) === 'yes' ? 'no' : 'yes';
}

function portAddress(value: string): string {
  if (!/^\d{1,5}$/.test(value)) throw new RangeError('expected a port');
  return `:${value}`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** A duration as Go writes it. */
function seconds(value: string): string {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(value))
    throw new RangeError('expected a duration such as 10s, 500ms or 1m30s');
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const sum = parts.reduce(
    (total, [, amount, unit = '']) => total + Number(amount) * (UNIT_SECONDS[unit] ?? 0),
    0,
  );
  return String(Math.round(sum * 1000) / 1000);
}
