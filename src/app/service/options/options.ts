/** Reads the options of Berth's long-running commands from flags and environment. */
import type { Arguments, Flag } from '../../command/command.js';
import { UsageError } from '../../command/usage-error.js';
import type { CloudOption } from '../../../runtime/process/cloud-provider.js';
import { CLOUDS } from '../../clouds.js';
import { withKarpenterSettings } from './karpenter-settings.js';
import type { OptionRow } from './option-row.js';
import { OPTION_TABLE } from './option-table.js';
import { OBSERVING_ROLES, type Role, ROLES, type ServiceOptions } from './service-options.js';

/** The options that only one of the clouds has. */
const CLOUD_OPTIONS: readonly CloudOption[] = [...CLOUDS.values()].flatMap(({ options }) => options);

/** Flag → default that differs from the table's. */
export type OwnDefaults = Readonly<Record<string, string>>;

/** Only its kube-scheduler has to reach it. */
export const EXTENDER_DEFAULTS: OwnDefaults = { 'extender-address': '127.0.0.1:9444' };

/** What a reader of the cluster needs. */
const EXTENDER_FLAG_NAMES: readonly string[] = [
  'kubeconfig',
  'context',
  'namespace',
  'extender-address',
  'metrics-address',
  'health-address',
  'lease-duration',
  'preempt-while-launching',
  'max-nodes-to-score',
  'schedulers',
  'least-priority',
  'kube-qps',
  'kube-burst',
  'log-level',
];

/** The flags of `berth controller`, defaults and environment variables in their help. */
export const SERVICE_FLAGS: readonly Flag[] = documented({});

/** The flags of `berth extender`. */
export const EXTENDER_FLAGS: readonly Flag[] = documented(EXTENDER_DEFAULTS).filter(({ name }) =>
  EXTENDER_FLAG_NAMES.includes(name),
);

const CLOUD_FLAG_NAMES: readonly string[] = ['kubeconfig', 'context', 'namespace', 'cluster-name', 'cloud'];

/** Of commands that reach the cluster and its cloud as the operator: those that say which. */
export const CLOUD_FLAGS: readonly Flag[] = documented({}).filter(
  ({ name }) =>
    CLOUD_FLAG_NAMES.includes(name) ||
    CLOUD_OPTIONS.some(({ flag, isAddress }) => flag.name === name && isAddress === true),
);

/** Of `berth ui`: any free port, and no lines but what matters. */
export const PAGE_DEFAULTS: OwnDefaults = { 'dashboard-address': '127.0.0.1:0', 'log-level': 'warn' };

const PAGE_FLAG_NAMES: readonly string[] = [
  'kubeconfig',
  'context',
  'namespace',
  'dashboard-address',
  'kube-qps',
  'kube-burst',
  'log-level',
];

/** The flags of `berth ui`. */
export const PAGE_FLAGS: readonly Flag[] = documented(PAGE_DEFAULTS).filter(({ name }) =>
  PAGE_FLAG_NAMES.includes(name),
);

function documented(defaults: OwnDefaults): readonly Flag[] {
  return [...OPTION_TABLE, ...CLOUD_OPTIONS].map((row) => {
    const fallback = fallbackOf(row, defaults) ?? '';
    const standard = fallback === '' ? '' : `; default: ${fallback}`;
    return { ...row.flag, help: `${row.flag.help} (${row.env}${standard})` };
  });
}

function fallbackOf({ flag, fallback }: OptionRow | CloudOption, defaults: OwnDefaults): string | undefined {
  return defaults[flag.name] ?? fallback;
}

/**
 * Flags before environment, Karpenter's variables included, before defaults, of which a command may have its own, by flag.
 * @throws UsageError naming the flag or variable, its value and what is expected.
 */
export function readServiceOptions(
  args: Arguments,
  surroundings: Readonly<Record<string, string | undefined>>,
  defaults: OwnDefaults = {},
): ServiceOptions {
  const env = withKarpenterSettings(surroundings);
  const entriesOf = (rows: readonly (OptionRow | CloudOption)[]) =>
    rows.map((row) => {
      const fallback = fallbackOf(row, defaults);
      return [row.key, readRow(row, args, { env, fallback })] as const;
    });
  const cloudOptions = Object.fromEntries(entriesOf(CLOUD_OPTIONS));
  // Each row's parse answers the type of its key; the table's type holds the two together.
  const options = {
    ...Object.fromEntries(entriesOf(OPTION_TABLE)),
    cloudOptions,
  } as unknown as ServiceOptions;
  return options.mode === 'observe' ? { ...options, roles: observingRoles(options.roles) } : options;
}

/** @throws UsageError, when roles are asked for that only a process which acts has, and not simply all. */
function observingRoles(roles: readonly Role[]): readonly Role[] {
  const isAll = ROLES.every((role) => roles.includes(role));
  const acting = roles.filter((role) => !OBSERVING_ROLES.includes(role));
  if (acting.length === 0 || isAll) return roles.filter((role) => OBSERVING_ROLES.includes(role));
  throw new UsageError(
    `--roles ${roles.join(',')}: --mode observe serves no webhooks and no extender; expected a list of ${OBSERVING_ROLES.join(', ')}`,
  );
}

/** Answers whether the row's value is a secret. @throws UsageError, when it stands in a flag, which others can see. */
function checkSecret(row: OptionRow | CloudOption, given: string | undefined): boolean {
  if (!('isSecret' in row && row.isSecret === true)) return false;
  if (given?.startsWith('@') !== false) return true;
  throw new UsageError(`--${row.flag.name}: expected @FILE; other users can see flags`, { aboutFlags: true });
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fallback: string | undefined;
}

function readRow(row: OptionRow | CloudOption, args: Arguments, { env, fallback }: Surroundings): unknown {
  const given = args.value(row.flag.name);
  const variable = env[row.env];
  const text = given ?? (variable === undefined || variable === '' ? fallback : variable);
  if (text === undefined) return undefined;
  const { allowed } = row.flag;
  const name = given === undefined ? row.env : `--${row.flag.name}`;
  const isSecret = checkSecret(row, given);
  if (allowed !== undefined && !allowed.includes(text))
    throw new UsageError(`${name} ${text}: expected one of ${allowed.join(', ')}`);
  try {
    return row.parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = isSecret ? name : `${name} ${text}`;
    throw new UsageError(`${what}: ${error.message}`, { aboutFlags: given !== undefined });
  }
}
