/** Gangs as manifests name them: pod groups, Jobs and JobSets. */
import { decodePod } from '../../../src/apis/kubernetes/pods/pod.js';
import { decodeWorkloadCount } from '../../../src/apis/kubernetes/workloads/workload-count.js';
import {
  clusterOf,
  messages,
  ownedBy,
  podManifest,
  podNames,
  workloadManifest,
  type Manifest,
} from './manifests.js';

const GROUP = 'scheduling.x-k8s.io/pod-group';
const OLD_GROUP = 'pod-group.scheduling.sigs.k8s.io';
const GANG = { annotations: { 'berth.sh/gang': 'true' } };

function podGroup(minMember: unknown, apiVersion = 'scheduling.x-k8s.io/v1alpha1'): Manifest {
  return { apiVersion, kind: 'PodGroup', metadata: { name: 'train' }, spec: { minMember } };
}

function nativeGroup(schedulingPolicy: Manifest): Manifest {
  return {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'PodGroup',
    metadata: { name: 'train' },
    spec: { schedulingPolicy },
  };
}

function jobSet(metadata: Manifest = {}, spec: Manifest = {}, job: Manifest = {}): Manifest {
  const template = { spec: { parallelism: 2, completions: 2, template: workloadTemplate() }, ...job };
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'train', ...metadata },
    spec: {
      replicatedJobs: [
        { name: 'driver', template: { spec: { template: workloadTemplate() } } },
        { name: 'workers', replicas: 2, template },
      ],
      ...spec,
    },
  };
}

function workloadTemplate(): unknown {
  return (workloadManifest()['spec'] as Manifest)['template'];
}

describe('the gang of a pod', () => {
  test.each<[string, Manifest, Manifest?]>([
    ['the label of the coscheduling plugin', { labels: { [GROUP]: 'train' } }],
    ['the same key as annotation', { annotations: { [GROUP]: 'train' } }],
    ['the label that the plugin had before', { labels: { [OLD_GROUP]: 'train' } }],
    ['spec.schedulingGroup', {}, { schedulingGroup: { podGroupName: 'train' } }],
  ])('is named by %s, and as large as its PodGroup says', (_, metadata, spec = {}) => {
    const { cluster, issues } = clusterOf(podManifest({ metadata, spec }), podGroup(4));
    expect(issues).toEqual([]);
    expect(cluster.pods[0]?.gang?.key).toBe('PodGroup default/train');
    expect(cluster.gangs).toEqual([{ key: 'PodGroup default/train', minMembers: 4 }]);
  });

  test.each([
    ['labels', { labels: { [`${OLD_GROUP}/name`]: 'train', [`${OLD_GROUP}/min-available`]: '3' } }],
    ['annotations', { annotations: { [`${OLD_GROUP}/name`]: 'train', [`${OLD_GROUP}/min-available`]: '3' } }],
    [
      'labels of today’s group',
      {
        labels: {
          'pod-group.scheduling.x-k8s.io/name': 'train',
          'pod-group.scheduling.x-k8s.io/min-available': '3',
        },
      },
    ],
  ])('may say by %s alone how many there must be', (_, metadata) => {
    const { cluster, issues } = clusterOf(podManifest({ metadata }));
    expect(issues).toEqual([]);
    expect(cluster.gangs).toEqual([{ key: 'PodGroup default/train', minMembers: 3 }]);
  });

  test('is looked for in the namespace of the pod', () => {
    const { cluster } = clusterOf(
      podManifest({ namespace: 'shop', metadata: { labels: { [GROUP]: 'train' } } }),
      podGroup(4),
    );
    expect(cluster.gangs).toEqual([]);
  });

  test('is none, with a warning, where its PodGroup is not listed', () => {
    const { cluster, issues } = clusterOf(podManifest({ metadata: { labels: { [GROUP]: 'train' } } }));
    expect(cluster.gangs).toEqual([]);
    expect(issues.map(({ severity }) => severity)).toEqual(['warning']);
    expect(messages({ issues })).toEqual([
      expect.stringContaining(
        'names PodGroup default/train, which does not exist: the pod is planned without a gang',
      ),
    ]);
  });

  test.each([
    ['spec.minMember must be at least 1, not 0', podGroup(0)],
    ['spec.minMember must be a whole number', podGroup('four')],
    ['spec.minMember is required', podGroup(undefined)],
    [
      'spec.schedulingPolicy.gang.minCount must be at least 1, not -1',
      nativeGroup({ gang: { minCount: -1 } }),
    ],
  ])('is refused where its PodGroup says %s', (message, group) => {
    const { cluster, issues } = clusterOf(podManifest({ metadata: { labels: { [GROUP]: 'train' } } }), group);
    expect(messages({ issues })).toEqual([expect.stringContaining(message)]);
    expect(cluster.gangs).toEqual([]);
  });

  test.each(['0', 'two', '1.5', ''])('is none on a cluster where a label says min-available %p', (text) => {
    const labels = { [`${OLD_GROUP}/name`]: 'train', [`${OLD_GROUP}/min-available`]: text };
    const { value, findings } = decodePod(podManifest({ metadata: { labels } }));
    expect(value?.gang).toEqual({ key: 'PodGroup default/train', minMembers: undefined });
    expect(findings).toEqual([
      expect.objectContaining({
        path: ['metadata', 'labels', `${OLD_GROUP}/min-available`],
        text: expect.stringContaining('must be a whole number of at least 1') as unknown,
      }),
    ]);
  });

  test('is as large as Kubernetes’ own PodGroup says, and none under its basic policy', () => {
    const spec = { schedulingGroup: { podGroupName: 'train' } };
    const gang = clusterOf(podManifest({ spec }), nativeGroup({ gang: { minCount: 4 } }));
    expect(gang.cluster.gangs).toEqual([{ key: 'PodGroup default/train', minMembers: 4 }]);
    const basic = clusterOf(podManifest({ spec }), nativeGroup({ basic: {} }));
    expect([basic.cluster.gangs, basic.issues]).toEqual([[], []]);
  });

  test('is that of the template for pods that a workload is going to make', () => {
    const template = { metadata: { labels: { app: 'web', [GROUP]: 'train' } } };
    const { cluster } = clusterOf(workloadManifest({ spec: { replicas: 2 }, template }), podGroup(2));
    expect(cluster.pods.map(({ gang }) => gang?.key)).toEqual([
      'PodGroup default/train',
      'PodGroup default/train',
    ]);
  });
});

describe('a Job', () => {
  const spec = { parallelism: 3, completions: 5 };

  test('whose annotation says so is one gang of all the pods that it runs at once', () => {
    const { cluster } = clusterOf(workloadManifest({ kind: 'Job', name: 'train', metadata: GANG, spec }));
    expect(cluster.gangs).toEqual([{ key: 'Job default/train', minMembers: 3 }]);
  });

  test('may say so in the template of its pods', () => {
    const template = { metadata: GANG };
    const { cluster } = clusterOf(workloadManifest({ kind: 'Job', name: 'train', spec, template }));
    expect(cluster.gangs).toEqual([{ key: 'Job default/train', minMembers: 3 }]);
  });

  test('has its listed pods in the gang, but not those that have ended', () => {
    const running = podManifest({
      name: 'train-x',
      metadata: ownedBy('Job', 'train'),
      status: { phase: 'Running' },
    });
    const done = podManifest({
      name: 'train-y',
      metadata: ownedBy('Job', 'train'),
      status: { phase: 'Succeeded' },
    });
    const { cluster } = clusterOf(
      workloadManifest({
        kind: 'Job',
        name: 'train',
        metadata: GANG,
        spec: { parallelism: 3, completions: 3 },
      }),
      running,
      done,
    );
    expect(cluster.gangs).toEqual([{ key: 'Job default/train', minMembers: 2 }]);
    expect(cluster.pods.map(({ gang }) => gang?.key)).toEqual(['Job default/train', 'Job default/train']);
  });

  test.each([undefined, 'false'])('is no gang when its annotation is %p', (value) => {
    const metadata = value === undefined ? {} : { annotations: { 'berth.sh/gang': value } };
    const { cluster, issues } = clusterOf(workloadManifest({ kind: 'Job', metadata, spec }));
    expect([cluster.gangs, issues]).toEqual([[], []]);
  });

  test('is refused when its annotation is neither true nor false', () => {
    const metadata = { annotations: { 'berth.sh/gang': 'yes' } };
    const { issues } = clusterOf(workloadManifest({ kind: 'Job', metadata, spec }));
    expect(messages({ issues })).toEqual([expect.stringContaining('must be "true" or "false", not "yes"')]);
  });

  test('is what the annotation is for: on pods of others it has no effect, with a warning', () => {
    const { cluster, issues } = clusterOf(workloadManifest({ template: { metadata: GANG } }));
    expect(cluster.gangs).toEqual([]);
    expect(messages({ issues })).toEqual([expect.stringContaining('is for pods of Jobs and JobSets')]);
  });

  test('of the API server tells its gang, that of its JobSet where it has one', () => {
    const job = workloadManifest({ kind: 'Job', name: 'train', metadata: GANG, spec });
    expect(decodeWorkloadCount('Job', job).value?.gang).toBe('Job default/train');
    const labels = { 'jobset.sigs.k8s.io/jobset-name': 'whole' };
    const child = workloadManifest({ kind: 'Job', metadata: { ...GANG, labels }, spec });
    expect(decodeWorkloadCount('Job', child).value?.gang).toBe('JobSet default/whole');
  });
});

describe('a JobSet', () => {
  test('is the Jobs that its controller makes, with their pods', () => {
    const { cluster, issues } = clusterOf(jobSet());
    expect(issues).toEqual([]);
    expect(podNames({ cluster, issues })).toEqual([
      'default/train-driver-0-0',
      'default/train-workers-0-0',
      'default/train-workers-0-1',
      'default/train-workers-1-0',
      'default/train-workers-1-1',
    ]);
    expect(cluster.gangs).toEqual([]);
  });

  test('gives its pods the labels that distinguish them', () => {
    const { cluster } = clusterOf(jobSet());
    expect(Object.fromEntries(cluster.pods.at(-1)?.spec.labels ?? [])).toMatchObject({
      'jobset.sigs.k8s.io/jobset-name': 'train',
      'jobset.sigs.k8s.io/replicatedjob-name': 'workers',
      'jobset.sigs.k8s.io/replicatedjob-replicas': '2',
      'jobset.sigs.k8s.io/job-index': '1',
      'batch.kubernetes.io/job-name': 'train-workers-1',
    });
  });

  test('whose annotation says so is one gang of all its Jobs', () => {
    const { cluster } = clusterOf(jobSet(GANG));
    expect(cluster.gangs).toEqual([{ key: 'JobSet default/train', minMembers: 5 }]);
  });

  test('counts the Jobs that are listed beside it by what these say', () => {
    const labels = { 'jobset.sigs.k8s.io/jobset-name': 'train' };
    const job = workloadManifest({
      kind: 'Job',
      name: 'train-workers-0',
      metadata: { labels },
      spec: { parallelism: 1 },
    });
    const { cluster } = clusterOf(jobSet(GANG), job);
    expect(cluster.gangs).toEqual([{ key: 'JobSet default/train', minMembers: 4 }]);
  });

  test.each([
    ['suspended', jobSet({}, { suspend: true })],
    ['over', { ...jobSet(), status: { conditions: [{ type: 'Completed', status: 'True' }] } }],
  ])('has no pods to come while it is %s', (_, manifest) => {
    expect(podNames(clusterOf(manifest))).toEqual([]);
  });

  test('reports once what is wrong in a template of several Jobs', () => {
    const { issues } = clusterOf(jobSet({}, {}, { spec: { template: { spec: { containers: [] } } } }));
    expect(messages({ issues })).toEqual([
      expect.stringContaining('spec.replicatedJobs[1].template.spec.template.spec.containers is required'),
    ]);
  });
});
