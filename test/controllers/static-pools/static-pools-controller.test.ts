import { PAUSED_ANNOTATION } from '../../../src/domain/records/pause.js';
import { REPLACES_ANNOTATION } from '../../../src/domain/nodes/node-claim.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { amounts } from '../../support/builders/pod.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { StaticPoolsWorld } from './static-pools-world.js';

let world: StaticPoolsWorld;

afterEach(() => {
  world.stop();
});

describe('StaticPoolsController', () => {
  test('a static pool gets as many claims as its replicas, without pods, and no more however long it runs', async () => {
    world = new StaticPoolsWorld({ replicas: 3 });
    await world.pass();
    expect(world.claims().map(({ spec }) => spec.nodePool)).toEqual(['static', 'static', 'static']);
    await world.pass(600_000);
    expect(world.claims()).toHaveLength(3);
  });

  test('they are launched without a Reservation, in one group for each zone', async () => {
    world = new StaticPoolsWorld({ replicas: 7 });
    await world.pass();
    const claims = world.claims();
    expect(new Set(claims.map(({ annotations }) => annotations.get('berth.sh/static')))).toEqual(
      new Set(['true']),
    );
    const groups = new Map<string, number>();
    for (const { annotations } of claims) {
      const group = annotations.get('berth.sh/launch-group') ?? '';
      groups.set(group, (groups.get(group) ?? 0) + 1);
    }
    expect([...groups.values()].sort()).toEqual([2, 2, 3]);
  });

  test('a claim that is gone is replaced by another', async () => {
    world = new StaticPoolsWorld({ replicas: 2 });
    await world.pass();
    const [first] = world.claims();
    world.kube.objects.remove('NodeClaim', first?.name ?? '');
    await world.pass();
    expect(world.claims()).toHaveLength(2);
    expect(world.claims().map(({ name }) => name)).not.toContain(first?.name);
  });

  test('fewer replicas delete the empty node and keep the one with pods', async () => {
    world = new StaticPoolsWorld({ replicas: 2 });
    await world.pass();
    for (const claim of world.claims()) {
      const { name } = claim;
      const providerID = `aws:///us-east-1a/i-${name}`;
      const initialized = {
        type: 'Initialized',
        status: 'True',
        reason: '',
        message: '',
        lastTransitionTime: 0,
      } as const;
      world.kube.objects.put('NodeClaim', {
        ...claim,
        status: { ...claim.status, providerID, nodeName: name, conditions: [initialized] },
      });
      world.kube.objects.put('Node', observedNode({ name, providerID }));
    }
    const used = world.claims()[0]?.name ?? '';
    const owner = { kind: 'ReplicaSet', name: 'web' };
    world.kube.objects.put('Pod', observedPod({ nodeName: used, owner, phase: 'Running' }));
    world.pool({ replicas: 1 });
    await world.pass();
    expect(world.claims().map(({ name }) => name)).toEqual([used]);
    expect(world.told.decisions.map(({ reason }) => reason)).toContain('ScaledDown');
    world.pool({ replicas: 0 });
    await world.pass();
    expect(world.claims()).toEqual([]);
  });

  test('a scaled PolicyStatus says how many nodes there are, until the policy says another number', async () => {
    world = new StaticPoolsWorld({ replicas: 1 });
    await world.pass();
    expect(world.claims()).toHaveLength(1);
    world.scale(4, 1);
    await world.pass();
    expect(world.claims()).toHaveLength(4);
    world.scale(0, 1);
    await world.pass();
    expect(world.claims()).toEqual([]);
    world.pool({ replicas: 2 });
    world.scale(0, 1);
    await world.pass();
    expect(world.claims()).toHaveLength(2);
  });

  test('a node that is being replaced is neither launched again nor is its replacement too much', async () => {
    world = new StaticPoolsWorld({ replicas: 1 });
    await world.pass();
    const [old] = world.claims();
    if (old === undefined) throw new Error('no claim');
    world.kube.objects.put('NodeClaim', {
      ...old,
      status: { ...old.status, disruption: { reason: 'Drifted', decidedAt: 0 } },
    });
    await world.pass();
    expect(world.claims()).toHaveLength(1);
    const annotations = new Map([[REPLACES_ANNOTATION, old.name]]);
    world.kube.objects.put(
      'NodeClaim',
      nodeClaim({ name: 'new', annotations, spec: { nodePool: 'static' } }),
    );
    await world.pass();
    expect(
      world
        .claims()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([old.name, 'new'].sort());
    world.kube.objects.remove('NodeClaim', old.name);
    await world.pass();
    expect(world.claims().map(({ name }) => name)).toEqual(['new']);
  });

  test('limits.nodes holds, and its status says how many nodes are missing', async () => {
    world = new StaticPoolsWorld({ replicas: 5, limits: { nodes: 2 } });
    await world.pass();
    expect(world.claims()).toHaveLength(2);
    expect(world.told.decisions.find(({ reason }) => reason === 'ReplicasMissing')).toMatchObject({
      subject: { kind: 'PolicyStatus', name: 'nodepool.static' },
      message: expect.stringContaining('3 of 5 nodes (spec.replicas) of NodePool static') as unknown,
    });
    world.pool({ replicas: 5, limits: { nodes: 9 } });
    await world.pass();
    expect(world.claims()).toHaveLength(5);
  });

  test('nothing is created while the cloud has no capacity, and all of it once it has', async () => {
    world = new StaticPoolsWorld({ replicas: 2 });
    world.cloud.answer = { ...(world.cloud.answer as object), problems: ['no subnet'] } as never;
    await world.pass();
    expect(world.claims()).toEqual([]);
    expect(world.told.decisions.find(({ reason }) => reason === 'ReplicasMissing')?.message).toContain(
      'no subnet',
    );
    world.cloud.answer = { ...(world.cloud.answer as object), problems: [] } as never;
    await world.pass(120_000);
    expect(world.claims()).toHaveLength(2);
  });

  test('while Berth is paused nothing is launched and nothing deleted', async () => {
    world = new StaticPoolsWorld({ replicas: 2 });
    await world.pass();
    const namespace = { name: 'berth-system', uid: 'u', resourceVersion: '1', labels: new Map() };
    world.kube.objects.put('Namespace', {
      ...namespace,
      annotations: new Map([[PAUSED_ANNOTATION, 'by me']]),
    });
    world.pool({ replicas: 4 });
    await world.pass(10_000);
    expect(world.claims()).toHaveLength(2);
    world.kube.objects.put('Namespace', { ...namespace, annotations: new Map() });
    await world.pass(10_000);
    expect(world.claims()).toHaveLength(4);
  });

  test('a dynamic pool gets its minimum, keeps what is more, and gets again what goes', async () => {
    world = new StaticPoolsWorld({}, { minimumNodes: 2 });
    await world.pass();
    expect(world.claims()).toHaveLength(2);
    world.kube.objects.put('NodeClaim', nodeClaim({ name: 'for-pods', spec: { nodePool: 'static' } }));
    world.pool({}, { minimumNodes: 1 });
    await world.pass(60_000);
    expect(world.claims()).toHaveLength(3);
    for (const { name } of world.claims()) world.kube.objects.remove('NodeClaim', name);
    await world.pass();
    expect(world.claims()).toHaveLength(1);
    world.pool({});
    for (const { name } of world.claims()) world.kube.objects.remove('NodeClaim', name);
    await world.pass(60_000);
    expect(world.claims()).toEqual([]);
  });

  test('the minimum stays within limits of cpu: each node is launched once it is known what the others have', async () => {
    world = new StaticPoolsWorld({ limits: { cpu: 5 } }, { minimumNodes: 4 });
    for (let step = 0; step < 6; step++) {
      await world.pass(15_000);
      const waiting = world.claims().filter(({ status }) => status.providerID === undefined);
      expect(waiting.length).toBeLessThan(2);
      for (const claim of waiting)
        world.kube.objects.put('NodeClaim', {
          ...claim,
          status: {
            ...claim.status,
            providerID: `aws:///us-east-1a/i-${claim.name}`,
            capacity: amounts({ cpu: '2' }),
          },
        });
    }
    expect(world.claims()).toHaveLength(2);
    expect(world.told.decisions.find(({ reason }) => reason === 'ReplicasMissing')?.message).toMatch(
      /2 of 4 nodes \(berth.minimumNodes\) of NodePool static .*cpu limit 5 reached \(4 in use/,
    );
  });
});
