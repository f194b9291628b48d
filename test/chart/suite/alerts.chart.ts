/** Each alert of the chart fires when it should, alone, and not a little before: promtool evaluates the rules that helm renders. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { programPath, rendered } from '../helm.js';

const run = promisify(execFile);
/** Long enough for every alert but that of a pause, and where the others are looked at. */
const MINUTES = 90;
const DAY_MINUTES = 1600;

interface Rule {
  readonly alert: string;
  readonly annotations?: object;
}
interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** Series without their namespace → their values by minute, as promtool writes them (`0+1x90`: each minute one more). */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly fires: Series;
  readonly rests: Series;
  readonly minutes?: number;
}

const ALIVE: Series = { 'berth_build_info{version="1"}': always(1, DAY_MINUTES) };
const GROWS = '0+1x90';

function always(value: number, minutes = MINUTES): string {
  return `${String(value)}x${String(minutes)}`;
}

/** A case of a gauge: a value at which it fires, and one at which it does not. */
function gauge(name: string, fires: number, rests: number): Case {
  return { fires: { [name]: always(fires) }, rests: { [name]: always(rests) } };
}

/** A case of a counter that is all right as long as it does not grow. */
function counter(name: string): Case {
  return { fires: { [name]: GROWS }, rests: { [name]: always(7) } };
}

/** A histogram of ten observations a minute, all of them in the bucket up to `seconds`. */
function observed(name: string, labels: string, seconds: string): Series {
  const of = (le: string): string => `${name}_bucket{${labels}le="${le}"}`;
  return { [of('0.01')]: always(0), [of(seconds)]: '0+10x90', [of('+Inf')]: '0+10x90' };
}

const AWS = (outcome: string): string =>
  `berth_aws_requests_total{service="ec2",operation="CreateFleet",outcome="${outcome}"}`;
const LAUNCHES = (outcome: string): string => `berth_launches_total{nodepool="general",outcome="${outcome}"}`;
const POOL = '{nodepool="general",resource_type="cpu"}';
const EXTENDER = 'berth_extender_duration_seconds';
const INTERRUPTIONS = 'karpenter_interruption_message_queue_duration_seconds';

const CASES: Readonly<Record<string, Case>> = {
  BerthDown: { fires: { 'berth_build_info{version="1"}': '_x90' }, rests: {} },
  BerthNoLeader: {
    fires: { 'berth_leader{pod="a"}': always(0), 'berth_leader{pod="b"}': always(0) },
    rests: { 'berth_leader{pod="a"}': always(0), 'berth_leader{pod="b"}': always(1) },
  },
  BerthClusterStateNotSynced: gauge('karpenter_cluster_state_synced{pod="a"}', 0, 1),
  BerthCloudErrors: {
    fires: { [AWS('throttled')]: GROWS, [AWS('ok')]: GROWS },
    rests: { [AWS('throttled')]: GROWS, [AWS('ok')]: '0+9x90' },
  },
  BerthLaunchesFail: {
    // Nothing was ever launched, so that there is no series of launches.
    fires: { [LAUNCHES('failed')]: GROWS },
    rests: { [LAUNCHES('failed')]: GROWS, [LAUNCHES('launched')]: GROWS },
  },
  BerthRegistrationStopped: gauge('berth_registration_stopped{nodepool="general"}', 1, 0),
  BerthNodePoolNearLimit: {
    fires: {
      [`karpenter_nodepools_usage${POOL}`]: always(95),
      [`karpenter_nodepools_limit${POOL}`]: always(100),
    },
    rests: {
      [`karpenter_nodepools_usage${POOL}`]: always(85),
      [`karpenter_nodepools_limit${POOL}`]: always(100),
    },
  },
  BerthPodsWithoutPlace: gauge('karpenter_scheduler_unschedulable_pods_count', 1, 0),
  BerthPlanningBehind: gauge('karpenter_scheduler_queue_depth', 51, 50),
  BerthPlanRepaired: {
    // A counter with labels begins with its first event.
    fires: { 'berth_plan_repairs_total{rule="fit",remedy="replanned"}': '_x60 1x30' },
    rests: { 'berth_plan_repairs_total{rule="fit",remedy="replanned"}': always(1) },
  },
  BerthExtenderSlow: {
    fires: observed(EXTENDER, 'verb="filter",', '0.5'),
    rests: observed(EXTENDER, 'verb="filter",', '0.1'),
  },
  BerthExtenderAbandoned: counter('berth_extender_abandoned_total{verb="filter"}'),
  BerthExtenderFailsOpen: counter('berth_extender_passes_total{cause="overload"}'),
  BerthWebhookErrors: counter('berth_admission_requests_total{webhook="mutate-pods",outcome="error"}'),
  BerthCertificateExpiresSoon: gauge(
    'berth_certificate_expiry_seconds{name="webhook"}',
    13 * 86_400,
    15 * 86_400,
  ),
  BerthAuthorityLost: {
    fires: { berth_certificate_authorities_lost_total: '0x60 1x30' },
    rests: { berth_certificate_authorities_lost_total: always(1) },
  },
  BerthInterruptionsLate: {
    fires: observed(INTERRUPTIONS, '', '120'),
    rests: observed(INTERRUPTIONS, '', '30'),
  },
  BerthSafetyLimitHit: counter('berth_safety_limit_hits_total{limit="hourly-cost"}'),
  BerthPaused: {
    fires: { berth_paused: always(1, DAY_MINUTES) },
    rests: { berth_paused: `1x1400 0x1 1x${String(DAY_MINUTES)}` },
    minutes: 1450,
  },
  BerthCatalogueStale: counter('berth_catalogue_failures_total{part="prices"}'),
  BerthWatchErrors: counter('berth_watch_handler_errors_total{kind="Pod"}'),
};

describe('alerts', () => {
  let folder: string;
  let groups: readonly Group[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-alerts-'));
    const objects = await rendered({
      set: 'minimal.yaml',
      values: { 'prometheusRule.enabled': 'true' },
    });
    const rule = objects.find(({ kind }) => kind === 'PrometheusRule');
    groups = (rule?.['spec'] as { readonly groups: readonly Group[] }).groups;
    writeFileSync(join(folder, 'whole.yaml'), stringify({ groups }));
    // promtool compares annotations too, which are not what is looked at.
    const bare = groups.map((group) => ({
      ...group,
      rules: group.rules.map((each) => ({ ...each, annotations: {} })),
    }));
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: bare }));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Has promtool compare the alerts that fire with these. */
  async function expectFiring(series: Series, minutes: number, alerts: readonly string[]): Promise<void> {
    const all = { ...ALIVE, ...series };
    const test = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(all).map(([name, values]) => ({ series: inNamespace(name), values })),
          promql_expr_test: [
            {
              expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: `${String(minutes)}m`,
              exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
            },
          ],
        },
      ],
    };
    const file = join(folder, 'test.yaml');
    writeFileSync(file, stringify(test));
    await run(programPath('promtool'), ['test', 'rules', file]);
  }

  test('are rules that Prometheus takes', async () => {
    const { stdout } = await run(programPath('promtool'), ['check', 'rules', join(folder, 'whole.yaml')]);
    expect(stdout).toContain(`SUCCESS: ${String(groups.flatMap(({ rules }) => rules).length)} rules found`);
  });

  test('have a case each', () => {
    expect(Object.keys(CASES)).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)));
  });

  test.each(Object.entries(CASES))('%s fires alone, and rests while all is well', async (alert, parts) => {
    const { fires, rests, minutes = MINUTES - 5 } = parts;
    await expect(expectFiring(fires, minutes, [alert])).resolves.toBeUndefined();
    await expect(expectFiring(rests, minutes, [])).resolves.toBeUndefined();
  });
});

function inNamespace(series: string): string {
  const [name = '', labels = ''] = series.replace(/\}$/, '').split('{');
  return `${name}{namespace="berth-system"${labels === '' ? '' : `,${labels}`}}`;
}
