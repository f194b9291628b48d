/** `berth adopt` and `berth release` on objects: what becomes of them, and what is left when they are killed. */
import '../../../src/app/clouds.js';
import fc from 'fast-check';
import {
  KARPENTER_NODE_CLAIMS,
  NODE_CLAIMS,
  NODES,
  type KubeObject,
} from '../../../src/app/handover/kube-objects.js';
import { decodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { PortError } from '../../../src/ports/port-error.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { nodePool } from '../../support/builders/node-pool.js';
import { hazards } from '../../planning/handover/handover-model.js';
import { ADOPT, HandoverWorld, Killed, RELEASE } from './handover-world.js';

function worldOf(...names: readonly string[]): HandoverWorld {
  const world = new HandoverWorld();
  for (const name of names) world.addKarpenterNode(name);
  return world;
}

async function only(world: HandoverWorld, kind: typeof NODES): Promise<KubeObject | undefined> {
  const [object] = await world.objects.list(kind);
  return object;
}

describe('adopted, a node', () => {
  test('has a NodeClaim that says what it is, and nothing of Karpenter is left', async () => {
    const world = worldOf('general-1');
    const [result] = await world.run(ADOPT);
    expect(result).toMatchObject({ outcome: 'done', message: undefined });
    expect(await world.objects.list(KARPENTER_NODE_CLAIMS)).toEqual([]);
    const { value: claim, findings } = decodeNodeClaim(await only(world, NODE_CLAIMS));
    expect(findings).toEqual([]);
    expect(claim?.annotations.has('berth.sh/handover')).toBe(false);
    expect(claim).toMatchObject({
      name: 'general-1',
      finalizers: ['berth.sh/termination'],
      spec: { nodePool: 'general' },
      status: {
        providerID: 'aws:///eu-west-3a/i-general-1',
        nodeName: 'ip-i-general-1',
        instanceType: 'm5.large',
        zone: 'eu-west-3a',
        capacityType: 'spot',
        imageID: 'ami-1',
      },
    });
    expect(claim?.status.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Launched=True',
      'Registered=True',
      'Initialized=True',
      'Ready=True',
    ]);
    const node = await only(world, NODES);
    expect(node?.metadata).toMatchObject({ finalizers: ['berth.sh/termination'], ownerReferences: [] });
    expect(Object.fromEntries(world.instances.get('i-general-1')?.tags ?? [])).toEqual({
      'berth.sh/cluster': 'cluster-1',
      'berth.sh/nodepool': 'general',
      'berth.sh/nodeclaim': 'general-1',
      'kubernetes.io/cluster/demo': 'owned',
    });
  });

  test('expires when it would have', async () => {
    const world = worldOf('general-1');
    world.pools = [nodePool({ name: 'general', expireAfterSeconds: 720 * 3600 })];
    await world.run(ADOPT);
    const claim = await only(world, NODE_CLAIMS);
    expect(claim?.spec?.['expireAfter']).toBe('696h');
  });

  test('and released is as it was', async () => {
    const world = worldOf('general-1');
    const before = await only(world, KARPENTER_NODE_CLAIMS);
    await world.run(ADOPT);
    await world.run(RELEASE);
    const after = await only(world, KARPENTER_NODE_CLAIMS);
    expect(after).toMatchObject({
      spec: before?.spec,
      status: { providerID: before?.status?.['providerID'] },
    });
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(after?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
    expect(await world.objects.list(NODE_CLAIMS)).toEqual([]);
    expect((await only(world, NODES))?.metadata).toMatchObject({
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [{ kind: 'NodeClaim', name: 'general-1', uid: after?.metadata.uid }],
    });
    expect(Object.fromEntries(world.instances.get('i-general-1')?.tags ?? [])).toEqual({
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/nodeclaim': 'general-1',
      'kubernetes.io/cluster/demo': 'owned',
    });
    expect(await world.run(RELEASE)).toEqual([]);
  });
});

describe('a node is refused, and stays as it is,', () => {
  async function refused(world: HandoverWorld, wish = ADOPT): Promise<string> {
    const before = JSON.stringify(await world.objects.list(NODES));
    const [result] = await world.run(wish);
    expect(result?.outcome).toBe('refused');
    expect(JSON.stringify(await world.objects.list(NODES))).toBe(before);
    return result?.message ?? '';
  }

  test('whose NodePool Berth does not have', async () => {
    const world = worldOf('general-1');
    world.pools = [];
    expect(await refused(world)).toContain('find NodePool general');
  });

  test('that does not meet its NodePool', async () => {
    const world = worldOf('general-1');
    const requirements = [requirement('kubernetes.io/arch', 'In', ['arm64'])];
    world.pools = [nodePool({ name: 'general', requirements })];
    expect(await refused(world)).toContain('label kubernetes.io/arch is amd64');
  });

  test('whose NodeClaim Karpenter is deleting', async () => {
    const world = worldOf('general-1');
    const claim = await only(world, KARPENTER_NODE_CLAIMS);
    if (claim) await world.objects.remove(KARPENTER_NODE_CLAIMS, claim);
    expect(await refused(world)).toContain('Karpenter is deleting its NodeClaim');
  });

  test('that has not been initialized', async () => {
    const world = new HandoverWorld();
    world.addKarpenterNode('general-1', { status: { providerID: 'aws:///eu-west-3a/i-general-1' } });
    expect(await refused(world)).toContain('has not initialized it yet');
  });

  test('of EKS Auto Mode, which manages the instance itself', async () => {
    const world = new HandoverWorld();
    const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' };
    world.addKarpenterNode('general-1', { spec: { nodeClassRef } });
    expect(await refused(world)).toContain('its node class is of eks.amazonaws.com');
  });

  test('whose instance another system would replace', async () => {
    const world = worldOf('general-1');
    world.manager = 'its instance belongs to the Auto Scaling group workers';
    expect(await refused(world)).toContain('Auto Scaling group workers');
  });

  test('that Berth is disrupting', async () => {
    const world = worldOf('general-1');
    await world.run(ADOPT);
    const claim = await only(world, NODE_CLAIMS);
    const disruption = { reason: 'Drifted', decidedAt: '2026-01-01T00:00:00Z' };
    if (claim) await world.objects.mergeStatus(NODE_CLAIMS, claim, { disruption });
    expect(await refused(world, RELEASE)).toContain('Berth is disrupting it (Drifted)');
  });
});

test('a node that no controller owns comes to the NodePool that is named', async () => {
  const world = new HandoverWorld();
  const name = world.addOtherNode('worker-1');
  world.addOtherNode('worker-2');
  const wish = { ...ADOPT, from: 'nodegroup', nodePools: ['general'], nodes: [name] } as const;
  expect(await world.run(wish)).toMatchObject([{ outcome: 'done' }]);
  expect(await world.objects.list(NODE_CLAIMS)).toMatchObject([
    { metadata: { name }, spec: { nodePool: 'general' }, status: { nodeName: name } },
  ]);
});

test('a dry run changes nothing', async () => {
  const world = worldOf('general-1', 'general-2');
  world.left = 1;
  const results = await world.run(ADOPT, { isDryRun: true });
  expect(results.map(({ outcome, steps }) => [outcome, steps.length])).toEqual([
    ['planned', 8],
    ['planned', 8],
  ]);
});

test('when Karpenter is started in between, no further node is begun', async () => {
  const world = worldOf(...Array.from({ length: 30 }, (_, index) => `general-${String(index)}`));
  let asked = 0;
  const check = (): Promise<void> =>
    ++asked > 5 ? Promise.reject(new Error('Karpenter runs')) : Promise.resolve();
  await expect(world.run(ADOPT, { check })).rejects.toThrow('Karpenter runs');
  expect(await world.objects.list(NODE_CLAIMS)).toHaveLength(5);
});

test('where rights are missing no further node is begun, and each is reported', async () => {
  const world = worldOf(...Array.from({ length: 30 }, (_, index) => `general-${String(index)}`));
  const addTags = (): Promise<void> =>
    Promise.reject(new PortError('Forbidden', { operation: 'ec2:CreateTags', message: 'not authorized' }));
  const context = { ...world.context, handover: { ...world.context.handover, addTags } };
  const results = await world.run(ADOPT, { context });
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  expect(failed[0]?.message).toBe('ec2:CreateTags: not authorized');
  expect(failed.length).toBeLessThan(15);
  expect(results).toHaveLength(30);
  expect((await world.states()).flatMap(hazards)).toEqual([]);
  await world.run(ADOPT);
  expect(await world.objects.list(KARPENTER_NODE_CLAIMS)).toEqual([]);
});

test('a Node that its kubelet changes meanwhile is read again', async () => {
  const world = worldOf('general-1');
  const tell = async (): Promise<void> => {
    const node = await only(world, NODES);
    if (node) world.objects.put(NODES, { ...node, metadata: { ...node.metadata } });
  };
  const [result] = await world.run(ADOPT, { check: tell });
  expect(result?.outcome).toBe('done');
});

test('killed at any write, in any order of commands, each instance has one owner, and the last command ends its work', async () => {
  const kills = fc.array(
    fc.record({ wish: fc.constantFrom(ADOPT, RELEASE), left: fc.integer({ min: 1, max: 30 }) }),
    {
      maxLength: 5,
    },
  );
  await fc.assert(
    fc.asyncProperty(kills, fc.constantFrom(ADOPT, RELEASE), async (killed, last) => {
      const world = worldOf('general-1', 'general-2', 'general-3');
      for (const { wish, left } of killed) {
        world.left = left;
        const results = await world.run(wish);
        for (const { message } of results)
          expect([undefined, new Killed('killed').message]).toContain(message);
        expect((await world.states()).flatMap(hazards)).toEqual([]);
      }
      world.left = Infinity;
      await world.run(last);
      const owner = last === ADOPT ? NODE_CLAIMS : KARPENTER_NODE_CLAIMS;
      const other = last === ADOPT ? KARPENTER_NODE_CLAIMS : NODE_CLAIMS;
      expect(await world.objects.list(owner)).toHaveLength(3);
      expect(await world.objects.list(other)).toEqual([]);
      expect((await world.states()).flatMap(hazards)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
