/** Policies as ConfigMaps bring them: what each document means, or what is wrong with it and where. */
import '../../../src/app/clouds.js';
import { decodeAcceptedPolicy } from '../../../src/apis/berth/accepted-policy.js';
import { decodePolicyConfigMap } from '../../../src/apis/berth/policy-config-map.js';
import type { PolicyConfigMap } from '../../../src/domain/policies/policy.js';

function configMap(data: Readonly<Record<string, unknown>>, more: object = {}): PolicyConfigMap {
  const metadata = { name: 'pools', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  const { value } = decodePolicyConfigMap({ metadata, data, ...more });
  if (value === undefined) throw new Error('the ConfigMap cannot be read');
  return value;
}

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
spec:
  limits: {cpu: 100}
  template:
    spec:
      requirements: []
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
`;
const NODE_CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: node
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {a: b}}]
  securityGroupSelectorTerms: [{tags: {a: b}}]
`;
const POD_DEFAULTS = `apiVersion: berth.sh/v1
kind: PodDefaults
metadata: {name: graviton}
spec: {architecture: arm64}
`;

test('every key and document is read, with its place, its meaning, and as it is without defaults', () => {
  const { documents, errors, ...meta } = configMap({
    'pools.yaml': `${POOL}---\n${NODE_CLASS}`,
    'defaults.yaml': POD_DEFAULTS,
  });
  expect(errors).toEqual([]);
  expect(meta).toEqual({ name: 'pools', resourceVersion: '7', createdAt: Date.UTC(2026, 0, 1) });
  expect(documents).toMatchObject([
    {
      kind: 'NodePool',
      name: 'general',
      source: { configMap: 'pools', key: 'pools.yaml' },
      value: {
        kind: 'NodePool',
        nodePool: { name: 'general', disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized' } },
      },
      errors: [],
    },
    { kind: 'EC2NodeClass', name: 'default', value: { nodeClass: { amiFamily: 'AL2023' } } },
    {
      kind: 'PodDefaults',
      name: 'graviton',
      source: { key: 'defaults.yaml' },
      value: { podDefaults: { architecture: 'arm64' } },
    },
  ]);
  expect(documents[0]?.document).not.toHaveProperty('spec.disruption');
});

test('what was accepted means the same when it is read back', () => {
  const { documents } = configMap({ a: `${POOL}---\n${NODE_CLASS}---\n${POD_DEFAULTS}` });
  expect(documents.map(({ document }) => decodeAcceptedPolicy(document))).toEqual(
    documents.map(({ value }) => value),
  );
});

test('the same document has the same hash wherever it stands, and another one has another', () => {
  const [first] = configMap({ a: POOL }).documents;
  const [second] = configMap({ b: `# moved\n${POOL}` }).documents;
  const [third] = configMap({ a: POOL.replace('100', '101') }).documents;
  expect(second?.hash).toBe(first?.hash);
  expect(third?.hash).not.toBe(first?.hash);
});

test('a document with errors keeps its name, has no value, and says line and column', () => {
  const [document] = configMap({ 'pools.yaml': POOL.replace('limits', 'limitz') }).documents;
  expect(document).toMatchObject({ kind: 'NodePool', name: 'general', value: undefined });
  expect(document?.errors).toEqual([
    expect.stringMatching(
      /^configmap\/pools\[pools\.yaml\]:6:3 NodePool\/general: error: spec\.limitz .*did you mean limits/,
    ),
  ]);
});

test('what will hurt is a warning beside the value', () => {
  const [document] = configMap({ a: POOL.replace('  limits: {cpu: 100}\n', '') }).documents;
  expect(document?.value).toBeDefined();
  expect(document?.warnings.join()).toContain('has no limits');
});

test.each([
  ['text that is no YAML', 'a: [', 'configmap/pools[k]'],
  ['something else than a policy', 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n', 'must be a policy'],
  ['a policy without a name', POOL.replace('  name: general', '  labels: {}'), 'metadata.name'],
  ['a policy that nothing can be called so', POOL.replace('general', 'Not A Name'), 'metadata.name'],
  [
    'a kind that Berth does not read',
    POOL.replace('kind: NodePool', 'kind: NodePoool'),
    'did you mean NodePool',
  ],
  ['a number', 7, 'data.k must be text'],
])('%s is an error of the ConfigMap', (_, text, words) => {
  const { documents, errors } = configMap({ k: text });
  expect(documents).toEqual([]);
  expect(errors.join('\n')).toContain(words);
});

test('binary data is an error, since it would be ignored silently', () => {
  const { errors } = configMap({ a: POOL }, { binaryData: { 'pools.yaml': 'AAAA' } });
  expect(errors).toEqual([
    'configmap/pools: binaryData["pools.yaml"] must be text under data to be read as policies',
  ]);
});

test('of two documents with one name the first holds, and the other says where that one is', () => {
  const { documents } = configMap({ a: POOL, b: POOL });
  expect(documents.map(({ value }) => value !== undefined)).toEqual([true, false]);
  expect(documents[1]?.errors.join()).toContain(
    'repeats NodePool/general, which is already defined in configmap/pools[a]:4:9; only that one is used',
  );
});

const OLD_POOL = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: old}
spec:
  limits: {cpu: 1}
  template:
    spec:
      requirements: []
      nodeClassRef: {name: default}
      kubelet: {maxPods: 42}
`;

test('kubelet settings of an older pool go to the node class of its ConfigMap', () => {
  const { documents } = configMap({ a: OLD_POOL, b: NODE_CLASS });
  expect(documents.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
    'NodePool/old',
    'EC2NodeClass/default',
  ]);
  expect(documents[1]?.value).toMatchObject({ nodeClass: { kubelet: { maxPods: 42 } } });
  expect(documents[0]?.warnings.join()).toContain('is an older version');
});

test('kubelet settings of an older pool whose node class is elsewhere are warned of', () => {
  const { documents } = configMap({ a: OLD_POOL });
  expect(documents[0]?.warnings.join()).toContain('so the kubelet settings of this older pool reach no node');
});

test('a node class made for one of two older pools stands where its pool does', () => {
  const other = OLD_POOL.replace('name: old', 'name: other').replace('42', '43');
  const { documents } = configMap({ a: OLD_POOL, b: other, c: NODE_CLASS });
  expect(documents.map(({ kind, name, source }) => `${source.key} ${kind}/${name}`)).toEqual([
    'a NodePool/old',
    'a EC2NodeClass/default-old',
    'b NodePool/other',
    'b EC2NodeClass/default-other',
    'c EC2NodeClass/default',
  ]);
});

test('an object without a name is nothing', () => {
  expect(decodePolicyConfigMap({ data: {} }).value).toBeUndefined();
});
