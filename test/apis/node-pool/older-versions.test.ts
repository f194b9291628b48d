import { requirement } from '../../../src/domain/values/requirement.js';
import {
  betaPool,
  decodeNodeClass,
  decodePool,
  errorsOf,
  nodePool,
  poolOf,
  provisioner,
  warningsOf,
  type Plain,
} from '../policies-as-written.js';

const LINUX = requirement('kubernetes.io/os', 'In', ['linux']);
const AMD64 = requirement('kubernetes.io/arch', 'In', ['amd64']);
const ON_DEMAND = requirement('karpenter.sh/capacity-type', 'In', ['on-demand']);
const CATEGORIES = requirement('karpenter.k8s.aws/instance-category', 'In', ['c', 'm', 'r']);
const GENERATIONS = requirement('karpenter.k8s.aws/instance-generation', 'Gt', ['2']);
const rule = (key: string, operator: string, ...values: string[]): Plain => ({ key, operator, values });
const disruptionOf = (object: Plain) => decodePool(object).pool.disruption;

describe('Provisioner of karpenter.sh/v1alpha5', () => {
  test('is linux, amd64, on-demand, c, m or r above generation 2 when it says nothing', () => {
    expect(decodePool(provisioner()).pool.template.requirements).toEqual([
      LINUX,
      AMD64,
      ON_DEMAND,
      CATEGORIES,
      GENERATIONS,
    ]);
  });

  test('keeps what it says about a label instead of the default', () => {
    const requirements = [
      rule('karpenter.sh/capacity-type', 'In', 'spot'),
      rule('beta.kubernetes.io/arch', 'In', 'arm64'),
    ];
    expect(decodePool(provisioner({ requirements })).pool.template.requirements).toEqual([
      requirement('karpenter.sh/capacity-type', 'In', ['spot']),
      requirement('kubernetes.io/arch', 'In', ['arm64']),
      LINUX,
      CATEGORIES,
      GENERATIONS,
    ]);
  });

  test.each([
    'node.kubernetes.io/instance-type',
    'karpenter.k8s.aws/instance-family',
    'karpenter.k8s.aws/instance-category',
    'karpenter.k8s.aws/instance-generation',
  ])('has no default families when it names %s', (key) => {
    const requirements = [rule(key, 'Exists')];
    expect(decodePool(provisioner({ requirements })).pool.template.requirements).toEqual([
      requirement(key, 'Exists'),
      LINUX,
      AMD64,
      ON_DEMAND,
    ]);
  });

  test('never expires and never consolidates when it says nothing', () => {
    const { pool } = decodePool(provisioner());
    expect(pool.template.expireAfterSeconds).toBeUndefined();
    expect(pool.disruption.consolidateAfterSeconds).toBeUndefined();
  });

  test.each<[Plain, string, number | undefined]>([
    [{ ttlSecondsAfterEmpty: 30 }, 'WhenEmpty', 30],
    [{ ttlSecondsAfterEmpty: 0 }, 'WhenEmpty', 0],
    [{ consolidation: { enabled: true } }, 'WhenEmptyOrUnderutilized', 0],
    [{ consolidation: { enabled: false }, ttlSecondsAfterEmpty: 60 }, 'WhenEmpty', 60],
    [{ consolidation: { enabled: false } }, 'WhenEmpty', undefined],
  ])('%j is %s after %j seconds', (spec, consolidationPolicy, consolidateAfterSeconds) => {
    expect(disruptionOf(provisioner(spec))).toMatchObject({ consolidationPolicy, consolidateAfterSeconds });
  });

  test('reads the other fields', () => {
    const { pool } = decodePool(
      provisioner({
        labels: { team: 'a' },
        annotations: { note: 'b' },
        taints: [{ key: 'c', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'd', effect: 'NoExecute' }],
        ttlSecondsUntilExpired: 2_592_000,
        limits: { resources: { cpu: '100', 'nvidia.com/gpu': 8 } },
        weight: 7,
        providerRef: { apiVersion: 'karpenter.k8s.aws/v1alpha1', kind: 'AWSNodeTemplate', name: 'template' },
      }),
    );
    expect(pool).toMatchObject({
      weight: 7,
      limits: new Map([
        ['cpu', 100_000],
        ['nvidia.com/gpu', 8],
      ]),
      template: {
        labels: new Map([['team', 'a']]),
        annotations: new Map([['note', 'b']]),
        taints: [{ key: 'c', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'd', effect: 'NoExecute' }],
        expireAfterSeconds: 2_592_000,
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'template' },
      },
    });
  });

  test('gives an EC2NodeClass of its own name for what stands in provider', () => {
    const provider = {
      instanceProfile: 'nodes',
      subnetSelector: { Name: 'private-*' },
      securityGroupSelector: { 'aws-ids': 'sg-1, sg-2' },
    };
    const object = provisioner({ providerRef: undefined, provider });
    expect(decodePool(object).pool.template.nodeClassRef.name).toBe('default');
    expect({
      ...decodeNodeClass(object).document,
      name: decodeNodeClass(object).nodeClass.name,
    }).toMatchObject({
      name: 'default',
      spec: {
        instanceProfile: 'nodes',
        amiSelectorTerms: [{ alias: 'al2@latest' }],
        subnetSelectorTerms: [{ tags: { Name: 'private-*' } }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }, { id: 'sg-2' }],
        metadataOptions: { httpEndpoint: 'enabled', httpPutResponseHopLimit: 2, httpTokens: 'required' },
      },
    });
  });

  test('warns for each field that v1 has elsewhere, and for a missing provider', () => {
    expect(warningsOf(provisioner({ providerRef: undefined, ttlSecondsAfterEmpty: 30 }))).toEqual([
      'apiVersion is an older version, read as NodePool of karpenter.sh/v1: berth convert rewrites it',
      'spec has neither provider nor providerRef, which Karpenter rejects; it is read with the node class named default',
      'spec.ttlSecondsAfterEmpty has another place in v1: spec.disruption.consolidateAfter with consolidationPolicy WhenEmpty',
    ]);
  });

  test.each<[string, Plain, string]>([
    [
      'both provider and providerRef',
      { provider: { subnetSelector: { a: 'b' }, securityGroupSelector: { a: 'b' } } },
      'conflict spec.provider',
    ],
    [
      'ttlSecondsAfterEmpty with consolidation',
      { ttlSecondsAfterEmpty: 1, consolidation: { enabled: true } },
      'conflict spec.ttlSecondsAfterEmpty',
    ],
    ['negative seconds', { ttlSecondsUntilExpired: -1 }, 'invalid-value spec.ttlSecondsUntilExpired'],
    [
      'an operator that came later',
      { requirements: [rule('a', 'Gte', '1')] },
      'invalid-value spec.requirements.0.operator',
    ],
    ['fields of v1', { template: {} }, 'unknown-field spec.template'],
    [
      'labels of kubernetes.io',
      { labels: { 'kubernetes.io/role': 'x' } },
      'restricted-label spec.labels.kubernetes.io/role',
    ],
    [
      'its own label',
      { labels: { 'karpenter.sh/provisioner-name': 'x' } },
      'restricted-label spec.labels.karpenter.sh/provisioner-name',
    ],
  ])('refuses %s', (_, spec, error) => {
    expect(errorsOf(provisioner(spec))).toEqual([error]);
  });

  test('refuses more requirements than v1 takes once the defaults are added', () => {
    expect(errorsOf(provisioner({ requirements: Array(98).fill(rule('a', 'Exists')) }))).toEqual([
      'invalid-value ',
    ]);
  });
});

describe('NodePool of karpenter.sh/v1beta1', () => {
  test('means the same as a NodePool of v1 when it says nothing', () => {
    expect(decodePool(betaPool()).pool).toEqual(decodePool(nodePool()).pool);
  });

  test.each<[Plain, Plain]>([
    [
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
      { consolidationPolicy: 'WhenEmpty', consolidateAfterSeconds: 30 },
    ],
    [
      { consolidationPolicy: 'WhenUnderutilized' },
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfterSeconds: 0 },
    ],
    [
      { consolidateAfter: 'Never' },
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfterSeconds: undefined },
    ],
    [
      { budgets: [{ nodes: '3' }] },
      {
        consolidateAfterSeconds: 0,
        budgets: [{ nodes: { count: 3 }, reasons: undefined, window: undefined }],
      },
    ],
  ])('reads the disruption %j', (disruption, expected) => {
    expect(disruptionOf(betaPool({ disruption }))).toMatchObject(expected);
  });

  test('has expireAfter under disruption', () => {
    expect(
      decodePool(betaPool({ disruption: { expireAfter: '24h' } })).pool.template.expireAfterSeconds,
    ).toBe(86_400);
    expect(
      decodePool(betaPool({ disruption: { expireAfter: 'Never' } })).pool.template.expireAfterSeconds,
    ).toBeUndefined();
  });

  test('keeps the kubelet of its nodes', () => {
    const kubelet = { maxPods: 20, evictionHard: { 'memory.available': '5%' } };
    expect(decodePool(betaPool({}, { kubelet })).kubelet).toEqual(kubelet);
  });

  test.each<[string, Plain, string]>([
    [
      'WhenEmpty without consolidateAfter',
      { disruption: { consolidationPolicy: 'WhenEmpty' } },
      'missing-field spec.disruption.consolidateAfter',
    ],
    [
      'the policy of v1',
      { disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized' } },
      'invalid-value spec.disruption.consolidationPolicy',
    ],
    [
      'reasons of budgets',
      { disruption: { budgets: [{ nodes: '1', reasons: ['Empty'] }] } },
      'unknown-field spec.disruption.budgets.0.reasons',
    ],
    ['replicas', { replicas: 1 }, 'unknown-field spec.replicas'],
  ])('refuses %s', (_, spec, error) => {
    expect(errorsOf(betaPool(spec))).toEqual([error]);
  });
});

describe('older spellings in newer pools', () => {
  test.each<[string, Plain, Plain, string]>([
    [
      'limits.resources',
      nodePool({ limits: { resources: { cpu: 10 }, memory: '1Gi' } }),
      {
        limits: new Map([
          ['memory', 2 ** 30],
          ['cpu', 10_000],
        ]),
      },
      'spec.limits.resources is an older spelling',
    ],
    [
      'limits.resources before v1',
      betaPool({ limits: { resources: { cpu: 10 } } }),
      { limits: new Map([['cpu', 10_000]]) },
      'spec.limits.resources is an older spelling',
    ],
    [
      'WhenUnderutilized with consolidateAfter',
      nodePool({ disruption: { consolidationPolicy: 'WhenUnderutilized', consolidateAfter: '30s' } }),
      { disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfterSeconds: 30 } },
      'WhenUnderutilized is called WhenEmptyOrUnderutilized in v1',
    ],
    [
      'WhenUnderutilized alone',
      nodePool({ disruption: { consolidationPolicy: 'WhenUnderutilized' } }),
      { disruption: { consolidateAfterSeconds: 0 } },
      'WhenUnderutilized is called WhenEmptyOrUnderutilized in v1',
    ],
    [
      'consolidateAfter with WhenUnderutilized before v1',
      betaPool({ disruption: { consolidationPolicy: 'WhenUnderutilized', consolidateAfter: '30s' } }),
      { disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfterSeconds: 30 } },
      'spec.disruption.consolidateAfter is refused beside WhenUnderutilized',
    ],
    [
      'ttlSecondsAfterEmpty',
      nodePool({ ttlSecondsAfterEmpty: 30 }),
      { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfterSeconds: 30 } },
      'spec.ttlSecondsAfterEmpty is an older spelling',
    ],
    [
      'ttlSecondsUntilExpired',
      nodePool({ ttlSecondsUntilExpired: 60 }),
      { template: { expireAfterSeconds: 60 } },
      'spec.ttlSecondsUntilExpired is an older spelling',
    ],
    [
      'ttlSecondsUntilExpired before v1',
      betaPool({ ttlSecondsUntilExpired: 60 }),
      { template: { expireAfterSeconds: 60 } },
      'spec.ttlSecondsUntilExpired is an older spelling',
    ],
  ])('%s is read, with a warning that names the new field', (_, object, expected, warning) => {
    expect(decodePool(object).pool).toMatchObject(expected);
    expect(warningsOf(object).join('\n')).toContain(warning);
  });

  test('provider becomes an EC2NodeClass that the pool names', () => {
    const provider = {
      instanceProfile: 'nodes',
      subnetSelector: { a: 'b' },
      securityGroupSelector: { a: 'b' },
    };
    const object = nodePool({ provider, template: { spec: { requirements: [] } } });
    expect(decodePool(object).pool.template.nodeClassRef).toEqual({
      group: 'karpenter.k8s.aws',
      kind: 'EC2NodeClass',
      name: 'default',
    });
    expect(decodeNodeClass(object).document.spec.subnetSelectorTerms).toEqual([{ tags: { a: 'b' } }]);
  });

  test('errors below them are reported at their place in the text', () => {
    expect(errorsOf(nodePool({ limits: { resources: { cpu: '-1' } } }))).toEqual([
      'invalid-value spec.limits.resources.cpu',
    ]);
  });

  test('one beside the field that replaced it is refused', () => {
    const object = nodePool({ ttlSecondsAfterEmpty: 30, disruption: { consolidateAfter: '1m' } });
    expect(errorsOf(object)).toEqual(['unknown-field spec.ttlSecondsAfterEmpty']);
    expect(errorsOf(poolOf({ kubelet: { maxPods: 5 } }))).toEqual([
      'unknown-field spec.template.spec.kubelet',
    ]);
  });
});
