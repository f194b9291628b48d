// The dashboards of Grafana in charts/berth/files/dashboards: rows of panels, and what Grafana wants to have of them.

/**
 * @typedef {{ title: string, unit?: string, kind?: 'timeseries' | 'stat' | 'table', help?: string,
 *   queries: readonly (readonly [expr: string, legend: string])[] }} Panel
 * @typedef {{ title: string, rows: readonly { title: string, panels: readonly Panel[] }[] }} Dashboard
 */

const IN = 'namespace="$namespace"';
/** Rate of a counter by labels. */
const rate = (/** @type {string} */ name, /** @type {string} */ by, more = '') =>
  `sum by (${by}) (rate(${name}{${IN}${more}}[$__rate_interval]))`;
const sum = (/** @type {string} */ name, /** @type {string} */ by, more = '') =>
  `sum by (${by}) (${name}{${IN}${more}})`;
/** Quantile of a histogram. */
const quantile = (/** @type {number} */ of, /** @type {string} */ name, by = '') =>
  `histogram_quantile(${of}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${name}_bucket{${IN}}[$__rate_interval])))`;
const POOL = 'nodepool=~"$nodepool"';

/** @type {Readonly<Record<string, Dashboard>>} */
export const DASHBOARDS = {
  capacity: {
    title: 'Berth / Capacity and cost',
    rows: [
      {
        title: 'Cost',
        panels: [
          {
            title: 'Cost per hour',
            kind: 'stat',
            unit: 'currencyUSD',
            queries: [[`sum(karpenter_nodepools_cost_total{${IN}, ${POOL}})`, '']],
          },
          {
            title: 'Cost of unrequested room per hour',
            kind: 'stat',
            unit: 'currencyUSD',
            queries: [[`sum(berth_idle_cost{${IN}, ${POOL}})`, '']],
          },
          {
            title: 'Cost by NodePool',
            unit: 'currencyUSD',
            queries: [[sum('karpenter_nodepools_cost_total', 'nodepool', `, ${POOL}`), '{{nodepool}}']],
          },
          {
            title: 'Cost by namespace',
            unit: 'currencyUSD',
            queries: [
              [`topk(20, ${sum('berth_namespace_cost', 'namespace', `, ${POOL}`)})`, '{{namespace}}'],
            ],
          },
        ],
      },
      {
        title: 'Nodes',
        panels: [
          {
            title: 'Nodes',
            queries: [
              [
                sum('karpenter_nodepools_usage', 'nodepool', `, ${POOL}, resource_type="nodes"`),
                '{{nodepool}}',
              ],
            ],
          },
          {
            title: 'Allocatable CPU by instance type',
            queries: [
              [
                sum(
                  'karpenter_nodes_allocatable',
                  'instance_type, capacity_type',
                  `, ${POOL}, resource_type="cpu"`,
                ),
                '{{instance_type}} {{capacity_type}}',
              ],
            ],
          },
          {
            title: 'Requested share of allocatable',
            unit: 'percentunit',
            queries: [
              ...['cpu', 'memory'].map(
                (resource) =>
                  /** @type {const} */ ([
                    `sum by (nodepool) (karpenter_nodes_total_pod_requests{${IN}, ${POOL}, resource_type="${resource}"}) / sum by (nodepool) (karpenter_nodes_allocatable{${IN}, ${POOL}, resource_type="${resource}"})`,
                    `{{nodepool}} ${resource}`,
                  ]),
              ),
            ],
          },
          {
            title: 'Share of NodePool limits',
            unit: 'percentunit',
            queries: [
              [
                `max by (nodepool, resource_type) (karpenter_nodepools_usage{${IN}, ${POOL}}) / max by (nodepool, resource_type) (karpenter_nodepools_limit{${IN}, ${POOL}})`,
                '{{nodepool}} {{resource_type}}',
              ],
            ],
          },
          { title: 'Pods by phase', queries: [[sum('karpenter_pods_state', 'phase'), '{{phase}}']] },
          {
            title: 'Price of offerings in use',
            unit: 'currencyUSD',
            kind: 'table',
            queries: [
              [
                `max by (instance_type, capacity_type, zone) (karpenter_cloudprovider_instance_type_offering_price_estimate{${IN}})`,
                '',
              ],
            ],
          },
        ],
      },
    ],
  },
  provisioning: {
    title: 'Berth / Provisioning',
    rows: [
      {
        title: 'Pods',
        panels: [
          {
            title: 'Pods waiting to be planned',
            queries: [[sum('karpenter_scheduler_queue_depth', 'controller'), '{{controller}}']],
          },
          {
            title: 'Pods without a place',
            queries: [
              [sum('karpenter_scheduler_unschedulable_pods_count', 'controller'), 'unschedulable'],
              [`sum(karpenter_scheduler_ignored_pods_count{${IN}})`, 'ignored'],
            ],
          },
          {
            title: 'From creation to ready',
            unit: 's',
            queries: [
              ['0.5', '0.9', '0.99'].map(
                (of) => `max(karpenter_pods_startup_duration_seconds{${IN}, quantile="${of}"})`,
              ),
            ]
              .flat()
              .map((expr, index) => /** @type {const} */ ([expr, ['p50', 'p90', 'p99'][index] ?? ''])),
          },
          {
            title: 'From creation to bound',
            unit: 's',
            queries: [
              [quantile(0.5, 'karpenter_pods_bound_duration_seconds'), 'p50'],
              [quantile(0.99, 'karpenter_pods_bound_duration_seconds'), 'p99'],
            ],
          },
          {
            title: 'Longest waiting pods',
            unit: 's',
            kind: 'table',
            queries: [
              [`topk(20, max by (namespace, name) (karpenter_pods_unbound_time_seconds{${IN}}))`, ''],
            ],
          },
        ],
      },
      {
        title: 'Plans and launches',
        panels: [
          {
            title: 'Planning',
            unit: 's',
            queries: [
              [quantile(0.5, 'berth_plan_duration_seconds'), 'p50'],
              [quantile(0.99, 'berth_plan_duration_seconds'), 'p99'],
            ],
          },
          {
            title: 'Launches',
            unit: 'ops',
            queries: [[rate('berth_launches_total', 'nodepool, outcome'), '{{nodepool}} {{outcome}}']],
          },
          {
            title: 'Offerings that could not be launched',
            unit: 'ops',
            queries: [
              [
                rate('karpenter_cloudprovider_instance_launch_failures_total', 'reason, zone'),
                '{{reason}} {{zone}}',
              ],
            ],
          },
          {
            title: 'NodeClaims created',
            unit: 'ops',
            queries: [
              [
                rate('karpenter_nodeclaims_created_total', 'nodepool, reason', `, ${POOL}`),
                '{{nodepool}} {{reason}}',
              ],
            ],
          },
          {
            title: 'NodeClaims until they are ready',
            unit: 's',
            queries: [
              [
                `histogram_quantile(0.9, sum by (le) (rate(operator_nodeclaim_status_condition_transition_seconds_bucket{${IN}, type="Ready"}[$__rate_interval])))`,
                'p90',
              ],
            ],
          },
          {
            title: 'NodeClaims that are not ready',
            queries: [
              [
                sum(
                  'operator_nodeclaim_status_condition_count',
                  'type, reason',
                  ', status!="True", type=~"Launched|Registered|Initialized"',
                ),
                '{{type}} {{reason}}',
              ],
            ],
          },
        ],
      },
    ],
  },
  disruption: {
    title: 'Berth / Disruption',
    rows: [
      {
        title: 'Decisions',
        panels: [
          {
            title: 'Nodes disrupted',
            unit: 'ops',
            queries: [
              [
                rate('karpenter_nodeclaims_disrupted_total', 'nodepool, reason', `, ${POOL}`),
                '{{nodepool}} {{reason}}',
              ],
            ],
          },
          {
            title: 'Decisions',
            unit: 'ops',
            queries: [
              [
                rate(
                  'karpenter_voluntary_disruption_decisions_total',
                  'decision, reason, consolidation_type',
                ),
                '{{decision}} {{reason}} {{consolidation_type}}',
              ],
            ],
          },
          {
            title: 'Eligible nodes',
            queries: [[sum('karpenter_voluntary_disruption_eligible_nodes', 'reason'), '{{reason}}']],
          },
          {
            title: 'Nodes that budgets allow',
            queries: [
              [
                sum('karpenter_nodepools_allowed_disruptions', 'nodepool, reason', `, ${POOL}`),
                '{{nodepool}} {{reason}}',
              ],
            ],
          },
          {
            title: 'Decisions that were not carried out',
            unit: 'ops',
            queries: [
              [
                rate('karpenter_voluntary_disruption_failed_validations_total', 'reason'),
                'not valid any more: {{reason}}',
              ],
              [rate('karpenter_voluntary_disruption_queue_failures_total', 'reason'), 'failed: {{reason}}'],
            ],
          },
          {
            title: 'Evaluation',
            unit: 's',
            queries: [
              [quantile(0.99, 'karpenter_voluntary_disruption_decision_evaluation_duration_seconds'), 'p99'],
            ],
          },
        ],
      },
      {
        title: 'Termination',
        panels: [
          {
            title: 'Pods that lost their node',
            unit: 'ops',
            queries: [
              [rate('karpenter_pods_disruption_initiated_total', 'reason', `, ${POOL}`), '{{reason}}'],
            ],
          },
          {
            title: 'Evictions',
            unit: 'ops',
            queries: [[rate('karpenter_pods_eviction_requests_total', 'code'), '{{code}}']],
          },
          {
            title: 'Termination of nodes',
            unit: 's',
            queries: [
              [
                `max by (nodepool) (karpenter_nodes_termination_duration_seconds{${IN}, quantile="0.9"})`,
                '{{nodepool}} p90',
              ],
            ],
          },
          {
            title: 'Lifetime of nodes',
            unit: 's',
            queries: [
              [quantile(0.5, 'karpenter_nodes_lifetime_duration_seconds', 'nodepool'), '{{nodepool}} p50'],
            ],
          },
          {
            title: 'Interruptions',
            unit: 'ops',
            queries: [
              [rate('karpenter_interruption_received_messages_total', 'message_type'), '{{message_type}}'],
            ],
          },
        ],
      },
    ],
  },
  health: {
    title: 'Berth / Health',
    rows: [
      {
        title: 'Process',
        panels: [
          { title: 'Leaders', kind: 'stat', queries: [[`sum(berth_leader{${IN}})`, '']] },
          {
            title: 'Cluster state in sync',
            kind: 'stat',
            queries: [[`min(karpenter_cluster_state_synced{${IN}})`, '']],
          },
          {
            title: 'Actions delayed by safety limits',
            unit: 'ops',
            queries: [
              [rate('berth_safety_limit_hits_total', 'limit'), '{{limit}}'],
              [`max(berth_paused{${IN}})`, 'paused'],
            ],
          },
          { title: 'Work queues', queries: [[sum('workqueue_depth', 'name'), '{{name}}']] },
          {
            title: 'Failed reconciles',
            unit: 'ops',
            queries: [[rate('controller_runtime_reconcile_errors_total', 'controller'), '{{controller}}']],
          },
          {
            title: 'Reconcile, p99',
            unit: 's',
            queries: [
              [quantile(0.99, 'controller_runtime_reconcile_time_seconds', 'controller'), '{{controller}}'],
            ],
          },
        ],
      },
      {
        title: 'Servers',
        panels: [
          {
            title: 'Extender, p99',
            unit: 's',
            queries: [[quantile(0.99, 'berth_extender_duration_seconds', 'verb'), '{{verb}}']],
          },
          {
            title: 'Extender requests that failed open',
            unit: 'ops',
            queries: [[rate('berth_extender_passes_total', 'cause'), '{{cause}}']],
          },
          {
            title: 'Webhooks, p99',
            unit: 's',
            queries: [[quantile(0.99, 'berth_admission_duration_seconds', 'webhook'), '{{webhook}}']],
          },
        ],
      },
      {
        title: 'APIs',
        panels: [
          {
            title: 'Calls to the cloud',
            unit: 'ops',
            queries: [[rate('aws_sdk_go_request_attempt_total', 'action, code'), '{{action}} {{code}}']],
          },
          {
            title: 'Failed calls of the cloud provider',
            unit: 'ops',
            queries: [
              [
                rate('karpenter_cloudprovider_errors_total', 'controller, method, error'),
                '{{controller}} {{method}} {{error}}',
              ],
            ],
          },
          {
            title: 'Requests to the Kubernetes API',
            unit: 'ops',
            queries: [[rate('client_go_request_total', 'method, code'), '{{method}} {{code}}']],
          },
          {
            title: 'Requests to the Kubernetes API, p99',
            unit: 's',
            queries: [
              [quantile(0.99, 'client_go_request_duration_seconds', 'verb, kind'), '{{verb}} {{kind}}'],
            ],
          },
        ],
      },
    ],
  },
};

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const [WIDTH, HEIGHT] = [8, 8];

/** The dashboard as Grafana reads it. @param {string} name @param {Dashboard} dashboard */
export function grafanaDashboard(name, { title, rows }) {
  let [id, y] = [0, 0];
  const panels = rows.flatMap((row) => {
    const head = {
      id: ++id,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
    };
    const perLine = COLUMNS / WIDTH;
    const own = row.panels.map((panel, index) => ({
      ...grafanaPanel(panel),
      id: ++id,
      gridPos: {
        h: HEIGHT,
        w: WIDTH,
        x: (index % perLine) * WIDTH,
        y: y + 1 + Math.floor(index / perLine) * HEIGHT,
      },
    }));
    y += 1 + Math.ceil(row.panels.length / perLine) * HEIGHT;
    return [head, ...own];
  });
  return {
    uid: `berth-${name}`,
    title,
    tags: ['berth'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    panels,
  };
}

/** @param {Panel} panel */
function grafanaPanel({ title, unit = 'short', kind = 'timeseries', queries }) {
  return {
    type: kind,
    title,
    datasource: SOURCE,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: SOURCE,
      expr,
      legendFormat,
      ...(kind === 'table' && { format: 'table', instant: true }),
    })),
  };
}

const VARIABLES = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
  variable('namespace', 'label_values(berth_build_info, namespace)', 'Namespace of Berth', false),
  variable(
    'nodepool',
    'label_values(karpenter_nodepools_usage{namespace="$namespace"}, nodepool)',
    'NodePool',
    true,
  ),
];

/** @param {string} name @param {string} query @param {string} label @param {boolean} isMany */
function variable(name, query, label, isMany) {
  const many = isMany
    ? { multi: true, includeAll: true, allValue: '.*' }
    : { multi: false, includeAll: false };
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    query: { query, refId: name },
    refresh: 2,
    ...many,
  };
}

/** Every query of a dashboard, with its variables replaced by values. @param {Dashboard} dashboard */
export function queriesOf({ rows }) {
  const all = rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([expr]) => expr)));
  return all.map((expr) =>
    expr
      .replaceAll('$__rate_interval', '5m')
      .replaceAll('$namespace', 'berth-system')
      .replaceAll('$nodepool', '.*'),
  );
}
