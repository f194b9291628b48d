import { readDocuments } from '../../../src/apis/documents/read-documents.js';
import { readPolicies } from '../../../src/apis/policies/read-policies.js';
import {
  betaPool,
  documentsOf,
  nodeClass,
  nodePool,
  poolOf,
  provisioner,
  podDefaults,
  templateSpec,
  type Plain,
} from '../policies-as-written.js';

const BOUNDED = { limits: { cpu: 10 } };

/** The issues of documents without those that every minimal example has. */
function issuesOf(...objects: Plain[]) {
  const usual = ['no-limits', 'missing-reference', 'older-version', 'older-spelling'];
  return readPolicies(documentsOf(...objects)).issues.filter((issue) => !usual.includes(issue.code));
}

const codesOf = (...objects: Plain[]) =>
  issuesOf(...objects).map((issue) => `${issue.code} ${issue.path.join('.')}`);

function configMap(data: Plain, labels: Plain = { 'berth.sh/policy': 'true' }): Plain {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pools', labels }, data };
}

const text = (...objects: Plain[]) => objects.map((object) => JSON.stringify(object)).join('\n---\n');
const named = (name: string) => nodePool(BOUNDED, { metadata: { name } });

describe('readPolicies', () => {
  test('reads bare documents and leaves others alone', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nonsense: true } };
    const {
      nodePools,
      nodeClasses,
      podDefaults: defaults,
      issues,
    } = readPolicies(documentsOf(pod, named('a'), nodeClass(), podDefaults({ mode: 'warn', nodePool: 'a' })));
    expect(nodePools.map(({ pool }) => pool.name)).toEqual(['a']);
    expect(nodeClasses.map(({ name, template }) => [name, template['role']])).toEqual([['default', 'nodes']]);
    expect(defaults.map((item) => item.name)).toEqual(['default']);
    expect(issues).toEqual([]);
  });

  test('reads every document under every key of a policy ConfigMap', () => {
    const { nodePools, nodeClasses } = readPolicies(
      documentsOf(configMap({ 'a.yaml': text(named('a'), named('b')), 'b.yaml': text(nodeClass()) })),
    );
    expect(nodePools.map(({ pool }) => pool.name)).toEqual(['a', 'b']);
    expect(nodeClasses).toHaveLength(1);
  });

  test('names the line of the file where a key is a literal block', () => {
    const yaml = [
      ...['apiVersion: v1', 'kind: ConfigMap', 'metadata:'],
      ...['  name: pools', '  labels: { berth.sh/policy: "true" }', 'data:', '  a.yaml: |-', ''],
      ...[
        '    kind: NodePool',
        '    apiVersion: karpenter.sh/v1',
        '    metadata: { name: bad }',
        '    spec:',
      ],
      ...['      weight: 0', '    ---', '    {'],
    ];
    for (const newline of ['\n', '\r\n']) {
      const text = `kind: Pod\napiVersion: v1\n---\n${yaml.join('\n')}\n`.replaceAll('\n', newline);
      const { documents } = readDocuments({ source: 'pools.yaml', text });
      const errors = readPolicies(documents).issues.filter((issue) => issue.severity === 'error');
      expect(errors.every(({ source }) => source === 'pools.yaml')).toBe(true);
      expect(errors.find(({ code }) => code === 'not-yaml')).toMatchObject({ line: 18 });
      const weight = errors.find(({ path }) => path.at(-1) === 'weight');
      expect(weight).toMatchObject({ document: 'NodePool/bad', line: 16, column: 15 });
    }
  });

  test('names the key and the place within its text where it is quoted', () => {
    const yaml = `kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: { name: bad }\nspec:\n  weight: 0\n---\n{`;
    const { issues, nodePools } = readPolicies(
      documentsOf(configMap({ 'a.yaml': yaml, 'b.yaml': text(named('good')) })),
    );
    expect(issues.filter((issue) => issue.severity === 'error')).toMatchObject([
      { source: 'policies.json configmap/pools[a.yaml]', code: 'not-yaml', line: 7 },
      {
        source: 'policies.json configmap/pools[a.yaml]',
        document: 'NodePool/bad',
        path: ['spec', 'template'],
        code: 'missing-field',
      },
      {
        source: 'policies.json configmap/pools[a.yaml]',
        document: 'NodePool/bad',
        path: ['spec', 'weight'],
        line: 5,
        column: 11,
      },
    ]);
    expect(nodePools.map(({ pool }) => pool.name)).toEqual(['good']);
  });

  test.each<[string, Plain, Plain]>([
    ['without the label', configMap({ a: 'not: [yaml' }, {}), {}],
    ['labelled otherwise', configMap({ a: 'not: [yaml' }, { 'berth.sh/policy': 'false' }), {}],
  ])('leaves a ConfigMap %s alone', (_, object) => {
    expect(readPolicies(documentsOf(object))).toEqual({
      nodePools: [],
      nodeClasses: [],
      nodeOverlays: [],
      podDefaults: [],
      beingDeleted: new Set(),
      issues: [],
    });
  });

  test('says when the label is a boolean, a value no text, or a document no policy', () => {
    const service = text({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } });
    expect(codesOf(configMap({ a: text(named('a')) }, { 'berth.sh/policy': true }))).toEqual([
      'wrong-type metadata.labels.berth.sh/policy',
    ]);
    expect(codesOf(configMap({ a: { kind: 'NodePool' }, b: service }))).toEqual([
      'wrong-type data.a',
      'unknown-kind kind',
    ]);
  });

  test('refuses a second document of the same kind and name, and names both places', () => {
    const [first, second] = [named('a'), provisioner({ weight: 2 })];
    const documents = [
      ...readDocuments({ source: 'one.json', text: JSON.stringify(first) }).documents,
      ...readDocuments({ source: 'two.json', text: JSON.stringify({ ...second, metadata: { name: 'a' } }) })
        .documents,
    ];
    const { nodePools, issues } = readPolicies(documents);
    expect(nodePools.map(({ pool }) => pool.weight)).toEqual([0]);
    expect(issues.filter((issue) => issue.code === 'duplicate')).toMatchObject([
      {
        severity: 'error',
        source: 'two.json',
        path: ['metadata', 'name'],
        message: expect.stringContaining(
          'repeats NodePool/a, which is already defined in one.json:1:',
        ) as string,
      },
    ]);
  });

  test('warns of a node class that is not there, with the nearest one', () => {
    const pool = nodePool({
      ...BOUNDED,
      template: {
        spec: templateSpec({
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'defualt' },
        }),
      },
    });
    expect(readPolicies(documentsOf(pool, nodeClass())).issues).toMatchObject([
      {
        severity: 'warning',
        code: 'missing-reference',
        path: ['spec', 'template', 'spec', 'nodeClassRef', 'name'],
        allowed: ['default'],
        guess: 'default',
      },
    ]);
  });

  test('does not call a node class missing that was refused', () => {
    const codes = readPolicies(documentsOf(named('a'), nodeClass({ role: undefined }))).issues.map(
      (issue) => issue.code,
    );
    expect(codes).toEqual(['missing-field']);
  });

  test('says of an older document where the text has the field', () => {
    const { issues } = readPolicies(documentsOf(provisioner()));
    const missing = issues.find((issue) => issue.code === 'missing-reference');
    expect(missing).toMatchObject({ path: ['spec', 'providerRef', 'name'] });
    expect(missing?.message).toContain('spec.providerRef.name names EC2NodeClass default');
  });

  test('gives the kubelet of a v1beta1 pool to its node class', () => {
    const { nodeClasses } = readPolicies(documentsOf(betaPool({}, { kubelet: { maxPods: 7 } }), nodeClass()));
    expect(nodeClasses.map(({ template }) => (template['kubelet'] as Plain)['maxPods'])).toEqual([7]);
  });
});

describe('warnings', () => {
  const budgets = (...list: Plain[]) =>
    nodePool({ ...BOUNDED, disruption: { consolidateAfter: '0s', budgets: list } });
  const requirements = (...list: Plain[]) =>
    nodePool({ ...BOUNDED, template: { spec: templateSpec({ requirements: list }) } });
  const window = (schedule: string, duration: string) =>
    nodePool(BOUNDED, { berth: { windows: [{ allow: ['Empty'], schedule, duration }] } });
  const one = (key: string, ...values: string[]): Plain => ({ key, operator: 'In', values });
  const TYPE = 'node.kubernetes.io/instance-type';
  const CAPACITY = 'karpenter.sh/capacity-type';
  const PATH = 'spec.template.spec.requirements';

  test('no limits', () => {
    const codes = (object: Plain) =>
      readPolicies(documentsOf(object, nodeClass())).issues.map((issue) => issue.code);
    expect(codes(nodePool())).toEqual(['no-limits']);
    expect(codes(nodePool({ limits: {} }))).toEqual(['no-limits']);
    expect(codes(nodePool(BOUNDED))).toEqual([]);
  });

  test.each<[string, Plain, string[]]>([
    [
      'one instance type on spot',
      requirements(one(TYPE, 'm5.large'), one(CAPACITY, 'spot', 'on-demand')),
      [`single-spot-type ${PATH}`],
    ],
    ['one instance type on demand', requirements(one(TYPE, 'm5.large'), one(CAPACITY, 'on-demand')), []],
    [
      'two instance types on spot',
      requirements(one(TYPE, 'm5.large', 'm6i.large'), one(CAPACITY, 'spot')),
      [],
    ],
    [
      'an unknown capacity type beside known ones',
      requirements(one(CAPACITY, 'spot', 'ondemand')),
      [`unknown-value ${PATH}.0.values.1`],
    ],
    [
      'an unknown architecture beside a known one',
      requirements(one('kubernetes.io/arch', 'x86_64', 'amd64')),
      [`unknown-value ${PATH}.0.values.0`],
    ],
    [
      'a mistyped label',
      requirements(one('node.kubernetes.io/instance-typ', 'm5.large')),
      [`unknown-label ${PATH}.0.key`],
    ],
    ['a label of one’s own', requirements(one('example.com/team', 'a')), []],
    ['a budget of everything', budgets({ nodes: '100%' }), ['budget-never-binds spec.disruption.budgets.0']],
    [
      'a budget for no reason',
      budgets({ nodes: '1', reasons: [] }),
      ['budget-never-binds spec.disruption.budgets.0'],
    ],
    [
      'a budget whose schedule never fires',
      budgets({ nodes: '1', schedule: '0 0 30 2 *', duration: '1h' }),
      ['budget-never-binds spec.disruption.budgets.0'],
    ],
    [
      'an allow-window that was written as a budget',
      budgets({ nodes: '0' }, { nodes: '10%', schedule: '0 2 * * *', duration: '2h' }),
      ['budget-never-allows spec.disruption.budgets.0', 'budget-never-binds spec.disruption.budgets.1'],
    ],
    [
      'a budget above another one',
      budgets({ nodes: '20%' }, { nodes: '10%' }),
      ['budget-never-binds spec.disruption.budgets.0'],
    ],
    [
      'the same budget twice',
      budgets({ nodes: '10%' }, { nodes: '10%' }),
      ['budget-never-binds spec.disruption.budgets.1'],
    ],
    [
      'budgets that take turns',
      budgets(
        { nodes: '20%' },
        { nodes: '0', schedule: '0 9 * * *', duration: '8h' },
        { nodes: '5', reasons: ['Empty'] },
      ),
      [],
    ],
    [
      'a freeze of every minute',
      budgets({ nodes: '0', schedule: '* * * * *', duration: '1m' }),
      ['budget-never-allows spec.disruption.budgets.0'],
    ],
    ['a window that is always open', window('@hourly', '1h'), ['window-always-open berth.windows.0']],
    ['a window that never opens', window('0 0 31 4 *', '1h'), ['window-never-opens berth.windows.0']],
    ['a nightly window', window('0 2 * * *', '3h'), []],
    [
      'a mistyped kubelet setting',
      nodeClass({ kubelet: { maxPod: 5 } }),
      ['unknown-field spec.kubelet.maxPod'],
    ],
    ['an expression', nodeClass({ kubelet: { maxPods: 'min(110, max_pods)' } }), []],
    [
      'a mistyped expression and a mistyped quantity',
      nodeClass({ kubelet: { maxPods: 'min(110, pods)', kubeReserved: { memory: '100mm' } } }),
      ['invalid-expression spec.kubelet.maxPods', 'invalid-expression spec.kubelet.kubeReserved.memory'],
    ],
    ['another kubelet setting', nodeClass({ kubelet: { serializeImagePulls: false } }), []],
    ['defaults that stamp nothing', podDefaults({ priority: 5 }), ['does-nothing spec']],
    ['defaults with a gate alone', podDefaults({ schedulingGate: true }), []],
  ])('%s', (_, object, codes) => {
    expect(codesOf(object)).toEqual(codes);
    expect(issuesOf(object).every((issue) => issue.severity === 'warning')).toBe(true);
  });

  test('stand at the place of the text', () => {
    const pool = poolOf({ requirements: [one('kubernetes.io/arch', 'arm', 'amd64')] });
    const source = JSON.stringify(pool, null, 2);
    const [issue] = readPolicies(readDocuments({ source: 'a.json', text: source }).documents).issues.filter(
      (item) => item.code === 'unknown-value',
    );
    expect(source.split('\n')[(issue?.line ?? 0) - 1]?.slice((issue?.column ?? 0) - 1)).toBe('"arm",');
    expect(issue).toMatchObject({ guess: 'arm64' });
  });
});
