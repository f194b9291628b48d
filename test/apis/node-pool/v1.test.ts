import { DEFAULT_ECONOMICS } from '../../../src/domain/policies/economics.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import {
  decodePool,
  documentOf,
  errorsOf,
  issuesOf,
  nodePool,
  poolOf,
  templateSpec,
  type Plain,
} from '../policies-as-written.js';
import { decodePolicy } from '../../support/decode-policy.js';

const rule = (key: string, operator: string, ...values: unknown[]): Plain => ({ key, operator, values });
const withRequirement = (item: Plain): Plain => poolOf({ requirements: [item] });
const withBudget = (budget: Plain): Plain =>
  nodePool({ disruption: { consolidateAfter: '1m', budgets: [budget] } });
const REQUIREMENT = 'spec.template.spec.requirements.0';
const BUDGET = 'spec.disruption.budgets.0';

describe('NodePool of karpenter.sh/v1', () => {
  test('has the defaults of Karpenter', () => {
    expect(decodePool(nodePool()).pool).toEqual({
      name: 'default',
      weight: 0,
      template: {
        labels: new Map(),
        annotations: new Map(),
        taints: [],
        startupTaints: [],
        requirements: [],
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        expireAfterSeconds: 720 * 3600,
        terminationGracePeriodSeconds: undefined,
      },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfterSeconds: 0,
        budgets: [{ nodes: { percent: 10 }, reasons: undefined, window: undefined }],
        loadBudgets: [],
        windows: [],
        freezes: [],
        clusterBudgets: [],
        expiration: 'Forceful',
        economics: DEFAULT_ECONOMICS,
        terminateFirst: false,
        mostUnhealthyPercent: 20,
        repairPolicies: [],
      },
      limits: new Map(),
      replicas: undefined,
      minimumNodes: 0,
    });
  });

  test('reads every field', () => {
    const template = {
      metadata: { labels: { team: 'a', 'kubernetes.io/arch': 'arm64' }, annotations: { note: 'any text' } },
      spec: templateSpec({
        taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoExecute' }],
        requirements: [
          rule('beta.kubernetes.io/os', 'In', 'linux'),
          { ...rule('node.kubernetes.io/instance-type', 'In', 'm5.large', 'm6i.large'), minValues: 2 },
          rule('karpenter.k8s.aws/instance-cpu', 'Gte', '4'),
          { key: 'team', operator: 'Exists' },
        ],
        expireAfter: 'Never',
        terminationGracePeriod: '1h30m',
      }),
    };
    const budgets = [{ nodes: '5', reasons: ['Empty'], schedule: '0 9 * * mon-fri', duration: '8h' }];
    const disruption = { consolidationPolicy: 'Balanced', consolidateAfter: 'Never', budgets };
    const limits = { cpu: 1000, memory: '10Gi', 'nvidia.com/gpu': '4', nodes: 7 };
    const { pool } = decodePool(nodePool({ template, disruption, limits, weight: 100 }));
    expect(pool).toMatchObject({
      weight: 100,
      template: {
        labels: new Map([
          ['team', 'a'],
          ['kubernetes.io/arch', 'arm64'],
        ]),
        annotations: new Map([['note', 'any text']]),
        taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'example.com/agent-not-ready', value: '', effect: 'NoExecute' }],
        expireAfterSeconds: undefined,
        terminationGracePeriodSeconds: 5400,
      },
      disruption: { consolidationPolicy: 'Balanced', consolidateAfterSeconds: undefined },
      limits: new Map([
        ['cpu', 1_000_000],
        ['memory', 10 * 2 ** 30],
        ['nvidia.com/gpu', 4],
        ['nodes', 7],
      ]),
    });
    expect(pool.template.requirements).toEqual([
      requirement('kubernetes.io/os', 'In', ['linux']),
      requirement('node.kubernetes.io/instance-type', 'In', ['m5.large', 'm6i.large'], 2),
      requirement('karpenter.k8s.aws/instance-cpu', 'Gte', ['4']),
      requirement('team', 'Exists'),
    ]);
    expect(pool.disruption.budgets).toEqual([
      {
        nodes: { count: 5 },
        reasons: ['Empty'],
        window: { schedule: { text: '0 9 * * mon-fri', timeZone: 'UTC' }, durationSeconds: 8 * 3600 },
      },
    ]);
  });

  test.each([0, 3])('reads a static pool of %s nodes', (replicas) => {
    const { pool } = decodePool(nodePool({ replicas, limits: { nodes: 5 } }));
    expect([pool.replicas, pool.limits]).toEqual([replicas, new Map([['nodes', 5]])]);
  });

  test('treats null fields as absent and ignores status', () => {
    const object = nodePool({ limits: null, weight: null }, { status: { conditions: [{ anything: true }] } });
    expect(decodePool(object).pool).toEqual(decodePool(nodePool()).pool);
  });

  test.each<[string, Plain, string]>([
    [
      'a name with capital letters',
      nodePool({}, { metadata: { name: 'Default' } }),
      'invalid-value metadata.name',
    ],
    ['no name', nodePool({}, { metadata: {} }), 'missing-field metadata.name'],
    ['no metadata', nodePool({}, { metadata: undefined }), 'missing-field metadata'],
    ['an unknown field at the top', nodePool({}, { specs: {} }), 'unknown-field specs'],
    ['an unknown field below', nodePool({ weigth: 1 }), 'unknown-field spec.weigth'],
    ['a wrong type', nodePool({ weight: '10' }), 'wrong-type spec.weight'],
    ['a fraction', nodePool({ weight: 1.5 }), 'wrong-type spec.weight'],
    ['weight 0', nodePool({ weight: 0 }), 'invalid-value spec.weight'],
    ['a negative limit', nodePool({ limits: { cpu: '-1' } }), 'invalid-value spec.limits.cpu'],
    [
      'a limit that is no quantity',
      nodePool({ limits: { memory: '10 GB' } }),
      'invalid-value spec.limits.memory',
    ],
    [
      'a limit that is a fraction outside quotes',
      nodePool({ limits: { cpu: 0.5 } }),
      'invalid-value spec.limits.cpu',
    ],
    ['a weight of a static pool', nodePool({ replicas: 1, weight: 5 }), 'unsupported spec.weight'],
    [
      'another limit than nodes of a static pool',
      nodePool({ replicas: 0, limits: { nodes: 3, cpu: 10 } }),
      'unsupported spec.limits.cpu',
    ],
    ['less than no replicas', nodePool({ replicas: -1 }), 'invalid-value spec.replicas'],
    [
      'an unknown operator',
      withRequirement(rule('a', 'Equals', 'x')),
      `invalid-value ${REQUIREMENT}.operator`,
    ],
    [
      'In without values',
      withRequirement({ key: 'a', operator: 'In' }),
      `missing-value ${REQUIREMENT}.values`,
    ],
    ['Gt with two values', withRequirement(rule('a', 'Gt', '1', '2')), `invalid-value ${REQUIREMENT}.values`],
    [
      'Lt with a negative value',
      withRequirement(rule('a', 'Lt', '-1')),
      `invalid-value ${REQUIREMENT}.values`,
    ],
    ['values that are numbers', withRequirement(rule('a', 'In', 4)), `wrong-type ${REQUIREMENT}.values.0`],
    [
      'a value that is no label value',
      withRequirement(rule('a', 'In', 'x y')),
      `invalid-value ${REQUIREMENT}.values.0`,
    ],
    ['a key that is no label', withRequirement(rule('a//b', 'Exists')), `invalid-value ${REQUIREMENT}.key`],
    [
      'the label of pools',
      withRequirement(rule('karpenter.sh/nodepool', 'Exists')),
      `restricted-label ${REQUIREMENT}.key`,
    ],
    [
      'minValues 0',
      withRequirement({ ...rule('a', 'Exists'), minValues: 0 }),
      `invalid-value ${REQUIREMENT}.minValues`,
    ],
    [
      'an unknown capacity type',
      withRequirement(rule('karpenter.sh/capacity-type', 'In', 'spott')),
      `invalid-value ${REQUIREMENT}.values`,
    ],
    [
      'too many requirements',
      poolOf({ requirements: Array(101).fill(rule('a', 'Exists')) }),
      'invalid-value spec.template.spec.requirements',
    ],
    [
      'a taint without effect',
      poolOf({ taints: [{ key: 'a' }] }),
      'missing-field spec.template.spec.taints.0.effect',
    ],
    [
      'a taint with a wrong key',
      poolOf({ taints: [{ key: '-a', effect: 'NoExecute' }] }),
      'invalid-value spec.template.spec.taints.0.key',
    ],
    [
      'a reference to another cloud',
      poolOf({ nodeClassRef: { group: 'karpenter.azure.com', kind: 'EC2NodeClass', name: 'a' } }),
      'invalid-value spec.template.spec.nodeClassRef.group',
    ],
    [
      'no node class',
      nodePool({ template: { spec: { requirements: [] } } }),
      'missing-field spec.template.spec.nodeClassRef',
    ],
    [
      'no requirements',
      nodePool({ template: { spec: { nodeClassRef: templateSpec()['nodeClassRef'] } } }),
      'missing-field spec.template.spec.requirements',
    ],
    [
      'disruption without consolidateAfter',
      nodePool({ disruption: {} }),
      'missing-field spec.disruption.consolidateAfter',
    ],
    [
      'a grace period of Never',
      poolOf({ terminationGracePeriod: 'Never' }),
      'invalid-value spec.template.spec.terminationGracePeriod',
    ],
    ['nodes that are a number', withBudget({ nodes: 5 }), `wrong-type ${BUDGET}.nodes`],
    ['a budget above 100 percent', withBudget({ nodes: '101%' }), `invalid-value ${BUDGET}.nodes`],
    [
      'cron with six fields',
      withBudget({ nodes: '1', schedule: '0 0 9 * * *', duration: '1h' }),
      `invalid-value ${BUDGET}.schedule`,
    ],
    [
      'a window in seconds',
      withBudget({ nodes: '1', schedule: '@daily', duration: '60s' }),
      `invalid-value ${BUDGET}.duration`,
    ],
    [
      'a duration without schedule',
      withBudget({ nodes: '1', duration: '1h' }),
      `missing-field ${BUDGET}.duration`,
    ],
    [
      'reasons given twice',
      withBudget({ nodes: '1', reasons: ['Empty', 'Empty'] }),
      `invalid-value ${BUDGET}.reasons`,
    ],
    [
      'an unknown reason',
      withBudget({ nodes: '1', reasons: ['Expired'] }),
      `invalid-value ${BUDGET}.reasons.0`,
    ],
    [
      'an unknown time zone',
      nodePool({}, { berth: { timeZone: 'Mars/Olympus' } }),
      'invalid-value berth.timeZone',
    ],
    [
      'a budget of neither pods nor USD',
      nodePool({}, { berth: { budgets: [{ reasons: ['Drifted'] }] } }),
      'missing-field berth.budgets.0',
    ],
    [
      'a budget with a schedule and no duration',
      nodePool({}, { berth: { budgets: [{ pods: 1, schedule: '@daily' }] } }),
      'missing-field berth.budgets.0.schedule',
    ],
    [
      'a roll-out of drift without canaries',
      nodePool({}, { berth: { driftRollout: { canary: '0' } } }),
      'invalid-value berth.driftRollout.canary',
    ],
    [
      'a roll-out of drift that pauses for nothing',
      nodePool({}, { berth: { driftRollout: { pauseOn: { podRestarts: 0 } } } }),
      'invalid-value berth.driftRollout.pauseOn.podRestarts',
    ],
    [
      'a freeze that ends before it begins',
      nodePool(
        {},
        { berth: { freezes: [{ from: '2026-12-20T00:00:00Z', until: '2026-12-20T00:30:00+01:00' }] } },
      ),
      'invalid-value berth.freezes.0.until',
    ],
    [
      'a freeze without a time of day',
      nodePool({}, { berth: { freezes: [{ from: '2026-12-20', until: '2027-01-02T00:00:00Z' }] } }),
      'invalid-value berth.freezes.0.from',
    ],
    [
      'an unknown field of berth',
      nodePool({}, { berth: { expire: 'Budgeted' } }),
      'unknown-field berth.expire',
    ],
  ])('refuses %s', (_, object, error) => {
    expect(errorsOf(object)).toEqual([error]);
  });

  test('says all at once, in the order of the text, with place, allowed set and guess', () => {
    const text = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: pool }
spec:
  wieght: 10
  template:
    spec:
      requirements:
        - key: karpenter.k8s.aws/instance-famly
          operator: inn
          values: [m5]
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      expireAfter: 30d
  limits: { cpu: -5 }
`;
    const { policies, issues } = decodePolicy(documentOf(text));
    expect(policies).toEqual([]);
    expect(
      issues.map(({ line, column, path, guess }) => [
        `${String(line)}:${String(column)}`,
        path.join('.'),
        guess,
      ]),
    ).toEqual([
      ['5:3', 'spec.wieght', 'weight'],
      ['9:16', 'spec.template.spec.requirements.0.key', 'karpenter.k8s.aws/instance-family'],
      ['10:21', 'spec.template.spec.requirements.0.operator', 'In'],
      ['13:20', 'spec.template.spec.expireAfter', undefined],
      ['14:18', 'spec.limits.cpu', undefined],
    ]);
    expect(issues[2]).toMatchObject({
      severity: 'error',
      source: 'policies.yaml',
      document: 'NodePool/pool',
      allowed: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'],
    });
  });

  test.each([
    ['yes', 'write true without quotes'],
    ['off', 'write false without quotes'],
  ])('tells who writes %s for a boolean what to write', (value, hint) => {
    const messages = issuesOf({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'a' },
      spec: { detailedMonitoring: value },
    }).map((issue) => issue.message);
    expect(messages.find((message) => message.startsWith('spec.detailedMonitoring'))).toContain(hint);
  });

  test('says where a field of another version went', () => {
    const [moved] = issuesOf(nodePool({ disruption: { consolidateAfter: '0s', expireAfter: '1h' } }));
    expect(moved?.message).toBe(
      'spec.disruption.expireAfter is not a known field: it belongs in spec.template.spec.expireAfter',
    );
  });

  test('accepts labels of kubernetes.io, which v1 no longer reserves', () => {
    const template = { metadata: { labels: { 'node-role.kubernetes.io/worker': '' } }, spec: templateSpec() };
    expect(errorsOf(nodePool({ template }))).toEqual([]);
  });
});

describe('the berth block', () => {
  test('has defaults that change nothing of Karpenter', () => {
    expect(decodePool(nodePool()).berth).toEqual({
      timeZone: 'UTC',
      loadBudgets: [],
      windows: [],
      freezes: [],
      clusterBudgets: [],
      expiration: 'Forceful',
      economics: DEFAULT_ECONOMICS,
      terminateFirst: false,
      mostUnhealthyPercent: 20,
      repairPolicies: [],
      minimumNodes: 0,
    });
  });

  test('sets the time zone of budgets, and of windows unless they name their own', () => {
    const berth = {
      timeZone: 'Europe/Paris',
      expiration: 'Budgeted',
      terminateFirst: true,
      clusterBudgets: [{ nodes: '3' }],
      windows: [
        { allow: ['Drifted'], schedule: '0 2 * * *', duration: '3h' },
        { allow: ['Empty', 'Underutilized'], schedule: '@daily', duration: '30m', timeZone: 'Asia/Tokyo' },
      ],
    };
    const disruption = {
      consolidateAfter: '0s',
      budgets: [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }],
    };
    const decoded = decodePool(nodePool({ disruption }, { berth }));
    expect(decoded.pool.disruption.budgets[0]?.window?.schedule.timeZone).toBe('Europe/Paris');
    expect(decoded.berth).toEqual({
      timeZone: 'Europe/Paris',
      expiration: 'Budgeted',
      economics: DEFAULT_ECONOMICS,
      terminateFirst: true,
      mostUnhealthyPercent: 20,
      repairPolicies: [],
      minimumNodes: 0,
      loadBudgets: [],
      freezes: [],
      clusterBudgets: [{ nodes: { count: 3 }, reasons: undefined, window: undefined }],
      windows: [
        {
          allow: ['Drifted'],
          schedule: { text: '0 2 * * *', timeZone: 'Europe/Paris' },
          durationSeconds: 3 * 3600,
        },
        {
          allow: ['Empty', 'Underutilized'],
          schedule: { text: '@daily', timeZone: 'Asia/Tokyo' },
          durationSeconds: 1800,
        },
      ],
    });
  });

  test('has budgets in pods and in USD per hour, with reasons and windows as those in nodes', () => {
    const budgets = [
      { pods: 20, usdPerHour: 1.5 },
      { pods: 0, reasons: ['Drifted'], schedule: '0 9 * * *', duration: '8h' },
    ];
    const berth = { timeZone: 'Europe/Paris', budgets };
    expect(decodePool(nodePool({}, { berth })).pool.disruption.loadBudgets).toEqual([
      { pods: 20, usdPerHour: 1.5, reasons: undefined, window: undefined },
      {
        pods: 0,
        usdPerHour: undefined,
        reasons: ['Drifted'],
        window: { schedule: { text: '0 9 * * *', timeZone: 'Europe/Paris' }, durationSeconds: 8 * 3600 },
      },
    ]);
  });

  test.each<[object, object]>([
    [{}, { canary: { count: 1 }, soakSeconds: 600, pauseOn: {} }],
    [
      { canary: '5%', soak: '1h', pauseOn: { failedReplacements: 2, notReadyNodes: 1, podRestarts: 5 } },
      {
        ...{ canary: { percent: 5 }, soakSeconds: 3600 },
        pauseOn: { failedReplacements: 2, notReadyNodes: 1, podRestarts: 5 },
      },
    ],
  ])('says in which stages drift is rolled out: %j', (driftRollout, expected) => {
    const { disruption } = decodePool(nodePool({}, { berth: { driftRollout } })).pool;
    expect(disruption.driftRollout).toEqual(expected);
  });

  test('says between which dates nodes stay, and for which reasons', () => {
    const freezes = [
      { from: '2026-12-20T00:00:00+01:00', until: '2027-01-02T00:00:00Z' },
      { from: '2026-11-27T00:00:00Z', until: '2026-11-28T00:00:00Z', reasons: ['Unhealthy', 'Drifted'] },
    ];
    expect(decodePool(nodePool({}, { berth: { freezes } })).pool.disruption.freezes).toEqual([
      { from: Date.UTC(2026, 11, 19, 23), until: Date.UTC(2027, 0, 2), reasons: undefined },
      { from: Date.UTC(2026, 10, 27), until: Date.UTC(2026, 10, 28), reasons: ['Unhealthy', 'Drifted'] },
    ]);
  });

  test('says what consolidation weighs a saving against; what it leaves out has its default', () => {
    const weighed = (consolidation: Plain) =>
      decodePool(nodePool({}, { berth: { consolidation } })).pool.disruption.economics;
    expect(
      weighed({
        leastSaving: '5%',
        leastSavingUsdPerHour: 0.02,
        horizon: '90m',
        evictionCostUsd: 0,
        minimumLife: '2h',
        moveAgainAfter: '30m',
      }),
    ).toEqual({
      leastSavingShare: 0.05,
      leastSavingUsd: 0.02,
      horizonHours: 1.5,
      evictionCostUsd: 0,
      minimumLifeSeconds: 7200,
      moveAgainAfterSeconds: 1800,
    });
    expect(weighed({ moveAgainAfter: '0s' })).toEqual({ ...DEFAULT_ECONOMICS, moveAgainAfterSeconds: 0 });
    expect(
      errorsOf(nodePool({}, { berth: { consolidation: { leastSaving: '3', evictionCostUsd: -1 } } })),
    ).toHaveLength(2);
  });

  test('says how large a share of the nodes may be unhealthy', () => {
    const percentOf = (berth: object): number =>
      decodePool(nodePool({}, { berth })).pool.disruption.mostUnhealthyPercent;
    expect(percentOf({ repair: { mostUnhealthy: '7%' } })).toBe(7);
    expect(percentOf({ repair: {} })).toBe(20);
    expect(errorsOf(nodePool({}, { berth: { repair: { mostUnhealthy: '101%' } } }))).toHaveLength(1);
  });

  test('says which conditions of nodes call for repair, those for certain reasons first', () => {
    const bad = { conditionType: 'DiskHealthy', conditionStatus: 'False' };
    const policiesOf = (...policies: readonly Plain[]) =>
      decodePool(nodePool({}, { berth: { repair: { policies } } })).pool.disruption.repairPolicies;
    const whole = { reasons: ['FileSystem*'], terminationGracePeriod: '0s', priority: 40, action: 'Reboot' };
    expect(
      policiesOf(
        { ...bad, tolerationDuration: 'Never' },
        { ...bad, tolerationDuration: '90s', ...whole },
        { ...bad, conditionStatus: 'Unknown', tolerationDuration: '1h', terminationGracePeriod: 'Never' },
      ),
    ).toEqual([
      {
        ...bad,
        reasons: ['FileSystem*'],
        tolerationSeconds: 90,
        terminationGracePeriodSeconds: 0,
        priority: 40,
        action: 'Reboot',
      },
      {
        ...bad,
        reasons: undefined,
        tolerationSeconds: undefined,
        terminationGracePeriodSeconds: 600,
        priority: 0,
        action: 'Replace',
      },
      {
        ...bad,
        conditionStatus: 'Unknown',
        reasons: undefined,
        tolerationSeconds: 3600,
        terminationGracePeriodSeconds: undefined,
        priority: 0,
        action: 'Replace',
      },
    ]);
  });

  test.each<[string, readonly Plain[], string]>([
    ['no toleration', [{ tolerationDuration: undefined }], 'policies.0.tolerationDuration'],
    ['a priority above 100', [{ priority: 101 }], 'policies.0.priority'],
    ['a * within a reason', [{ reasons: ['Xid*Error'] }], 'policies.0.reasons.0'],
    [
      'the condition of a node that is well',
      [{ conditionType: 'Ready', conditionStatus: 'True' }],
      'policies.0.conditionStatus',
    ],
    ['two policies for every reason', [{}, { reasons: ['A'] }, {}], 'policies.2'],
  ])('refuses repair policies with %s', (_what, given, path) => {
    const usual = { conditionType: 'DiskHealthy', conditionStatus: 'False', tolerationDuration: '5m' };
    const policies = given.map((each) => ({ ...usual, ...each }));
    const issues = errorsOf(nodePool({}, { berth: { repair: { policies } } }));
    expect(issues.map((issue) => issue.split(' ')[1])).toEqual([`berth.repair.${path}`]);
  });

  test('gives a dynamic pool a minimum of nodes, and a static one none', () => {
    expect(decodePool(nodePool({}, { berth: { minimumNodes: 3 } })).pool.minimumNodes).toBe(3);
    expect(errorsOf(nodePool({ replicas: 2 }, { berth: { minimumNodes: 3 } }))).toEqual([
      'unsupported berth.minimumNodes',
    ]);
    expect(errorsOf(nodePool({}, { berth: { minimumNodes: 1001 } }))).toHaveLength(1);
  });
});
