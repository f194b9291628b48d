import type { ApiError } from '../../../world/kubernetes/objects/api-error.js';
import {
  conditionOf,
  deployment,
  isPodReady,
  nodeConfig,
  podSpec,
  SimulatedCluster,
} from '../../support/simulated-cluster.js';

type Fields = Readonly<Record<string, unknown>>;

function statusOf(cluster: SimulatedCluster, resource: string, name: string): Fields {
  return (cluster.api.get(resource, { namespace: 'default', name })?.['status'] ?? {}) as Fields;
}

async function changeSpec(
  cluster: SimulatedCluster,
  resource: string,
  name: string,
  fields: Fields,
): Promise<void> {
  await cluster.api.change(resource, { namespace: 'default', name }, (object) => ({
    ...object,
    spec: { ...(object['spec'] as object), ...fields },
  }));
}

const readyPods = (cluster: SimulatedCluster, app: string): number =>
  cluster.pods(app).filter(isPodReady).length;

async function clusterWithNodes(count = 2): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster();
  await cluster.addNodes(
    ...Array.from({ length: count }, (_, index) => ({ zone: `eu-west-3${'abc'[index % 3] ?? 'a'}` })),
  );
  return cluster;
}

describe('Deployments', () => {
  test('scale up and down, and say so in their status', async () => {
    const cluster = await clusterWithNodes();
    await cluster.create('deployments.apps', deployment('web', 4));
    await cluster.until('4 run', () => readyPods(cluster, 'web') === 4, 60);
    await cluster.pass(1);
    expect(statusOf(cluster, 'deployments.apps', 'web')).toMatchObject({
      replicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      updatedReplicas: 4,
    });
    await changeSpec(cluster, 'deployments.apps', 'web', { replicas: 1 });
    await cluster.until('1 is left', () => cluster.pods('web').length === 1, 60);
    expect(readyPods(cluster, 'web')).toBe(1);
  });

  test('a pod that goes is replaced', async () => {
    const cluster = await clusterWithNodes();
    await cluster.create('deployments.apps', deployment('web', 2));
    await cluster.until('2 run', () => readyPods(cluster, 'web') === 2, 60);
    const [first] = cluster.pods('web');
    await cluster.api.delete('pods', { namespace: 'default', name: first?.metadata.name ?? '' });
    await cluster.until(
      '2 run again',
      () => readyPods(cluster, 'web') === 2 && cluster.pods('web').length === 2,
      60,
    );
    expect(cluster.pods('web').map(({ metadata }) => metadata.uid)).not.toContain(first?.metadata.uid);
  });

  test('a new template rolls out without more than a quarter being away', async () => {
    const cluster = await clusterWithNodes(3);
    await cluster.create('deployments.apps', deployment('web', 4));
    await cluster.until('4 run', () => readyPods(cluster, 'web') === 4, 60);
    let least = 4;
    let most = 4;
    cluster.api.watch('pods', () => {
      least = Math.min(least, readyPods(cluster, 'web'));
      most = Math.max(
        most,
        cluster.pods('web').filter(({ metadata }) => metadata.deletionTimestamp === undefined).length,
      );
    });
    const { spec } = deployment('web', 4, podSpec({ cpu: '600m' }));
    await changeSpec(cluster, 'deployments.apps', 'web', spec as Fields);
    await cluster.until(
      'all are new',
      () =>
        statusOf(cluster, 'deployments.apps', 'web')['updatedReplicas'] === 4 &&
        cluster.pods('web').length === 4,
      120,
    );
    expect(least).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(5);
  });

  test('Recreate ends all old pods before the first new one', async () => {
    const cluster = await clusterWithNodes();
    const draft = deployment('web', 2);
    await cluster.create('deployments.apps', {
      ...draft,
      spec: { ...(draft['spec'] as object), strategy: { type: 'Recreate' } },
    });
    await cluster.until('2 run', () => readyPods(cluster, 'web') === 2, 60);
    const old = new Set(cluster.pods('web').map(({ metadata }) => metadata.uid));
    const mixed: number[] = [];
    cluster.api.watch('pods', () => {
      const kinds = new Set(cluster.pods('web').map(({ metadata }) => old.has(metadata.uid)));
      mixed.push(kinds.size);
    });
    const { template } = deployment('web', 2, podSpec({ cpu: '600m' }))['spec'] as { template: unknown };
    await changeSpec(cluster, 'deployments.apps', 'web', { template });
    await cluster.until(
      '2 new ones run',
      () =>
        readyPods(cluster, 'web') === 2 &&
        cluster.pods('web').every(({ metadata }) => !old.has(metadata.uid)),
      90,
    );
    expect(Math.max(...mixed)).toBe(1);
  });
});

describe('ReplicaSets', () => {
  test('adopt pods without an owner that they select, and give up those they have too many of', async () => {
    const cluster = await clusterWithNodes(1);
    for (const name of ['one', 'two', 'three'])
      await cluster.create('pods', {
        metadata: { namespace: 'default', name, labels: { app: 'web' } },
        spec: podSpec({ cpu: '100m' }),
      });
    await cluster.until('3 run', () => readyPods(cluster, 'web') === 3, 60);
    await cluster.create('replicasets.apps', { ...deployment('web', 2) });
    await cluster.until('2 are left', () => cluster.pods('web').length === 2, 60);
    expect(cluster.pods('web').map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual(
      Array(2).fill('ReplicaSet'),
    );
    expect(['one', 'two', 'three']).toEqual(
      expect.arrayContaining(cluster.pods('web').map(({ metadata }) => metadata.name)),
    );
  });
});

describe('other workloads', () => {
  test('a StatefulSet makes its pods one after another, each with a claim that is bound where the pod is', async () => {
    const cluster = await clusterWithNodes();
    await cluster.create('storageclasses.storage.k8s.io', {
      metadata: { name: 'gp3' },
      provisioner: 'ebs.csi.aws.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const labels = { app: 'db' };
    const spec = {
      ...podSpec(),
      containers: [{ name: 'main', image: 'db', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    };
    await cluster.create('statefulsets.apps', {
      metadata: { namespace: 'default', name: 'db' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: 'gp3',
              resources: { requests: { storage: '8Gi' } },
            },
          },
        ],
      },
    });
    await cluster.until('db-0 is there', () => cluster.pods('db').length === 1, 5);
    await cluster.until('both run', () => readyPods(cluster, 'db') === 2, 90);
    expect(cluster.pods('db').map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1']);
    for (const {
      metadata,
      spec: { nodeName = '' },
    } of cluster.pods('db')) {
      const claim = cluster.api.get('persistentvolumeclaims', {
        namespace: 'default',
        name: `data-${metadata.name}`,
      });
      expect(claim?.['status']).toMatchObject({ phase: 'Bound' });
      const { volumeName } = claim?.['spec'] as { volumeName: string };
      const zone = cluster.api.get('nodes', { name: nodeName })?.metadata.labels?.[
        'topology.kubernetes.io/zone'
      ];
      expect(JSON.stringify(cluster.api.get('persistentvolumes', { name: volumeName })?.['spec'])).toContain(
        `"values":["${zone ?? ''}"]`,
      );
    }
    expect(cluster.api.list('volumeattachments.storage.k8s.io')).toHaveLength(2);
    await changeSpec(cluster, 'statefulsets.apps', 'db', { replicas: 1 });
    await cluster.until('the last one went', () => cluster.pods('db').length === 1, 30);
    expect(cluster.pods('db')[0]?.metadata.name).toBe('db-0');
    await cluster.until(
      'its volume is detached',
      () => cluster.api.list('volumeattachments.storage.k8s.io').length === 1,
      30,
    );
  });

  test('a Job runs its pods, as many at once as it may, and completes', async () => {
    const cluster = await clusterWithNodes();
    const template = {
      metadata: { labels: { app: 'batch' }, annotations: { 'simulator.berth.sh/run-seconds': '20' } },
      spec: podSpec({ cpu: '100m' }, { restartPolicy: 'Never' }),
    };
    let most = 0;
    cluster.api.watch('pods', () => {
      most = Math.max(
        most,
        cluster.pods('batch').filter(({ status }) => status.phase !== 'Succeeded').length,
      );
    });
    await cluster.create('jobs.batch', {
      metadata: { namespace: 'default', name: 'batch' },
      spec: { completions: 5, parallelism: 2, template },
    });
    await cluster.until(
      'it is complete',
      () =>
        conditionOf({ status: statusOf(cluster, 'jobs.batch', 'batch') }, 'Complete')?.['status'] === 'True',
      240,
    );
    expect(most).toBe(2);
    expect(statusOf(cluster, 'jobs.batch', 'batch')).toMatchObject({ succeeded: 5, active: 0 });
  });

  test('a Job whose pods fail gives up', async () => {
    const cluster = await clusterWithNodes(1);
    const template = {
      metadata: {
        labels: { app: 'bad' },
        annotations: { 'simulator.berth.sh/run-seconds': '1', 'simulator.berth.sh/exit-code': '1' },
      },
      spec: podSpec({ cpu: '100m' }, { restartPolicy: 'Never' }),
    };
    await cluster.create('jobs.batch', {
      metadata: { namespace: 'default', name: 'bad' },
      spec: { completions: 1, parallelism: 1, backoffLimit: 1, template },
    });
    await cluster.until(
      'it failed',
      () => conditionOf({ status: statusOf(cluster, 'jobs.batch', 'bad') }, 'Failed')?.['status'] === 'True',
      120,
    );
    expect(statusOf(cluster, 'jobs.batch', 'bad')).toMatchObject({ failed: 2 });
  });

  test('a DaemonSet has a pod on each node that it fits, cordoned ones too, and on those that come', async () => {
    const cluster = new SimulatedCluster();
    const [first = ''] = await cluster.addNodes({}, { userData: nodeConfig({}, ['dedicated=x:NoSchedule']) });
    await cluster.api.change('nodes', { name: first }, (node) => ({
      ...node,
      spec: { ...(node['spec'] as object), unschedulable: true },
    }));
    const labels = { app: 'agent' };
    await cluster.create('daemonsets.apps', {
      metadata: { namespace: 'default', name: 'agent' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec({ cpu: '50m' }) },
      },
    });
    await cluster.until('it is on the first node', () => readyPods(cluster, 'agent') === 1, 30);
    const [second] = await cluster.addNodes({});
    await cluster.until('it is on the new node', () => readyPods(cluster, 'agent') === 2, 30);
    expect(
      cluster
        .pods('agent')
        .map(({ spec }) => spec.nodeName)
        .sort(),
    ).toEqual([first, second].sort());
    await cluster.pass(1);
    expect(statusOf(cluster, 'daemonsets.apps', 'agent')).toMatchObject({
      desiredNumberScheduled: 2,
      numberReady: 2,
    });
  });
});

describe('DaemonSets', () => {
  test('a pod for a node that went before it was bound goes too', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({});
    const labels = { app: 'agent' };
    await cluster.create('daemonsets.apps', {
      metadata: { namespace: 'default', name: 'agent' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec({ cpu: '64' }) },
      },
    });
    await cluster.pass(5);
    expect(cluster.pods('agent').map(({ spec }) => spec.nodeName)).toEqual([undefined]);
    await cluster.api.delete('nodes', { name });
    await cluster.pass(5);
    expect(cluster.pods('agent')).toEqual([]);
  });
});

describe('PodDisruptionBudgets', () => {
  test('allow as many evictions as there are pods to spare', async () => {
    const cluster = await clusterWithNodes();
    await cluster.create('deployments.apps', deployment('web', 3));
    await cluster.create('poddisruptionbudgets.policy', {
      metadata: { namespace: 'default', name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.until('3 run', () => readyPods(cluster, 'web') === 3, 60);
    await cluster.pass(1);
    expect(statusOf(cluster, 'poddisruptionbudgets.policy', 'web')).toMatchObject({
      expectedPods: 3,
      currentHealthy: 3,
      desiredHealthy: 2,
      disruptionsAllowed: 1,
    });
    const [first, second] = cluster
      .pods('web')
      .map(({ metadata }) => ({ namespace: 'default', name: metadata.name }));
    if (first === undefined || second === undefined) throw new Error('there are no pods');
    await cluster.api.evict(first);
    await expect(cluster.api.evict(second)).rejects.toMatchObject({ code: 429 });
    await cluster.pass(0.1);
    expect(statusOf(cluster, 'poddisruptionbudgets.policy', 'web')).toMatchObject({ disruptionsAllowed: 0 });
    await cluster.until('3 run again', () => readyPods(cluster, 'web') === 3, 60);
    await expect(cluster.api.evict(second)).resolves.toBeUndefined();
  });

  test('a pod that several of them are about is not evicted, and the answer is 500 without a reason', async () => {
    const cluster = await clusterWithNodes();
    await cluster.create('deployments.apps', deployment('web', 1));
    for (const name of ['one', 'two'])
      await cluster.create('poddisruptionbudgets.policy', {
        metadata: { namespace: 'default', name },
        spec: { minAvailable: 0, selector: { matchLabels: { app: 'web' } } },
      });
    await cluster.until('it runs', () => readyPods(cluster, 'web') === 1, 60);
    const name = cluster.pods('web')[0]?.metadata.name ?? '';
    const answer: unknown = await cluster.api
      .evict({ namespace: 'default', name })
      .catch((error: unknown) => error);
    // Word for word what kube-apiserver 1.34 and 1.36 answer.
    expect((answer as ApiError).status()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    });
  });

  test.each([
    [{ maxUnavailable: '50%' }, { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 }],
    [{ maxUnavailable: 0 }, { expectedPods: 4, desiredHealthy: 4, disruptionsAllowed: 0 }],
    [{ minAvailable: '60%' }, { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 }],
  ])('%j of 4 pods', async (limits, expected) => {
    const cluster = await clusterWithNodes();
    await cluster.create('deployments.apps', deployment('web', 4));
    await cluster.create('poddisruptionbudgets.policy', {
      metadata: { namespace: 'default', name: 'web' },
      spec: { ...limits, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.until('4 run', () => readyPods(cluster, 'web') === 4, 60);
    await cluster.pass(1);
    expect(statusOf(cluster, 'poddisruptionbudgets.policy', 'web')).toMatchObject(expected);
  });
});

describe('nodes that are lost', () => {
  test('a node whose instance ended becomes Unknown, is deleted, and its pods run elsewhere', async () => {
    const cluster = new SimulatedCluster();
    const [first = ''] = await cluster.addNodes({});
    await cluster.create('deployments.apps', deployment('web', 2));
    await cluster.until('2 run', () => readyPods(cluster, 'web') === 2, 60);
    const [second] = await cluster.addNodes({});
    cluster.instances.end('i-00000000000000001');
    await cluster.until(
      'it is Unknown',
      () => conditionOf(cluster.api.get('nodes', { name: first }), 'Ready')?.['status'] === 'Unknown',
      70,
    );
    expect(JSON.stringify(cluster.api.get('nodes', { name: first })?.['spec'])).not.toContain('not-ready');
    await cluster.until('it is deleted', () => cluster.api.get('nodes', { name: first }) === undefined, 60);
    await cluster.until('its pods run elsewhere', () => readyPods(cluster, 'web') === 2, 120);
    expect(cluster.pods('web').map(({ spec }) => spec.nodeName)).toEqual([second, second]);
  });

  test('pods leave a node that stays NotReady after their five minutes', async () => {
    const cluster = new SimulatedCluster();
    const [first = ''] = await cluster.addNodes({});
    await cluster.create('deployments.apps', deployment('web', 1));
    await cluster.until('it runs', () => readyPods(cluster, 'web') === 1, 60);
    const [second] = await cluster.addNodes({});
    cluster.world.kubelets.of(first).setReady(false);
    await cluster.pass(280);
    expect(cluster.pods('web').map(({ spec }) => spec.nodeName)).toEqual([first]);
    await cluster.until(
      'it runs elsewhere',
      () => readyPods(cluster, 'web') === 1 && cluster.pods('web')[0]?.spec.nodeName === second,
      60,
    );
    expect(cluster.pods('web')).toHaveLength(1);
  });

  test('a silent kubelet is noticed, and heard again when it speaks', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({});
    cluster.world.kubelets.of(name).silence();
    await cluster.until(
      'it is Unknown',
      () => conditionOf(cluster.api.get('nodes', { name }), 'Ready')?.['status'] === 'Unknown',
      70,
    );
    cluster.world.kubelets.of(name).resume();
    await cluster.until('it is Ready', () => cluster.isNodeReady(name), 5);
    expect(cluster.isNodeReady(name)).toBe(true);
  });

  test('a NoExecute taint drives out pods that do not tolerate it', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({});
    await cluster.create('deployments.apps', deployment('web', 1));
    await cluster.until('it runs', () => readyPods(cluster, 'web') === 1, 60);
    const [before] = cluster.pods('web');
    await cluster.api.change('nodes', { name }, (node) => ({
      ...node,
      spec: { ...(node['spec'] as object), taints: [{ key: 'out', effect: 'NoExecute' }] },
    }));
    await cluster.until(
      'it is gone',
      () => !cluster.pods('web').some(({ metadata }) => metadata.uid === before?.metadata.uid),
      40,
    );
    expect(cluster.pods('web').map(({ spec }) => spec.nodeName)).toEqual([undefined]);
  });
});
