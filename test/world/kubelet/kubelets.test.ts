import { conditionOf, nodeConfig, podSpec, SimulatedCluster } from '../../support/simulated-cluster.js';

describe('Kubelets', () => {
  test('an instance registers what its userData and its type say, unregistered taint and all', async () => {
    const cluster = new SimulatedCluster();
    const name = cluster.addInstance({
      instanceType: 'c7g.large',
      userData: nodeConfig({ 'karpenter.sh/nodepool': 'general' }, ['karpenter.sh/unregistered:NoExecute']),
    });
    await cluster.until('it registers', () => cluster.api.get('nodes', { name }) !== undefined, 46);
    const node = cluster.api.get('nodes', { name });
    expect(node?.metadata.labels).toMatchObject({
      'karpenter.sh/nodepool': 'general',
      'kubernetes.io/arch': 'arm64',
      'kubernetes.io/hostname': name,
      'node.kubernetes.io/instance-type': 'c7g.large',
      'topology.kubernetes.io/zone': 'eu-west-3a',
      'topology.kubernetes.io/region': 'eu-west-3',
    });
    expect(node?.['spec']).toMatchObject({
      providerID: 'aws:///eu-west-3a/i-00000000000000001',
      taints: expect.arrayContaining([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]) as unknown,
    });
    expect(node?.['status']).toMatchObject({ capacity: { cpu: '2', pods: '29' } });
    expect(conditionOf(node, 'Ready')?.['status']).toBe('False');
    await cluster.until('it is Ready', () => cluster.isNodeReady(name), 11);
    expect(cluster.isNodeReady(name)).toBe(true);
  });

  test('nodes come 30 to 45 seconds after the launch, and are Ready 5 to 10 seconds later', async () => {
    const cluster = new SimulatedCluster();
    const start = cluster.clock.now();
    const came: number[] = [];
    cluster.api.watch('nodes', ({ type }) => {
      if (type === 'ADDED') came.push(cluster.clock.now() - start);
    });
    for (let index = 0; index < 20; index++) cluster.addInstance();
    await cluster.pass(60);
    expect(came).toHaveLength(20);
    expect(Math.min(...came)).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...came)).toBeLessThanOrEqual(45_000);
    expect(new Set(came).size).toBeGreaterThan(10);
  });

  test('GPUs are there some time after the node is', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({ instanceType: 'g5.xlarge' });
    const gpus = (): unknown =>
      (cluster.api.get('nodes', { name })?.['status'] as { allocatable: Record<string, string> }).allocatable[
        'nvidia.com/gpu'
      ];
    expect(gpus()).toBeUndefined();
    await cluster.until('it has a GPU', () => gpus() === '1', 45);
    expect(gpus()).toBe('1');
  });

  test('an instance whose name is still taken registers when the other node is gone', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({});
    cluster.instances.end('i-00000000000000001');
    cluster.addInstance({ privateDnsName: name });
    const providerID = (): unknown =>
      (cluster.api.get('nodes', { name })?.['spec'] as { providerID: string } | undefined)?.providerID;
    await cluster.until('it is there', () => providerID() === 'aws:///eu-west-3a/i-00000000000000002', 120);
    await cluster.until('it is Ready', () => cluster.isNodeReady(name), 15);
    expect(cluster.isNodeReady(name)).toBe(true);
  });

  test('by plan instances never join, or never become Ready', async () => {
    const lost = new SimulatedCluster({ kubeletPlan: { neverJoins: 1 } });
    lost.addInstance();
    await lost.pass(600);
    expect(lost.api.list('nodes')).toEqual([]);
    const idle = new SimulatedCluster({ kubeletPlan: { neverReady: 1 } });
    idle.addInstance();
    await idle.pass(600);
    expect(idle.api.list('nodes').map((node) => conditionOf(node, 'Ready')?.['status'])).toEqual(['False']);
  });

  test('a heartbeat renews the Lease of the node', async () => {
    const cluster = new SimulatedCluster();
    const [name = ''] = await cluster.addNodes({});
    const renewed = (): string =>
      (
        cluster.api.get('leases.coordination.k8s.io', { namespace: 'kube-node-lease', name })?.['spec'] as {
          renewTime: string;
        }
      ).renewTime;
    const before = renewed();
    await cluster.pass(10);
    expect(Date.parse(renewed()) - Date.parse(before)).toBeGreaterThanOrEqual(9_000);
  });

  test('a pod is made, runs, is Ready, and takes its grace period when it is deleted', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    const stages: string[] = [];
    cluster.api.watch('pods', ({ type, object }) => {
      const { phase } = object['status'] as { phase: string };
      const ready = conditionOf(object, 'Ready')?.['status'] ?? '-';
      const leaving = object.metadata.deletionTimestamp === undefined ? '' : ' leaving';
      const stage = type === 'DELETED' ? 'gone' : `${phase} ${ready}${leaving}`;
      if (stages.at(-1) !== stage) stages.push(stage);
    });
    const annotations = { 'simulator.berth.sh/termination-seconds': '20' };
    await cluster.create('pods', {
      metadata: { namespace: 'default', name: 'a', annotations },
      spec: podSpec(),
    });
    await cluster.pass(30);
    const told = cluster.clock.now();
    await cluster.api.delete('pods', { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 15 });
    await cluster.until('it is gone', () => cluster.pod('a') === undefined, 30);
    expect(stages).toEqual([
      'Pending -',
      'Pending False',
      'Running False',
      'Running True',
      'Running True leaving',
      'gone',
    ]);
    expect(cluster.clock.now() - told).toBe(15_000);
  });

  test('a kubelet refuses what does not fit, whichever client bound it', async () => {
    const cluster = new SimulatedCluster();
    const [nodeName] = await cluster.addNodes({ instanceType: 'm7i.large' });
    for (const name of ['one', 'two'])
      await cluster.create('pods', {
        metadata: { namespace: 'default', name },
        spec: podSpec({ cpu: '1500m' }, { nodeName }),
      });
    await cluster.pass(30);
    expect(cluster.pod('one')?.status.phase).toBe('Running');
    expect(cluster.pod('two')?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
  });
});
