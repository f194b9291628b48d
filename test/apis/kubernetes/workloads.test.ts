import {
  clusterOf,
  messages,
  ownedBy,
  podManifest,
  podNames,
  requirementTexts,
  workloadManifest,
  type Manifest,
  type WorkloadParts,
} from './manifests.js';

const ZONE_SPREAD = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'DoNotSchedule',
};

/** A running pod of a controller. */
function runningPod(name: string, kind: string, owner: string, more: Manifest = {}): Manifest {
  return podManifest({ name, metadata: ownedBy(kind, owner), status: { phase: 'Running' }, ...more });
}

describe('workloads', () => {
  test.each<[string, WorkloadParts, readonly string[]]>([
    ['one pod by default', {}, ['default/web-0']],
    [
      'as many pods as replicas',
      { spec: { replicas: 3 } },
      ['default/web-0', 'default/web-1', 'default/web-2'],
    ],
    ['no pod for zero replicas', { spec: { replicas: 0 } }, []],
    [
      'pods of a ReplicaSet',
      { kind: 'ReplicaSet', namespace: 'shop', spec: { replicas: 1 } },
      ['shop/web-0'],
    ],
    [
      'pods of a StatefulSet by ordinal',
      { kind: 'StatefulSet', spec: { replicas: 2, ordinals: { start: 5 } } },
      ['default/web-5', 'default/web-6'],
    ],
    ['one pod of a Job by default', { kind: 'Job' }, ['default/web-0']],
    [
      'pods of a Job up to its parallelism',
      { kind: 'Job', spec: { parallelism: 2, completions: 9 } },
      ['default/web-0', 'default/web-1'],
    ],
    [
      'pods of a Job up to its completions',
      { kind: 'Job', spec: { parallelism: 9, completions: 1 } },
      ['default/web-0'],
    ],
    ['pods of a work queue', { kind: 'Job', spec: { parallelism: 2 } }, ['default/web-0', 'default/web-1']],
    [
      'one pod of a Job that has completions only',
      { kind: 'Job', spec: { completions: 4 } },
      ['default/web-0'],
    ],
    ['no pod of a suspended Job', { kind: 'Job', spec: { suspend: true } }, []],
    [
      'no pod of a finished Job',
      { kind: 'Job', status: { conditions: [{ type: 'Complete', status: 'True' }] } },
      [],
    ],
    [
      'what is left of a Job',
      { kind: 'Job', spec: { parallelism: 5, completions: 5 }, status: { succeeded: 4 } },
      ['default/web-0'],
    ],
    [
      'nothing more of a work queue after a success',
      { kind: 'Job', spec: { parallelism: 3 }, status: { succeeded: 1 } },
      [],
    ],
  ])('make %s', (_, parts, names) => {
    const result = clusterOf(workloadManifest(parts));
    expect(messages(result)).toEqual([]);
    expect(podNames(result)).toEqual(names);
  });

  test('make pending pods that name their workload as owner', () => {
    const template = { metadata: { annotations: { a: 'b' } }, spec: { schedulingGates: [{ name: 'g' }] } };
    const [pod] = clusterOf(workloadManifest({ template })).cluster.pods;
    expect(pod).toMatchObject({
      uid: 'Deployment/default/web-0',
      owner: { kind: 'Deployment', name: 'web' },
      phase: 'Pending',
      nodeName: undefined,
      schedulingGated: true,
      annotations: new Map([['a', 'b']]),
    });
  });

  test('share one spec among their pods', () => {
    for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet'] as const) {
      const { pods } = clusterOf(workloadManifest({ kind, spec: { replicas: 20 } })).cluster;
      expect([pods.length, new Set(pods.map((pod) => pod.spec)).size]).toEqual([20, 1]);
    }
  });

  test('report what is wrong in a template once, at its place', () => {
    const result = clusterOf(
      workloadManifest({
        spec: { replicas: 5 },
        template: { spec: { tolerations: [{ key: 'x', effect: 'No' }] } },
      }),
    );
    expect(result.issues).toMatchObject([{ path: ['spec', 'template', 'spec', 'tolerations', 0, 'effect'] }]);
  });

  test('need a template', () => {
    const result = clusterOf({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {},
    });
    expect(messages(result)).toContain('error spec.template.spec is required');
  });

  test('refuse an impossible number of pods', () => {
    const result = clusterOf(workloadManifest({ spec: { replicas: 2_000_000_000 } }));
    expect(result.cluster.pods).toEqual([]);
    expect(result.issues).toMatchObject([{ severity: 'error', path: ['spec', 'replicas'] }]);
  });
});

describe('pods that are listed', () => {
  const web = workloadManifest({ spec: { replicas: 3 } });

  test('stand for replicas of the ReplicaSet that owns them', () => {
    const set = workloadManifest({ kind: 'ReplicaSet', spec: { replicas: 3 } });
    expect(podNames(clusterOf(set, runningPod('web-x', 'ReplicaSet', 'web')))).toEqual([
      'default/web-1',
      'default/web-2',
      'default/web-x',
    ]);
  });

  test('stand for replicas of the Deployment above their ReplicaSet, which makes no pods of its own', () => {
    const set = workloadManifest({
      kind: 'ReplicaSet',
      name: 'web-abc',
      metadata: ownedBy('Deployment', 'web'),
      spec: { replicas: 3 },
    });
    const pod = runningPod('web-abc-x', 'ReplicaSet', 'web-abc');
    expect(podNames(clusterOf(set, pod, web))).toEqual([
      'default/web-1',
      'default/web-2',
      'default/web-abc-x',
    ]);
    expect(podNames(clusterOf(set))).toEqual(['default/web-abc-0', 'default/web-abc-1', 'default/web-abc-2']);
  });

  test('are known by their template hash when their ReplicaSet is not listed', () => {
    const metadata = {
      ...ownedBy('ReplicaSet', 'web-abc'),
      labels: { app: 'web', 'pod-template-hash': 'abc' },
    };
    const pod = podManifest({ name: 'web-abc-x', metadata, status: { phase: 'Running' } });
    expect(podNames(clusterOf(web, pod))).toEqual(['default/web-1', 'default/web-2', 'default/web-abc-x']);
    const stranger = podManifest({ name: 'y', metadata: ownedBy('ReplicaSet', 'web-abc') });
    expect(podNames(clusterOf(web, stranger))).toHaveLength(4);
  });

  test('of other namespaces stand for nothing', () => {
    expect(
      podNames(clusterOf(web, runningPod('web-0', 'Deployment', 'web', { namespace: 'other' }))),
    ).toHaveLength(4);
  });

  test('stand for nothing when they have finished or are on their way out', () => {
    const failed = runningPod('a', 'Deployment', 'web', { status: { phase: 'Failed' } });
    const going = podManifest({
      name: 'b',
      metadata: { ...ownedBy('Deployment', 'web'), deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(podNames(clusterOf(web, failed, going))).toEqual([
      'default/b',
      'default/web-0',
      'default/web-1',
      'default/web-2',
    ]);
  });

  test('keep their names', () => {
    expect(podNames(clusterOf(web, podManifest({ name: 'web-1' })))).toEqual([
      'default/web-0',
      'default/web-1',
      'default/web-2',
      'default/web-3',
    ]);
  });

  test('leave a StatefulSet the ordinals that are missing', () => {
    const db = workloadManifest({ kind: 'StatefulSet', name: 'db', spec: { replicas: 4 } });
    const gone = runningPod('db-3', 'StatefulSet', 'db', { status: { phase: 'Failed' } });
    const result = clusterOf(db, runningPod('db-1', 'StatefulSet', 'db'), gone);
    expect(podNames(result)).toEqual(['default/db-0', 'default/db-1', 'default/db-2', 'default/db-3']);
  });

  test('count towards a Job whether they run or have succeeded', () => {
    const job = workloadManifest({ kind: 'Job', name: 'sum', spec: { parallelism: 3, completions: 4 } });
    const done = ['a', 'b'].map((name) => runningPod(name, 'Job', 'sum', { status: { phase: 'Succeeded' } }));
    expect(podNames(clusterOf(job, ...done, runningPod('c', 'Job', 'sum')))).toEqual([
      'default/c',
      'default/sum-1',
    ]);
  });

  test('do not make two workloads of one name collide', () => {
    const set = workloadManifest({ kind: 'StatefulSet', spec: { replicas: 2 } });
    expect(podNames(clusterOf(web, set))).toEqual([
      'default/web-0',
      'default/web-1',
      'default/web-2',
      'default/web-3',
      'default/web-4',
    ]);
  });
});

describe('labels that controllers add', () => {
  const matchHash = {
    topologySpreadConstraints: [
      {
        ...ZONE_SPREAD,
        labelSelector: { matchLabels: { app: 'web' } },
        matchLabelKeys: ['pod-template-hash'],
      },
    ],
  };
  const deployment = workloadManifest({ template: { spec: matchHash } });

  function hashOf(...objects: Manifest[]): string | undefined {
    return clusterOf(...objects)
      .cluster.pods.find((pod) => pod.name.startsWith('web-') && pod.owner?.kind === 'Deployment')
      ?.spec.labels.get('pod-template-hash');
  }

  test('give a Deployment’s pods a hash of their template, which matchLabelKeys can use', () => {
    const hash = hashOf(deployment) ?? '';
    expect(hash).toMatch(/^[0-9a-f]{8}$/);
    const [constraint] = clusterOf(deployment).cluster.pods[0]?.spec.spread ?? [];
    expect(requirementTexts(constraint?.selector?.requirements)).toEqual([
      'app In [web]',
      `pod-template-hash In [${hash}]`,
    ]);
  });

  test('depend on what the template says, not on the order in which it says it', () => {
    const template = (spec: Manifest): Manifest =>
      workloadManifest({ spec: { template: { metadata: { labels: { app: 'web' } }, spec } } });
    const containers = [{ name: 'c' }];
    const hash = hashOf(template({ containers, hostNetwork: true }));
    expect(hashOf(template({ hostNetwork: true, containers }))).toBe(hash);
    expect(hashOf(template({ containers }))).not.toBe(hash);
  });

  test('are those of the newest ReplicaSet where one is listed', () => {
    const replicaSet = (hash: string, revision: string): Manifest =>
      workloadManifest({
        kind: 'ReplicaSet',
        name: `web-${hash}`,
        spec: { replicas: 0 },
        metadata: {
          ...ownedBy('Deployment', 'web'),
          labels: { 'pod-template-hash': hash },
          annotations: { 'deployment.kubernetes.io/revision': revision },
        },
      });
    expect(hashOf(deployment, replicaSet('new', '10'), replicaSet('old', '9'))).toBe('new');
  });

  test('are those of the pods that run, where they agree', () => {
    const pod = (name: string, hash: string): Manifest =>
      podManifest({
        name,
        metadata: { ...ownedBy('ReplicaSet', `web-${hash}`), labels: { 'pod-template-hash': hash } },
      });
    const three = workloadManifest({ spec: { replicas: 3 }, template: { spec: matchHash } });
    expect(hashOf(three, pod('a', 'old'))).toBe('old');
    expect(hashOf(three, pod('a', 'old'), pod('b', 'new'))).toBe(hashOf(deployment));
  });

  test('name the Job on its pods', () => {
    const [pod] = clusterOf(workloadManifest({ kind: 'Job', name: 'sum' })).cluster.pods;
    expect(pod?.spec.labels).toEqual(
      new Map([
        ['app', 'sum'],
        ['batch.kubernetes.io/job-name', 'sum'],
        ['job-name', 'sum'],
      ]),
    );
  });

  test('are given to the pods of a StatefulSet one by one only when something selects on them', () => {
    const labelSelector = { matchLabels: { app: 'db' } };
    const byIndex = {
      topologySpreadConstraints: [
        { ...ZONE_SPREAD, labelSelector, matchLabelKeys: ['apps.kubernetes.io/pod-index'] },
      ],
    };
    const { pods } = clusterOf(
      workloadManifest({
        kind: 'StatefulSet',
        name: 'db',
        spec: { replicas: 2 },
        template: { spec: byIndex },
      }),
    ).cluster;
    expect(pods.map((pod) => pod.spec.labels.get('statefulset.kubernetes.io/pod-name'))).toEqual([
      'db-0',
      'db-1',
    ]);
    expect(pods.map((pod) => requirementTexts(pod.spec.spread[0]?.selector?.requirements))).toEqual([
      ['app In [db]', 'apps.kubernetes.io/pod-index In [0]'],
      ['app In [db]', 'apps.kubernetes.io/pod-index In [1]'],
    ]);
  });

  test('count the pods of an indexed Job where a budget selects them', () => {
    const job = workloadManifest({
      kind: 'Job',
      name: 'sum',
      spec: { parallelism: 2, completions: 2, completionMode: 'Indexed' },
    });
    const selector = { matchLabels: { 'batch.kubernetes.io/job-completion-index': '1' } };
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'one' },
      spec: { selector },
    };
    const { pods } = clusterOf(job, budget).cluster;
    expect(pods.map((pod) => pod.spec.labels.get('batch.kubernetes.io/job-completion-index'))).toEqual([
      '0',
      '1',
    ]);
  });
});

describe('claims of workloads', () => {
  const claims = [
    { metadata: { name: 'data' }, spec: { storageClassName: 'io2' } },
    { metadata: { name: 'logs' }, spec: {} },
  ];
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'ignored' } },
    { name: 'shared', persistentVolumeClaim: { claimName: 'shared' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'gp3' } } } },
  ];

  test('are one per pod and template, in the place of a volume of that name', () => {
    const set = workloadManifest({
      kind: 'StatefulSet',
      name: 'db',
      spec: { replicas: 2, volumeClaimTemplates: claims },
      template: { spec: { volumes } },
    });
    const listed = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-db-0' },
      spec: {},
    };
    const { pods } = clusterOf(set, listed).cluster;
    expect(pods.map((pod) => pod.spec.volumes)).toEqual([
      [
        { claim: 'default/data-db-0' },
        { claim: 'default/logs-db-0', ephemeralClass: '' },
        { claim: 'default/shared' },
        { claim: 'default/db-0-scratch', ephemeralClass: 'gp3' },
      ],
      [
        { claim: 'default/data-db-1', ephemeralClass: 'io2' },
        { claim: 'default/logs-db-1', ephemeralClass: '' },
        { claim: 'default/shared' },
        { claim: 'default/db-1-scratch', ephemeralClass: 'gp3' },
      ],
    ]);
  });

  test('need names', () => {
    const set = workloadManifest({ kind: 'StatefulSet', spec: { volumeClaimTemplates: [{ spec: {} }] } });
    expect(messages(clusterOf(set))).toEqual([
      'error spec.volumeClaimTemplates[0].metadata.name is required',
    ]);
  });
});
