/** /validate-policies as kube-apiserver asks it. */
import { policyStatus } from '../../support/builders/policy-status.js';
import { clusterWith, configMap, configMapReview, review, stored } from './asked.js';
import { serveWebhooks, type Webhooks } from './webhooks.js';
import { PortError } from '../../../src/ports/port-error.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';

const open: Webhooks[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

type Data = Readonly<Record<string, string>>;

async function asked(cluster: Cluster, request: unknown) {
  const webhooks = await serveWebhooks(cluster);
  open.push(webhooks);
  return webhooks.ask('/validate-policies', request);
}

function submit(data: Data, cluster = clusterWith()) {
  return asked(cluster, configMapReview(configMap('pools', data)));
}

function pool(name: string, nodeClass = 'default', more = ''): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: ${name}
spec:
  limits: {cpu: "10"}
  template:
    spec:
      requirements: []
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: ${nodeClass}}
${more}`;
}

const CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {a: b}}]
  securityGroupSelectorTerms: [{tags: {a: b}}]
`;

describe('documents that cannot work', () => {
  const BAD = {
    'general.yaml': pool('general', 'default', '  weigth: 5\n  limitz: 7\n'),
    'other.yaml': 'kind: Pod\n',
  };

  test.each([
    [
      'a static pool with a weight',
      '  replicas: 3\n  weight: 1\n',
      'spec.weight is not supported on a static NodePool',
    ],
    [
      'a requirement that no node meets',
      '  weight: 1\n',
      'spec.template.spec.requirements[0].key is a label that Berth plans no node with',
    ],
  ])('%s is refused, with what to write instead', async (_, more, message) => {
    const text = pool('general', 'default', more);
    const unmet = '[{key: karpenter.k8s.aws/ec2nodeclass, operator: Exists}]';
    const data = more.includes('replicas')
      ? text
      : text.replace('requirements: []', `requirements: ${unmet}`);
    const { allowed, status } = await submit({ 'general.yaml': data, 'class.yaml': CLASS });
    expect(allowed).toBe(false);
    expect(status?.message).toContain(message);
  });

  test('are refused all at once, each with its place, path and what was probably meant', async () => {
    const { allowed, status } = await submit({ ...BAD, 'class.yaml': CLASS });
    expect(allowed).toBe(false);
    expect([status?.code, status?.reason]).toEqual([422, 'Invalid']);
    expect(status?.message.split('\n')).toEqual([
      'ConfigMap pools has 3 errors:',
      'configmap/pools[other.yaml]:1:1 document 1: apiVersion is missing',
      expect.stringMatching(
        /^configmap\/pools\[general.yaml\]:11:3 NodePool\/general: spec.weigth .*\(did you mean weight\?\)/,
      ),
      expect.stringMatching(
        /^configmap\/pools\[general.yaml\]:12:3 NodePool\/general: spec.limitz .*\(did you mean limits\?\)/,
      ),
    ]);
    expect(status?.details.causes.map(({ field }) => field)).toEqual([
      'data[other.yaml]',
      'data[general.yaml]',
      'data[general.yaml]',
    ]);
    expect(status?.details.causes[1]?.message).toMatch(/^11:3 NodePool\/general: spec.weigth /);
  });

  test('are refused when they are changed, too, and tell of their warnings beside', async () => {
    const request = { operation: 'UPDATE', oldObject: configMap('pools', { a: CLASS }) };
    const response = await asked(
      clusterWith(),
      configMapReview(configMap('pools', { ...BAD, fine: pool('fine') }), request),
    );
    expect(response.allowed).toBe(false);
    expect(response.warnings).toEqual([expect.stringContaining('names EC2NodeClass default')]);
  });

  test('are named by the prefix of a generated name', async () => {
    const object = {
      ...configMap('x', { a: 'kind: Pod' }),
      metadata: { generateName: 'pools-', labels: { 'berth.sh/policy': 'true' } },
    };
    const { status } = await asked(clusterWith(), configMapReview(object, { name: undefined }));
    expect(status?.message).toContain('configmap/pools-[a]:1:1 document 1: apiVersion is missing');
  });

  test('are counted where there are too many to list', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [`k${String(index)}`, 'kind: Pod\n']),
    );
    const { status } = await submit(data);
    const lines = status?.message.split('\n') ?? [];
    expect([lines[0], lines.length, lines.at(-1)]).toEqual([
      'ConfigMap pools has 130 errors:',
      102,
      'and 30 more; berth validate lists all of them',
    ]);
  });
});

describe('NodeOverlays', () => {
  const overlay = (spec: string): string => `apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: licence}
spec: {requirements: [], ${spec}}
`;

  test('are let through, and refused with the place of what is wrong', async () => {
    expect(await submit({ a: overlay('priceAdjustment: "+0.02"') })).toEqual({
      uid: 'review-1',
      allowed: true,
    });
    const { allowed, status } = await submit({ a: overlay('priceAdjustment: 0.02%') });
    expect(allowed).toBe(false);
    expect(status?.message).toMatch(
      /configmap\/pools\[a\]:4:43 NodeOverlay\/licence: spec\.priceAdjustment must be a change with its sign/,
    );
  });
});

describe('documents that will hurt', () => {
  test('are let through with warnings, none longer than the API server passes on', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      pool(`p-${String(index)}`).replace('  limits: {cpu: "10"}\n', ''),
    );
    const { allowed, warnings = [] } = await submit({ a: many.join('---\n'), class: CLASS });
    expect(allowed).toBe(true);
    expect(warnings[0]).toBe(
      'configmap/pools[a]:6:3 NodePool/p-0: spec has no limits: nothing bounds how many instances the NodePool may launch',
    );
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('and 40 more; berth validate lists all of them');
    expect(warnings.every((warning) => warning.length <= 256)).toBe(true);
    expect(warnings.join('').length).toBeLessThanOrEqual(4096);
  });

  test('are those with a reference to something that is nowhere in the cluster', async () => {
    const cluster = clusterWith({ classes: { a: CLASS } });
    expect(await submit({ a: pool('general') }, cluster)).toEqual({ uid: 'review-1', allowed: true });
    const { allowed, warnings } = await submit({ a: pool('general', 'defalt') }, cluster);
    expect(allowed).toBe(true);
    expect(warnings).toEqual([
      'configmap/pools[a]:10:74 NodePool/general: spec.template.spec.nodeClassRef.name names EC2NodeClass defalt, which is not among the documents (did you mean default?); allowed: default',
    ]);
  });
});

describe('a kind and name that is given elsewhere', () => {
  const taken = { policies: { 'pools.yaml': pool('general'), 'class.yaml': CLASS } };

  test('is refused with both names, where it stands', async () => {
    const { allowed, status } = await submit(
      { 'mine.yaml': `${pool('own')}---\n${pool('general')}` },
      clusterWith(taken),
    );
    expect(allowed).toBe(false);
    expect(status?.message.split('\n')).toEqual([
      'ConfigMap pools has an error:',
      'configmap/pools[mine.yaml]:15:9 NodePool/general: NodePool "general" is defined in ConfigMap policies (key pools.yaml) and again in ConfigMap pools (key mine.yaml): the first one is used',
    ]);
  });

  test('may be changed in the ConfigMap whose document was accepted', async () => {
    const cluster = clusterWith({ ...taken, rival: { 'mine.yaml': pool('general') } });
    cluster.put('PolicyStatus', policyStatus());
    const update = (name: string, key: string) =>
      asked(
        cluster,
        configMapReview(configMap(name, { [key]: pool('general') }), {
          name,
          operation: 'UPDATE',
          oldObject: configMap(name, {}),
        }),
      );
    expect((await update('policies', 'pools.yaml')).allowed).toBe(true);
    expect((await update('rival', 'mine.yaml')).allowed).toBe(false);
  });

  test('is refused where it is added later, though what was accepted is not written yet', async () => {
    const cluster = clusterWith({ ...taken, older: {} });
    cluster.put('PolicyConfigMap', { ...stored('older', {}), createdAt: 1 });
    const metadata = {
      ...(configMap('older', {})['metadata'] as object),
      creationTimestamp: '1970-01-01T00:00:01Z',
    };
    const added = { ...configMap('older', { a: pool('general') }), metadata };
    const request = { name: 'older', operation: 'UPDATE', oldObject: configMap('older', {}) };
    expect((await asked(cluster, configMapReview(added, request))).allowed).toBe(false);
  });

  test('is refused within one ConfigMap, once', async () => {
    const { status } = await submit({ a: pool('general'), b: pool('general'), class: CLASS });
    expect(status?.message.split('\n')).toEqual([
      'ConfigMap pools has an error:',
      expect.stringContaining(
        'configmap/pools[b]:4:9 NodePool/general: metadata.name repeats NodePool/general, which is already defined in configmap/pools[a]:4:9',
      ),
    ]);
  });
});

describe('pools whose document goes', () => {
  const cluster = () => {
    const known = clusterWith({ policies: { 'pools.yaml': pool('general'), 'class.yaml': CLASS } });
    known.put('PolicyStatus', policyStatus());
    return known;
  };
  const frozen =
    'NodePool general freezes: no launch and no voluntary disruption until its document returns or PolicyStatus nodepool.general is annotated berth.sh/delete: drain or orphan';
  const frozenClass = frozen
    .replaceAll('NodePool general', 'EC2NodeClass default')
    .replace('nodepool.general', 'ec2nodeclass.default');
  const old = configMap('policies', { 'pools.yaml': pool('general') });
  const unlabelled = { ...old, metadata: { name: 'policies' } };

  test.each([
    [
      'is deleted',
      configMapReview(null, { operation: 'DELETE', oldObject: old, name: 'policies' }),
      [frozenClass, frozen],
    ],
    [
      'loses its label',
      configMapReview(unlabelled, { operation: 'UPDATE', oldObject: old, name: 'policies' }),
      [frozenClass, frozen],
    ],
    [
      'loses the document',
      configMapReview(configMap('policies', { 'class.yaml': CLASS }), {
        operation: 'UPDATE',
        oldObject: old,
        name: 'policies',
      }),
      [frozen],
    ],
  ])('are named when the ConfigMap %s', async (_what, request, warnings) => {
    expect(await asked(cluster(), request)).toEqual({ uid: 'review-1', allowed: true, warnings });
  });

  test('are not told of when nothing is lost', async () => {
    const request = { operation: 'UPDATE', oldObject: old, name: 'policies' };
    const both = configMap('policies', { 'pools.yaml': pool('general'), 'class.yaml': CLASS });
    expect(await asked(cluster(), configMapReview(both, request))).toEqual({
      uid: 'review-1',
      allowed: true,
    });
  });
});

describe('what is none of its business', () => {
  test('is let through', async () => {
    const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'kind: Pod' } };
    for (const request of [configMapReview(plain), review({ object: configMap('pools', { a: ':' }) })])
      expect(await asked(clusterWith(), request)).toEqual({ uid: 'review-1', allowed: true });
  });

  test('is a ConfigMap in another namespace, which gets a warning', async () => {
    const response = await asked(
      clusterWith(),
      configMapReview(configMap('pools', { a: ':' }), { namespace: 'shop' }),
    );
    expect(response.allowed).toBe(true);
    expect(response.warnings).toEqual([
      'ConfigMap shop/pools has the label berth.sh/policy, but no effect: policies are read in namespace berth-system only',
    ]);
  });
});

test('before all policies are known documents are judged by themselves', async () => {
  const cluster = new Cluster();
  cluster.put('PolicyConfigMap', stored('policies', { a: pool('general') }));
  expect(await submit({ a: pool('general') }, cluster)).toEqual({ uid: 'review-1', allowed: true });
  expect((await submit({ a: 'kind: Pod' }, cluster)).allowed).toBe(false);
});

describe('policies that cannot be read in time', () => {
  test.each(['TimedOut', 'RateLimited', 'Unavailable'] as const)(
    'are let through with a warning, which is counted: %s',
    async (code) => {
      const readPolicies = () =>
        Promise.reject(new PortError(code, { operation: 'read policies', message: 'no answer' }));
      const webhooks = await serveWebhooks(clusterWith(), { readPolicies });
      open.push(webhooks);
      const review = configMapReview(configMap('pools', { a: pool('general') }));
      expect(await webhooks.ask('/validate-policies', review)).toMatchObject({
        allowed: true,
        warnings: [expect.stringContaining('ConfigMap pools was not validated in time')],
      });
      const { values } = await webhooks.metrics.admissionRequests.get();
      expect(values).toMatchObject([
        { labels: { webhook: 'validate-policies', outcome: 'unchecked' }, value: 1 },
      ]);
    },
  );
});
