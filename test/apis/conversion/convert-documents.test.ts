import { convertDocuments } from '../../../src/apis/conversion/convert-documents.js';
import { readPolicies } from '../../../src/apis/policies/read-policies.js';
import {
  betaNodeClass,
  betaPool,
  documentsOf,
  nodeClass,
  nodePool,
  nodeTemplate,
  podDefaults,
  provisioner,
  type Plain,
} from '../policies-as-written.js';

const PROVIDER = { instanceProfile: 'p', subnetSelector: { a: 'b' }, securityGroupSelector: { a: 'b' } };

/** Sets of documents that belong together, by what is special about them. */
const SETS: [string, Plain[]][] = [
  ['pools of v1', [nodePool({ limits: { cpu: 5 }, weight: 3 }), nodeClass()]],
  [
    'what the API server added',
    [nodePool({}, { metadata: { name: 'a', uid: 'x', generation: 3 }, status: { nodes: 3 } })],
  ],
  [
    'a berth block',
    [
      nodePool(
        {},
        {
          berth: {
            timeZone: 'Europe/Paris',
            windows: [{ allow: ['Empty'], schedule: '@daily', duration: '1h' }],
          },
        },
      ),
    ],
  ],
  [
    'older spellings in v1',
    [
      nodePool({ ttlSecondsAfterEmpty: 30, limits: { resources: { cpu: 1 } } }),
      nodeClass({ subnetSelectorTerms: undefined, subnetSelector: { a: 'b,c' } }),
    ],
  ],
  ['an inline provider in v1', [nodePool({ provider: PROVIDER, template: { spec: { requirements: [] } } })]],
  [
    'a pool and a node class of EKS Auto Mode',
    [
      nodePool({
        template: {
          spec: {
            nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' },
            requirements: [{ key: 'eks.amazonaws.com/instance-category', operator: 'In', values: ['c'] }],
          },
        },
      }),
      {
        apiVersion: 'eks.amazonaws.com/v1',
        kind: 'NodeClass',
        metadata: { name: 'default' },
        spec: {
          role: 'nodes',
          subnetSelectorTerms: [{ tags: { a: 'b' } }],
          securityGroupSelectorTerms: [{ name: 'nodes' }],
          networkPolicy: 'DefaultDeny',
        },
      },
    ],
  ],
  ['a v1beta1 pool that says nothing', [betaPool(), betaNodeClass()]],
  [
    'a v1beta1 pool with all of its own fields',
    [
      betaPool({
        disruption: {
          consolidationPolicy: 'WhenEmpty',
          consolidateAfter: '90s',
          expireAfter: 'Never',
          budgets: [{ nodes: '1', schedule: '@daily', duration: '1h' }],
        },
      }),
      betaNodeClass({ amiFamily: 'Ubuntu', amiSelectorTerms: [{ id: 'ami-1' }] }),
    ],
  ],
  [
    'a kubelet and its node class',
    [betaPool({}, { kubelet: { maxPods: 9, kubeReserved: { cpu: '1' } } }), betaNodeClass()],
  ],
  ['a kubelet without its node class', [betaPool({}, { kubelet: { maxPods: 9 } })]],
  [
    'pools that disagree on their kubelet',
    [
      betaPool({}, { kubelet: { maxPods: 9 } }),
      { ...betaPool({}, { kubelet: { maxPods: 8 } }), metadata: { name: 'other' } },
      betaNodeClass(),
    ],
  ],
  ['a provisioner that says nothing', [provisioner(), nodeTemplate()]],
  [
    'a provisioner with all of its own fields',
    [
      provisioner({
        labels: { a: 'b' },
        annotations: { c: 'd' },
        taints: [{ key: 'e', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'f', effect: 'NoExecute' }],
        requirements: [{ key: 'g', operator: 'Exists' }],
        kubeletConfiguration: {
          podsPerCore: 2,
          systemReserved: { memory: 1 },
          containerRuntime: 'containerd',
        },
        ttlSecondsUntilExpired: 61,
        limits: { resources: { cpu: 1 } },
        weight: 9,
        consolidation: { enabled: true },
      }),
      nodeTemplate({
        amiFamily: 'Bottlerocket',
        amiSelector: { 'aws::name': 'x' },
        tags: { h: 'i' },
        userData: 'u',
        detailedMonitoring: true,
        metadataOptions: { httpTokens: 'optional' },
        blockDeviceMappings: [{ deviceName: '/dev/xvdb', ebs: { volumeSize: '30000Mi' } }],
      }),
    ],
  ],
  [
    'an inline provider',
    [provisioner({ providerRef: undefined, provider: PROVIDER, ttlSecondsAfterEmpty: 30 })],
  ],
  ['pod defaults', [podDefaults({ architecture: 'arm64' })]],
];

describe('convertDocuments', () => {
  test.each(SETS)('decoding what it makes of %s gives what decoding the originals gives', (_, objects) => {
    const originals = documentsOf(...objects);
    const { documents, issues } = convertDocuments(originals);
    expect(issues.filter((issue) => issue.severity === 'error')).toEqual([]);
    const converted = readPolicies(documentsOf(...(JSON.parse(JSON.stringify(documents)) as Plain[])));
    const { nodePools, nodeClasses, podDefaults: defaults } = readPolicies(originals);
    expect(converted.nodePools.map(({ pool, berth, kubelet }) => ({ pool, berth, kubelet }))).toEqual(
      nodePools.map(({ pool, berth, kubelet }) => ({ pool, berth, kubelet })),
    );
    expect(converted.nodeClasses).toEqual(nodeClasses);
    expect(converted.podDefaults).toEqual(defaults);
  });

  test('leaves out kubelet settings of a pool that nodes of the class never took', () => {
    const bottlerocket = {
      ...betaNodeClass(),
      spec: { ...(betaNodeClass()['spec'] as Plain), amiFamily: 'Bottlerocket' },
    };
    const { nodeClasses, issues } = readPolicies(
      documentsOf(betaPool({}, { kubelet: { maxPods: 9, podsPerCore: 2 } }), bottlerocket),
    );
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(nodeClasses.map(({ template }) => template['kubelet'])).toEqual([{ maxPods: 9 }]);
  });

  test.each(SETS)('converting %s again changes nothing', (_, objects) => {
    const once = JSON.parse(JSON.stringify(convertDocuments(documentsOf(...objects)).documents)) as Plain[];
    const twice = convertDocuments(documentsOf(...once));
    expect(JSON.parse(JSON.stringify(twice.documents))).toEqual(once);
    expect(twice.issues).toEqual([]);
  });

  test('writes no defaults, no status and nothing that the API server added', () => {
    const object = nodePool(
      { weight: 3 },
      { metadata: { name: 'a', uid: 'x', labels: { b: 'c' } }, status: { nodes: 3 } },
    );
    expect(convertDocuments([documentsOf(object)[0] as never]).documents).toEqual([
      { ...nodePool({ weight: 3 }), metadata: { name: 'a', labels: { b: 'c' } } },
    ]);
  });

  test('writes a v1beta1 pool in v1', () => {
    const object = betaPool(
      { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s', expireAfter: '24h' } },
      { nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'x' } },
    );
    expect(convertDocuments(documentsOf(object)).documents).toEqual([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'default' },
        spec: {
          template: {
            spec: {
              requirements: [],
              nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'x' },
              expireAfter: '24h',
            },
          },
          disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
        },
      },
    ]);
  });

  test('puts a kubelet that all pools of a class share into the class', () => {
    const { documents } = convertDocuments(
      documentsOf(betaPool({}, { kubelet: { maxPods: 9 } }), betaNodeClass()),
    );
    expect(documents).toMatchObject([
      { metadata: { name: 'default' } },
      { spec: { kubelet: { maxPods: 9 } } },
    ]);
    expect(documents[0]?.metadata).toEqual({ name: 'default' });
  });

  test('makes a class of its own for each pool where they disagree', () => {
    const plain = { ...betaPool(), metadata: { name: 'plain' } };
    const { documents } = convertDocuments(
      documentsOf(betaPool({}, { kubelet: { maxPods: 9 } }), plain, betaNodeClass()),
    );
    expect(documents.map((document) => document.metadata.name)).toEqual([
      'default',
      'plain',
      'default',
      'default-default',
    ]);
    const { nodePools, nodeClasses } = readPolicies(
      documentsOf(...(JSON.parse(JSON.stringify(documents)) as Plain[])),
    );
    expect(nodePools.map(({ pool }) => pool.template.nodeClassRef.name)).toEqual([
      'default-default',
      'default',
    ]);
    expect(
      nodeClasses.map(({ template }) => (template['kubelet'] as Plain | undefined)?.['maxPods']),
    ).toEqual([undefined, 9]);
  });

  test('keeps the names of such classes short and different', () => {
    const long = (letter: string) => letter.repeat(40);
    const pool = (name: string, maxPods: number) => ({
      ...betaPool({}, { nodeClassRef: { name: long('c') }, kubelet: { maxPods } }),
      metadata: { name },
    });
    const objects = [pool(`${long('p')}-1`, 1), pool(`${long('p')}-2`, 2), nodeClass({}, long('c'))];
    const { nodeClasses, nodePools } = readPolicies(documentsOf(...objects));
    const names = nodeClasses.map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(63);
    expect(nodePools.map((item) => item.pool.template.nodeClassRef.name)).toEqual(names.slice(1));
  });

  test('gives nothing for a document with errors, and leaves out what is no policy', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const { documents, issues } = convertDocuments(documentsOf(pod, betaPool({ weight: 0 }), nodeClass()));
    expect(documents.map((document) => document.kind)).toEqual(['EC2NodeClass']);
    expect(issues.filter((issue) => issue.severity === 'error').map((issue) => issue.document)).toEqual([
      'NodePool/default',
    ]);
  });
});
