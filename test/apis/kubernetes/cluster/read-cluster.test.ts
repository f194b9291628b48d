import fc from 'fast-check';
import { readDocuments } from '../../../../src/apis/documents/read-documents.js';
import { isClusterObject } from '../../../../src/apis/kubernetes/object/object-index.js';
import { readCluster, type ReadClusterResult } from '../../../../src/apis/kubernetes/cluster/read-cluster.js';
import {
  clusterOf,
  clusterOfText,
  messages,
  ownedBy,
  podManifest,
  podNames,
  workloadManifest,
  type Manifest,
} from '../manifests.js';

function manifest(apiVersion: string, kind: string, name: string, more: Manifest = {}): Manifest {
  return { apiVersion, kind, metadata: { name }, ...more };
}

/** One of everything. */
const OBJECTS: readonly Manifest[] = [
  manifest('v1', 'Namespace', 'shop', { metadata: { name: 'shop', labels: { team: 'x' } } }),
  manifest('v1', 'Node', 'n1', { status: { allocatable: { cpu: '4' } } }),
  manifest('storage.k8s.io/v1', 'CSINode', 'n1', {
    spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count: 25 } }] },
  }),
  manifest('v1', 'PersistentVolume', 'pv', { spec: { csi: { driver: 'ebs.csi.aws.com' } } }),
  manifest('v1', 'PersistentVolumeClaim', 'data-db-0', { spec: { volumeName: 'pv' } }),
  manifest('storage.k8s.io/v1', 'StorageClass', 'gp3', {
    metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'ebs.csi.aws.com',
  }),
  manifest('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 100 }),
  manifest('policy/v1', 'PodDisruptionBudget', 'web', { spec: { minAvailable: 1, selector: {} } }),
  workloadManifest({ kind: 'DaemonSet', name: 'agent' }),
  workloadManifest({ spec: { replicas: 3 }, template: { spec: { priorityClassName: 'high' } } }),
  workloadManifest({ kind: 'ReplicaSet', name: 'web-abc', metadata: ownedBy('Deployment', 'web') }),
  workloadManifest({
    kind: 'StatefulSet',
    name: 'db',
    spec: { replicas: 2, volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  }),
  workloadManifest({ kind: 'Job', name: 'sum', spec: { parallelism: 2, completions: 5 } }),
  podManifest({ name: 'web-abc-1', metadata: ownedBy('ReplicaSet', 'web-abc'), spec: { nodeName: 'n1' } }),
  podManifest({ name: 'lone' }),
  podManifest({ name: 'done', status: { phase: 'Succeeded' } }),
];

/** The cluster with every list in an order of its own. */
function sorted({ cluster, issues }: ReadClusterResult): unknown {
  const keyed = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] =>
    [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    pods: keyed(cluster.pods),
    daemonSets: keyed(cluster.daemonSets),
    nodes: keyed(cluster.nodes),
    persistentVolumes: keyed(cluster.persistentVolumes),
    persistentVolumeClaims: keyed(cluster.persistentVolumeClaims),
    storageClasses: keyed(cluster.storageClasses),
    namespaces: cluster.namespaces,
    podDisruptionBudgets: keyed(cluster.podDisruptionBudgets),
    issues: issues.map((issue) => issue.message).sort(),
  };
}

describe('readCluster', () => {
  test('reads one of everything', () => {
    const result = clusterOf(...OBJECTS);
    expect(messages(result)).toEqual([]);
    expect(podNames(result)).toEqual([
      'default/db-0',
      'default/db-1',
      'default/lone',
      'default/sum-0',
      'default/sum-1',
      'default/web-1',
      'default/web-2',
      'default/web-abc-1',
    ]);
    const { cluster } = result;
    expect(cluster.nodes[0]?.volumeLimits).toEqual(new Map([['ebs.csi.aws.com', 25]]));
    expect(cluster.namespaces.get('shop')?.get('team')).toBe('x');
    expect(cluster.persistentVolumes).toHaveLength(1);
    expect(cluster.storageClasses).toHaveLength(1);
    expect(cluster.podDisruptionBudgets).toHaveLength(1);
    expect(cluster.daemonSets).toHaveLength(1);
    const specOf = (name: string): unknown => cluster.pods.find((pod) => pod.name === name)?.spec;
    expect(specOf('web-1')).toMatchObject({ priority: 100 });
    expect(specOf('db-0')).toMatchObject({ volumes: [{ claim: 'default/data-db-0' }] });
    expect(specOf('db-1')).toMatchObject({
      volumes: [{ claim: 'default/data-db-1', ephemeralClass: 'gp3' }],
    });
  });

  test('does not depend on the order of the documents', () => {
    const expected = sorted(clusterOf(...OBJECTS));
    fc.assert(
      fc.property(fc.shuffledSubarray([...OBJECTS], { minLength: OBJECTS.length }), (objects) => {
        expect(sorted(clusterOf(...objects))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  test('passes over kinds that do not matter, and kinds of other groups with the same name', () => {
    const others = [
      manifest('v1', 'Service', 'web'),
      manifest('v1', 'ConfigMap', 'web'),
      manifest('batch/v1', 'CronJob', 'nightly', { spec: { schedule: '@daily' } }),
      manifest('karpenter.sh/v1', 'NodePool', 'default'),
      manifest('batch.volcano.sh/v1alpha1', 'Job', 'train'),
      manifest('metrics.k8s.io/v1beta1', 'Node', 'n1'),
    ];
    const result = clusterOf(...others);
    expect(result.issues).toEqual([]);
    expect(result.cluster.pods).toEqual([]);
    expect(others.some((item) => isClusterObject(item as { apiVersion: string; kind: string }))).toBe(false);
    expect(isClusterObject({ apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget' })).toBe(true);
  });

  test('warns of ReplicationControllers, which it does not expand', () => {
    const result = clusterOf(manifest('v1', 'ReplicationController', 'old'));
    expect(result.issues).toMatchObject([
      { severity: 'warning', code: 'unsupported-kind', document: 'ReplicationController/old' },
    ]);
  });

  test('refuses an object that is given twice, naming both places', () => {
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: [{name: c}]\n';
    const { cluster, issues } = clusterOfText(
      `${pod}---\n${pod.replace('name: a', 'name: a\n  namespace: default')}---\n${pod.replace('name: a', 'name: a\n  namespace: b')}`,
    );
    expect(cluster.pods.map((item) => item.namespace)).toEqual(['default', 'b']);
    expect(issues).toMatchObject([
      {
        severity: 'error',
        code: 'duplicate-object',
        document: 'Pod/a',
        line: 11,
        message: 'metadata.name gives Pod default/a a second time: the first is in cluster.yaml:4:9',
      },
    ]);
  });

  test('takes cluster-scoped objects as one whatever namespace they claim', () => {
    const node = (namespace: string): Manifest => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', namespace },
    });
    expect(clusterOf(node('a'), node('b')).issues).toMatchObject([{ code: 'duplicate-object' }]);
  });

  test('says line and column of what is wrong, in the order of the documents', () => {
    const text = [
      'apiVersion: apps/v1',
      'kind: Deployment',
      'metadata: {name: web}',
      'spec:',
      '  replicas: -1',
      '  template:',
      '    spec:',
      '      containers:',
      '        - name: c',
      '          resources:',
      '            requests: {cpu: 1x}',
      '---',
      'apiVersion: v1',
      'kind: Pod',
      'metadata: {name: a}',
      'spec: {nodeName: 3, containers: [{name: c}]}',
    ].join('\n');
    expect(
      clusterOfText(text).issues.map((issue) => [issue.document, issue.line, issue.column, issue.message]),
    ).toEqual([
      ['Deployment/web', 5, 13, 'spec.replicas must be at least 0, not -1'],
      [
        'Deployment/web',
        11,
        29,
        'spec.template.spec.containers[0].resources.requests.cpu must be a quantity such as 500m, 2 or 10Gi, not "1x"',
      ],
      ['Pod/a', 16, 18, 'spec.nodeName must be text, not 3: write it in quotes, "3"'],
    ]);
  });

  test('warns once per node of pods bound to nodes that are not listed', () => {
    const bound = ['b', 'a', 'c'].map((name) => podManifest({ name, spec: { nodeName: 'gone' } }));
    const finished = podManifest({ name: 'd', spec: { nodeName: 'other' }, status: { phase: 'Failed' } });
    expect(clusterOf(...bound, finished).issues).toMatchObject([
      {
        severity: 'warning',
        code: 'unknown-reference',
        document: 'Pod/a',
        message:
          'spec.nodeName names Node gone, which is not listed: its 3 pods (default/a first) are left out',
      },
    ]);
  });

  test('gives nodes without one the hostname label that kubelets set', () => {
    const [plain, named] = clusterOf(
      manifest('v1', 'Node', 'n1'),
      manifest('v1', 'Node', 'n2', {
        metadata: { name: 'n2', labels: { 'kubernetes.io/hostname': 'ip-1' } },
      }),
    ).cluster.nodes;
    expect(plain?.labels.get('kubernetes.io/hostname')).toBe('n1');
    expect(named?.labels.get('kubernetes.io/hostname')).toBe('ip-1');
  });

  test('shares one spec among equal pods of a List', () => {
    const items = Array.from({ length: 50 }, (_, index) => podManifest({ name: `p${String(index)}` }));
    const { documents } = readDocuments({
      source: 'list.json',
      text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    });
    expect(new Set(readCluster(documents).cluster.pods.map((pod) => pod.spec)).size).toBe(1);
  });
});

test('a node that is being deleted takes no pods any more', () => {
  const leaving = { metadata: { name: 'n1', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const { cluster } = clusterOf(manifest('v1', 'Node', 'n1', leaving), manifest('v1', 'Node', 'n2'));
  expect(cluster.nodes.map(({ name, unschedulable }) => [name, unschedulable])).toEqual([
    ['n1', true],
    ['n2', false],
  ]);
});
