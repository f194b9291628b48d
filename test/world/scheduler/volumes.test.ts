import { conditionOf, podSpec, SimulatedCluster } from '../../support/simulated-cluster.js';

const ZONE = 'topology.kubernetes.io/zone';

function withClaims(...names: readonly string[]): Readonly<Record<string, unknown>> {
  return podSpec(
    { cpu: '10m' },
    { volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  );
}

async function createClass(
  cluster: SimulatedCluster,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await cluster.create('storageclasses.storage.k8s.io', {
    metadata: { name },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...more,
  });
}

async function createClaim(
  cluster: SimulatedCluster,
  name: string,
  storageClassName: string,
  accessMode = 'ReadWriteOnce',
): Promise<void> {
  await cluster.create('persistentvolumeclaims', {
    metadata: { namespace: 'default', name },
    spec: { accessModes: [accessMode], storageClassName, resources: { requests: { storage: '5Gi' } } },
  });
}

async function createVolume(
  cluster: SimulatedCluster,
  name: string,
  zone: string,
  storage: string,
): Promise<void> {
  await cluster.create('persistentvolumes', {
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }],
        },
      },
    },
  });
}

async function createPod(
  cluster: SimulatedCluster,
  name: string,
  ...claims: readonly string[]
): Promise<void> {
  await cluster.create('pods', { metadata: { namespace: 'default', name }, spec: withClaims(...claims) });
}

function refusalOf(cluster: SimulatedCluster, name: string): string | undefined {
  return conditionOf({ ...cluster.pod(name) }, 'PodScheduled')?.['message'];
}

const nodeOf = (cluster: SimulatedCluster, name: string): string | undefined =>
  cluster.pod(name)?.spec.nodeName;

describe('Scheduler, volumes', () => {
  test('a pod comes back to the zone of its volume', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'gp3');
    await createClaim(cluster, 'data', 'gp3');
    const [first] = await cluster.addNodes({ zone: 'eu-west-3b' });
    await createPod(cluster, 'one', 'data');
    await cluster.until('it is bound', () => nodeOf(cluster, 'one') !== undefined, 15);
    await cluster.addNodes({ zone: 'eu-west-3a' }, { zone: 'eu-west-3c' });
    await cluster.api.delete('pods', { namespace: 'default', name: 'one' });
    await cluster.until('it is gone', () => cluster.pod('one') === undefined, 40);
    await createPod(cluster, 'two', 'data');
    await cluster.until('the next is bound', () => nodeOf(cluster, 'two') !== undefined, 15);
    expect(nodeOf(cluster, 'two')).toBe(first);
  });

  test('a pod whose volume is in a zone without nodes waits', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'static', { provisioner: 'kubernetes.io/no-provisioner' });
    await createVolume(cluster, 'pv-c', 'eu-west-3c', '10Gi');
    await createClaim(cluster, 'data', 'static');
    await cluster.addNodes({ zone: 'eu-west-3a' });
    await createPod(cluster, 'one', 'data');
    await cluster.pass(2);
    expect(refusalOf(cluster, 'one')).toContain("1 node(s) didn't find available persistent volumes to bind");
    const [node] = await cluster.addNodes({ zone: 'eu-west-3c' });
    await cluster.until('it is bound', () => nodeOf(cluster, 'one') !== undefined, 5);
    expect(nodeOf(cluster, 'one')).toBe(node);
    expect(cluster.api.get('persistentvolumes', { name: 'pv-c' })?.['status']).toMatchObject({
      phase: 'Bound',
    });
  });

  test('the smallest volume that is large enough is taken', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'static', { provisioner: 'kubernetes.io/no-provisioner' });
    for (const [name, size] of [
      ['large', '50Gi'],
      ['right', '6Gi'],
      ['small', '1Gi'],
    ] as const)
      await createVolume(cluster, name, 'eu-west-3a', size);
    await createClaim(cluster, 'data', 'static');
    await cluster.addNodes({});
    await createPod(cluster, 'one', 'data');
    await cluster.until('it is bound', () => nodeOf(cluster, 'one') !== undefined, 5);
    expect(
      cluster.api.get('persistentvolumeclaims', { namespace: 'default', name: 'data' })?.['spec'],
    ).toMatchObject({ volumeName: 'right' });
  });

  test('a claim that binds at once is bound before any pod, and pods wait for it', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'now', { volumeBindingMode: 'Immediate' });
    const [node] = await cluster.addNodes({ zone: 'eu-west-3b' });
    await createClaim(cluster, 'data', 'now');
    await createPod(cluster, 'one', 'data');
    await cluster.pass(0.5);
    expect(refusalOf(cluster, 'one')).toContain('pod has unbound immediate PersistentVolumeClaims');
    await cluster.until('it is bound', () => nodeOf(cluster, 'one') !== undefined, 15);
    expect(nodeOf(cluster, 'one')).toBe(node);
  });

  test('a claim that is not there is named', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    await createPod(cluster, 'one', 'data');
    await cluster.pass(1);
    expect(refusalOf(cluster, 'one')).toContain(
      '0/1 nodes are available: persistentvolumeclaim "data" not found.',
    );
  });

  test('a ReadWriteOncePod claim is for one pod', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'gp3');
    await createClaim(cluster, 'data', 'gp3', 'ReadWriteOncePod');
    await cluster.addNodes({}, {});
    await createPod(cluster, 'one', 'data');
    await cluster.until('it is bound', () => nodeOf(cluster, 'one') !== undefined, 15);
    await createPod(cluster, 'two', 'data');
    await cluster.pass(5);
    expect(refusalOf(cluster, 'two')).toContain('ReadWriteOncePod access mode already in-use by another pod');
  });

  test('a node takes no more volumes than its driver can attach', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'gp3');
    await cluster.addNodes({});
    const claims = Array.from({ length: 25 }, (_, index) => `c-${String(index)}`);
    for (const claim of [...claims, 'more']) await createClaim(cluster, claim, 'gp3');
    await createPod(cluster, 'full', ...claims);
    await cluster.until('it is bound', () => nodeOf(cluster, 'full') !== undefined, 30);
    await createPod(cluster, 'more', 'more');
    await cluster.pass(5);
    expect(refusalOf(cluster, 'more')).toContain('node(s) exceed max volume count');
  });

  test('a volume goes with its claim, or is kept where the class says so', async () => {
    const cluster = new SimulatedCluster();
    await createClass(cluster, 'gp3');
    await createClass(cluster, 'kept', { reclaimPolicy: 'Retain' });
    await cluster.addNodes({});
    for (const storageClass of ['gp3', 'kept']) {
      await createClaim(cluster, `data-${storageClass}`, storageClass);
      await createPod(cluster, storageClass, `data-${storageClass}`);
    }
    await cluster.until('both are bound', () => cluster.api.list('persistentvolumes').length === 2, 20);
    await cluster.pass(5);
    for (const storageClass of ['gp3', 'kept']) {
      await cluster.api.delete('pods', { namespace: 'default', name: storageClass });
      await cluster.api.delete('persistentvolumeclaims', {
        namespace: 'default',
        name: `data-${storageClass}`,
      });
    }
    await cluster.pass(60);
    const left = cluster.api
      .list('persistentvolumes')
      .map((volume) => [
        (volume['spec'] as { storageClassName: string }).storageClassName,
        (volume['status'] as { phase: string }).phase,
      ]);
    expect(left).toEqual([['kept', 'Released']]);
  });
});
