/** Workloads run on stand-in nodes: bound by the real scheduler, kept up by the real controllers, started by our kubelet. */
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  LEASES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type Node,
  type Pod,
} from '../../fixture/api/kube-object.js';
import { UNREGISTERED_TAINT } from '../../kubelet/node-options.js';
import type { PodBehaviour } from '../../kubelet/pod-behaviour.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { expectRefused } from '../expect-refused.js';
import { jobManifest, podManifest, workloadManifest } from '../manifests.js';

/** Pods say by annotation how they behave. */
function behaviourOf(pod: Pod): PodBehaviour {
  return JSON.parse(pod.metadata.annotations?.['behaviour'] ?? '{}') as PodBehaviour;
}

function behaving(behaviour: PodBehaviour): { annotations: Record<string, string> } {
  return { annotations: { behaviour: JSON.stringify(behaviour) } };
}

describe('StandInKubelet', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;

  beforeAll(async () => {
    // Otherwise nodes are looked at every 5 s, and of those that are not ready one in 10 s is tainted.
    const flags = { 'kube-controller-manager': ['--node-monitor-period=1s', '--node-eviction-rate=10'] };
    cluster = await startControlPlane({ flags });
    kubelet = new StandInKubelet({
      api: cluster.api,
      kubeletVersion: cluster.version,
      podBehaviour: behaviourOf,
    });
  });

  afterAll(async () => {
    await kubelet.stop();
    await cluster.stop();
  });

  /** Waits for a node whose condition Ready is True and whose taints are the ones that it was given. */
  function nodeReady(name: string): Promise<Node> {
    return eventually(`node ${name} to be ready`, async () => {
      const node = await cluster.api.find(NODES, { name });
      const isTainted = node?.spec.taints?.some(({ key }) => key.startsWith('node.kubernetes.io/'));
      return node !== undefined && isReady(node.status) && isTainted !== true ? node : undefined;
    });
  }

  function podsOf(app: string): Promise<readonly Pod[]> {
    return cluster.api
      .list(PODS, { namespace: 'default', labelSelector: `app=${app}` })
      .then(({ items }) => items);
  }

  function running(app: string, count: number): Promise<readonly Pod[]> {
    return eventually(
      `${String(count)} pods of ${app} to run`,
      async () => {
        const pods = (await podsOf(app)).filter(
          (pod) => isReady(pod.status) && pod.metadata.deletionTimestamp === undefined,
        );
        return pods.length === count ? pods : undefined;
      },
      { timeoutMillis: 30_000 },
    );
  }

  test('runs a Deployment of three on the nodes that it was bound to', async () => {
    kubelet.addNode({ name: 'n1', capacity: { cpu: '2' } });
    kubelet.addNode({ name: 'n2', capacity: { cpu: '2' } });
    await Promise.all([nodeReady('n1'), nodeReady('n2')]);
    await cluster.api.create(
      DEPLOYMENTS,
      workloadManifest({ requests: { cpu: '600m' }, workload: { replicas: 3 } }),
    );

    const pods = await running('web', 3);
    expect(new Set(pods.map((pod) => pod.spec.nodeName))).toEqual(new Set(['n1', 'n2']));
    await eventually('the Deployment to count them', async () => {
      const { status } = await cluster.api.get(DEPLOYMENTS, { name: 'web' });
      return status.readyReplicas === 3;
    });
    expect((await podsOf('web')).map((pod) => pod.status.phase)).toEqual(['Running', 'Running', 'Running']);
  });

  test('registers a node with its labels, taints, resources and provider ID', async () => {
    kubelet.addNode({
      name: 'launched',
      labels: { 'karpenter.sh/nodepool': 'general', 'topology.kubernetes.io/zone': 'us-east-1a' },
      taints: [UNREGISTERED_TAINT],
      capacity: { cpu: '8', 'nvidia.com/gpu': '1' },
      allocatable: { cpu: '7910m' },
      providerID: 'aws:///us-east-1a/i-0123456789abcdef0',
    });
    const node = await nodeReady('launched');
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/hostname': 'launched',
      'karpenter.sh/nodepool': 'general',
    });
    expect(node.spec).toEqual({
      providerID: 'aws:///us-east-1a/i-0123456789abcdef0',
      taints: [UNREGISTERED_TAINT],
    });
    expect(node.status.allocatable).toMatchObject({ cpu: '7910m', memory: '16Gi', 'nvidia.com/gpu': '1' });
  });

  test('keeps pods off a node until its unregistered taint is removed', async () => {
    const spec = { nodeSelector: { 'karpenter.sh/nodepool': 'general' } };
    // A Deployment makes another pod, should kube-controller-manager evict the first: it may see it bound before it sees the taint gone.
    await cluster.api.create(
      DEPLOYMENTS,
      workloadManifest({ name: 'early', spec, workload: { replicas: 1 } }),
    );
    const refused = await eventually('the pod to be refused', async () => {
      const [pod] = await podsOf('early');
      return pod?.status.conditions?.find(
        ({ type, status }) => type === 'PodScheduled' && status === 'False',
      );
    });
    expect(refused).toMatchObject({ reason: 'Unschedulable' });
    // 1.34 names the taint, 1.36 does not.
    expect(refused.message).toContain('1 node(s) had untolerated taint');

    await cluster.api.patch(NODES, { name: 'launched' }, { type: 'merge', body: { spec: { taints: null } } });
    const [bound] = await running('early', 1);
    expect(bound?.spec.nodeName).toBe('launched');
  });

  test('runs a DaemonSet on every node, also on one that comes later', async () => {
    const everywhere = { tolerations: [{ operator: 'Exists' }] };
    await cluster.api.create(DAEMON_SETS, workloadManifest({ name: 'agent', spec: everywhere }));
    await running('agent', 3);
    kubelet.addNode({ name: 'later', bootMillis: 200, readyMillis: 200 });
    const pods = await running('agent', 4);
    expect(pods.map((pod) => pod.spec.nodeName)).toContain('later');
  });

  test('takes its time to boot and to become ready', async () => {
    const startedAt = performance.now();
    kubelet.addNode({ name: 'slow', bootMillis: 600, readyMillis: 600 });
    const unready = await eventually('the node to register', () => cluster.api.find(NODES, { name: 'slow' }));
    expect(isReady(unready.status)).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(600);
    await nodeReady('slow');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_200);
  });

  test('never registers, or never becomes ready, when that is how it fails', async () => {
    kubelet.addNode({ name: 'dead', failure: 'never-registers' });
    kubelet.addNode({ name: 'ill', failure: 'never-ready' });
    kubelet.addNode({ name: 'well' });
    await nodeReady('well');
    const ill = await eventually('the ill node to register', () => cluster.api.find(NODES, { name: 'ill' }));
    expect(isReady(ill.status)).toBe(false);
    expect(ill.spec.taints).toContainEqual(
      expect.objectContaining({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }),
    );
    expect(await cluster.api.find(NODES, { name: 'dead' })).toBeUndefined();
  });

  test('goes NotReady and comes back, and the controllers taint it in between', async () => {
    await kubelet.setReady('well', false);
    await eventually('the taint', async () => {
      const { spec } = await cluster.api.get(NODES, { name: 'well' });
      return spec.taints?.some(({ key, effect }) => key.endsWith('/not-ready') && effect === 'NoExecute');
    });
    await kubelet.setReady('well', true);
    const node = await nodeReady('well');
    expect(node.spec.taints).toBeUndefined();
  });

  test('renews the Lease of a node until it falls silent', async () => {
    const beating = new StandInKubelet({ api: cluster.api, leaseMillis: 100, statusMillis: 100 });
    beating.addNode({ name: 'beating' });
    const lease = { name: 'beating', namespace: 'kube-node-lease' };
    async function renewTime(): Promise<string | undefined> {
      return (await cluster.api.find(LEASES, lease))?.spec.renewTime;
    }
    const first = await eventually('a first heartbeat', renewTime);
    const second = await eventually('another heartbeat', async () => {
      const time = await renewTime();
      return time !== first && time;
    });
    expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));

    beating.silence('beating');
    await pause(150); // a renewal under way may still arrive
    const last = await renewTime();
    await pause(300);
    expect(await renewTime()).toBe(last);

    await beating.resume('beating');
    expect(await renewTime()).not.toBe(last);
    await beating.removeNode('beating');
    await beating.stop();
  });

  test('completes a Job whose pod is asked to end, and fails one that exits otherwise', async () => {
    await cluster.api.create(JOBS, jobWith('good', { runMillis: 50 }));
    await cluster.api.create(JOBS, jobWith('bad', { runMillis: 50, exitCode: 3 }));
    async function condition(name: string): Promise<string | undefined> {
      const { status } = await cluster.api.get(JOBS, { name });
      return status.conditions?.find((one) => one.type === 'Complete' || one.type === 'Failed')?.type;
    }
    expect(await eventually('the good Job to end', () => condition('good'))).toBe('Complete');
    expect(await eventually('the bad Job to end', () => condition('bad'))).toBe('Failed');
  });

  test('lets a pod go at once when it ends at once, and after its grace when it does not', async () => {
    const stubbornly = behaving({ terminationMillis: 60_000 });
    await cluster.api.create(PODS, podManifest({ name: 'quick', spec: grace(30) }));
    await cluster.api.create(PODS, podManifest({ name: 'stubborn', spec: grace(1), ...stubbornly }));
    const [quick, stubborn] = await Promise.all([lifeAfterDeletion('quick'), lifeAfterDeletion('stubborn')]);
    expect(quick).toBeLessThan(10_000);
    expect(stubborn).toBeGreaterThanOrEqual(1_000);
  });

  test('lets a disruption budget refuse an eviction with 429 and allow it when there is room', async () => {
    await cluster.api.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
    });
    const budget = { name: 'web' };
    await eventually('the budget to be counted', async () => {
      const { status } = await cluster.api.get(POD_DISRUPTION_BUDGETS, budget);
      return status.observedGeneration !== undefined;
    });
    const [pod] = await running('web', 3);
    const name = pod?.metadata.name ?? '';
    const error = await expectRefused(cluster.api.evict({ name }), { code: 429, reason: 'TooManyRequests' });
    expect(error.causes).toContainEqual(expect.objectContaining({ reason: 'DisruptionBudget' }));

    await cluster.api.patch(POD_DISRUPTION_BUDGETS, budget, {
      type: 'merge',
      body: { spec: { minAvailable: 2 } },
    });
    await eventually('the eviction to be allowed', async () => {
      await cluster.api.evict({ name });
      return true;
    });
    const after = await running('web', 3);
    expect(after.map(({ metadata }) => metadata.name)).not.toContain(name);
  });

  test('keeps up with 300 pods at once', async () => {
    for (const name of ['big-1', 'big-2', 'big-3']) {
      kubelet.addNode({ name, labels: { size: 'big' }, capacity: { cpu: '64', memory: '256Gi' } });
    }
    await Promise.all(['big-1', 'big-2', 'big-3'].map(nodeReady));
    const startedAt = performance.now();
    const spec = { nodeSelector: { size: 'big' } };
    await cluster.api.create(
      DEPLOYMENTS,
      workloadManifest({ name: 'burst', spec, workload: { replicas: 300 } }),
    );
    const pods = await running('burst', 300);
    process.stdout.write(`300 pods run after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
    expect(new Set(pods.map((pod) => pod.spec.nodeName))).toEqual(new Set(['big-1', 'big-2', 'big-3']));
  });

  test('takes an instance away with its Node, or leaves the Node of a dead one behind', async () => {
    await kubelet.terminate('ill');
    expect(await cluster.api.find(NODES, { name: 'ill' })).toBeDefined();
    await kubelet.removeNode('slow');
    expect(await cluster.api.find(NODES, { name: 'slow' })).toBeUndefined();
    expect(() => {
      kubelet.silence('slow');
    }).toThrow("There is no node 'slow'");
  });

  function jobWith(name: string, behaviour: PodBehaviour): ReturnType<typeof jobManifest> {
    const template = {
      metadata: behaving(behaviour),
      spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' },
    };
    return jobManifest({ name, workload: { template } });
  }

  /** Runs the pod, deletes it, and returns the milliseconds until it is gone. */
  async function lifeAfterDeletion(name: string): Promise<number> {
    await eventually(`pod ${name} to run`, async () => {
      const pod = await cluster.api.get(PODS, { name });
      return pod.status.phase === 'Running';
    });
    const deletedAt = performance.now();
    await cluster.api.delete(PODS, { name });
    await eventually(
      `pod ${name} to be gone`,
      async () => (await cluster.api.find(PODS, { name })) === undefined,
    );
    return performance.now() - deletedAt;
  }
});

function grace(seconds: number): { terminationGracePeriodSeconds: number } {
  return { terminationGracePeriodSeconds: seconds };
}

function isReady(status: Pod['status'] | Node['status']): boolean {
  return status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, millis);
  });
}
