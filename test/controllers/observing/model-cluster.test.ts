/** The cluster as it would be with Berth's nodes: it begins with those that there are, and then goes its own way. */
import { ModelCluster } from '../../../src/controllers/observing/model-cluster.js';
import type { Bought } from '../../../src/controllers/observing/model-nodes.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import type { PlannedClaim } from '../../../src/planning/plan.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { instanceType, ZONE_A } from '../../support/builders/instance-type.js';
import { nodePool, poolOffer } from '../../support/builders/node-pool.js';
import { observedNode, type ObservedNodeOverrides } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const POOL = 'default';
const OFFER = poolOffer({ name: POOL }, [instanceType()]);
const OWNER = { kind: 'ReplicaSet', name: 'web' };

class Scene {
  readonly clock = new VirtualClock();
  readonly source = new Cluster();
  readonly model = new Cluster();
  readonly modelCluster = new ModelCluster({
    ...{ source: this.source, model: this.model, clock: this.clock, random: seededRandom(1) },
    boughtAs: ({ labels }: ObservedNode): Bought | undefined => {
      const nodePoolName = labels.get('karpenter.sh/nodepool');
      if (nodePoolName === undefined) return undefined;
      const usual = { capacityType: 'on-demand', tenancy: 'default' } as const;
      return { nodePool: nodePoolName, instanceType: 'm5.large', zone: ZONE_A, ...usual };
    },
  });

  /** Follows what there is, and knows the pool. */
  begin(): this {
    this.modelCluster.follow();
    this.modelCluster.advance([nodePool({ name: POOL })]);
    return this;
  }

  /** A node of the observed system. */
  theirs(name: string, overrides: ObservedNodeOverrides = {}): this {
    return this.node(name, { ...overrides, labels: { 'karpenter.sh/nodepool': POOL, ...overrides.labels } });
  }

  node(name: string, overrides: ObservedNodeOverrides = {}): this {
    this.source.put('Node', observedNode({ name, providerID: `aws:///${name}`, ...overrides }));
    return this;
  }

  pod(name: string, overrides: ObservedPodOverrides = {}): this {
    this.source.put('Pod', observedPod({ name, uid: `uid-${name}`, owner: OWNER, ...overrides }));
    return this;
  }

  /** Pod → node, in the model. */
  get places(): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries([...this.model.pods.values()].map(({ name, nodeName }) => [name, nodeName]));
  }

  get nodes(): readonly string[] {
    return [...this.model.nodes.values()].map(({ name }) => name).sort();
  }
}

function planned(overrides: Partial<PlannedClaim> = {}): PlannedClaim {
  return {
    name: `${POOL}-1`,
    nodePool: POOL,
    instanceTypes: ['m5.large'],
    zones: [ZONE_A],
    capacityTypes: ['on-demand'],
    chosenLabels: new Map(),
    pods: [],
    requests: new Map(),
    allocatable: new Map(),
    hourlyPrice: 0.096,
    hourlyPriceMax: 0.096,
    estimated: false,
    ...overrides,
  };
}

function command(
  nodes: readonly string[],
  moves: Readonly<Record<string, string>>,
  claims: readonly PlannedClaim[] = [],
) {
  const placements = Object.entries(moves).map(([pod, name]) => {
    const kind = claims.some((claim) => claim.name === name) ? ('NodeClaim' as const) : ('Node' as const);
    return { pod: `default/${pod}`, target: { kind, name } };
  });
  const costs = { saving: 0.1, movingCost: 0, considered: '' };
  return { reason: 'Underutilized', nodes, claims, placements, unplaced: [], ...costs };
}

describe('at the beginning', () => {
  test('pods are where they are, and nodes of a known pool have a claim, as after an adoption', () => {
    const scene = new Scene()
      .theirs('a')
      .node('system')
      .pod('web-1', { nodeName: 'a' })
      .pod('dns', { nodeName: 'system' });
    scene.begin();
    expect(scene.places).toEqual({ 'web-1': 'a', dns: 'system' });
    expect([...scene.model.nodeClaims.values()]).toMatchObject([
      { name: 'a', spec: { nodePool: POOL }, status: { instanceType: 'm5.large', zone: ZONE_A } },
    ]);
    expect(scene.model.claimOfNode('a')?.name).toBe('a');
    expect(scene.model.claimOfNode('system')).toBeUndefined();
  });

  test('what passes on a node has passed', () => {
    const taints = [
      { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' as const },
      { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoExecute' as const },
      { key: 'team', value: 'a', effect: 'NoSchedule' as const },
    ];
    const scene = new Scene().theirs('a', { taints, ready: false, unschedulable: true }).begin();
    const node = scene.model.nodes.get('a');
    expect(node).toMatchObject({ ready: true, unschedulable: false });
    expect(node?.taints.map(({ key }) => key)).toEqual(['team']);
  });

  test('nodes of a pool that becomes known later are taken over then', () => {
    const scene = new Scene().theirs('a').pod('web-1', { nodeName: 'a' });
    scene.modelCluster.follow();
    scene.modelCluster.advance([]);
    expect(scene.model.nodeClaims.size).toBe(0);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.model.claimOfNode('a')).toBeDefined();
    expect(scene.places).toEqual({ 'web-1': 'a' });
  });
});

describe('afterwards', () => {
  test('a new node of the other system is not there, and pods that are bound to it wait', () => {
    const scene = new Scene().theirs('a').begin().theirs('b').pod('web-1', { nodeName: 'b' });
    expect(scene.nodes).toEqual(['a']);
    expect(scene.places).toEqual({ 'web-1': undefined });
    expect(scene.model.pods.get('default/web-1')?.scheduled).toMatchObject({
      status: false,
      reason: 'Unschedulable',
    });
  });

  test('so do new pods on nodes that were taken over; on others they are where they are', () => {
    const scene = new Scene().theirs('a').node('system').begin();
    scene.pod('web-1', { nodeName: 'a' }).pod('dns', { nodeName: 'system' });
    expect(scene.places).toEqual({ 'web-1': undefined, dns: 'system' });
  });

  test('a plan launches nodes and places pods, whatever becomes of them in the cluster', () => {
    const scene = new Scene().begin().pod('web-1');
    const placement = { pod: 'default/web-1', target: { kind: 'NodeClaim' as const, name: `${POOL}-1` } };
    const [made] = scene.modelCluster.place({ claims: [planned()], placements: [placement] }, [OFFER]);
    const name = made?.node.name ?? '';
    expect(scene.places).toEqual({ 'web-1': name });
    expect(scene.model.claimOfNode(name)?.status).toMatchObject({ instanceType: 'm5.large', zone: ZONE_A });
    expect(scene.model.nodes.get(name)?.allocatable.get('cpu')).toBe(1920);
    scene.theirs('b').pod('web-1', { nodeName: 'b', resourceVersion: '2' });
    expect(scene.places).toEqual({ 'web-1': name });
  });

  test('a command moves pods at once, and the node is paid for as long as pods may take to end', async () => {
    const scene = new Scene().theirs('a').theirs('b').pod('web-1', { nodeName: 'a' }).begin();
    const pools = [nodePool({ name: POOL })];
    scene.modelCluster.disrupt(command(['a'], { 'web-1': 'b' }), [OFFER]);
    expect(scene.places).toEqual({ 'web-1': 'b' });
    expect(scene.model.claimOfNode('a')?.status.disruption?.reason).toBe('Underutilized');
    await scene.clock.advance(39_000);
    scene.modelCluster.advance(pools);
    expect(scene.nodes).toEqual(['a', 'b']);
    await scene.clock.advance(1_000);
    scene.modelCluster.advance(pools);
    expect(scene.nodes).toEqual(['b']);
    expect([...scene.model.nodeClaims.values()].map(({ name }) => name)).toEqual(['b']);
  });

  test('how long a node is drained is learned from pods that end, but not from those that a lost kubelet keeps', async () => {
    const brief = { nodeName: 'b', terminationGracePeriodSeconds: 20 };
    const scene = new Scene().theirs('a').theirs('b').pod('web-1', { nodeName: 'a' });
    scene.pod('quick', brief).pod('stuck', brief).begin();
    for (const name of ['quick', 'stuck']) scene.pod(name, { ...brief, terminating: true });
    await scene.clock.advance(5_000);
    scene.source.delete('Pod', 'default/quick');
    await scene.clock.advance(600_000);
    scene.source.delete('Pod', 'default/stuck');
    scene.modelCluster.disrupt(command(['a'], { 'web-1': 'b' }), [OFFER]);
    await scene.clock.advance(29_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual(['a', 'b']);
    await scene.clock.advance(1_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual(['b']);
  });

  test('a node without pods is not drained: it is paid for until it is terminated', async () => {
    const scene = new Scene().theirs('a').theirs('b').begin();
    scene.modelCluster.disrupt(command(['a'], {}), [OFFER]);
    await scene.clock.advance(9_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual(['a', 'b']);
    await scene.clock.advance(1_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual(['b']);
  });

  test('a node that Berth would have removed does not return with news about it', async () => {
    const scene = new Scene().theirs('a').theirs('b').begin();
    scene.modelCluster.disrupt(command(['a'], {}), [OFFER]);
    await scene.clock.advance(60_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    scene.theirs('a', { resourceVersion: '2' });
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual(['b']);
  });

  test('a node that the other system removes stays, without the pods that end', () => {
    const scene = new Scene()
      .theirs('a')
      .pod('web-1', { nodeName: 'a' })
      .pod('web-2', { nodeName: 'a' })
      .begin();
    scene.source.delete('Pod', 'default/web-1');
    scene.source.delete('Node', 'a');
    expect(scene.nodes).toEqual(['a']);
    expect(scene.places).toEqual({ 'web-2': 'a' });
  });

  test('a pod that the other system moves stays where it is, and its node is as quiet as before', async () => {
    const scene = new Scene().theirs('a').pod('web-1', { nodeName: 'a' }).begin();
    await scene.clock.advance(60_000);
    const taints = [{ key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' as const }];
    scene.theirs('a', { taints, resourceVersion: '2' });
    scene.pod('web-1', { nodeName: 'a', terminating: true, resourceVersion: '2' });
    expect(scene.model.pods.get('default/web-1')?.terminating).toBe(false);
    scene.pod('web-2');
    expect(scene.places).toEqual({ 'web-2': 'a' });
    scene.source.delete('Pod', 'default/web-1');
    scene.source.delete('Node', 'a');
    scene.theirs('b').pod('web-2', { nodeName: 'b', resourceVersion: '2' });
    expect(scene.places).toEqual({ 'web-2': 'a' });
    expect(scene.modelCluster.podEvents.size).toBe(0);
  });

  test('pods that come and go are events of their node in the model', async () => {
    const scene = new Scene().theirs('a').theirs('b').pod('web-1', { nodeName: 'a' }).begin();
    scene.modelCluster.disrupt(command([], { 'web-1': 'b' }), [OFFER]);
    const moved = scene.clock.now();
    expect([...scene.modelCluster.podEvents]).toEqual([
      ['a', moved],
      ['b', moved],
    ]);
    await scene.clock.advance(5_000);
    scene.pod('web-1', { nodeName: 'a', terminating: true, resourceVersion: '2' });
    expect(scene.modelCluster.podEvents.get('b')).toBe(moved + 5_000);
    expect(scene.modelCluster.podEvents.get('a')).toBe(moved);
  });

  test('the node that a command moves pods to is remembered until a pod leaves it by itself', () => {
    const scene = new Scene().theirs('a').theirs('b').pod('web-1', { nodeName: 'a' });
    scene.pod('web-2', { nodeName: 'b' }).begin();
    scene.modelCluster.disrupt(command(['a'], { 'web-1': 'b' }), [OFFER]);
    expect([...scene.modelCluster.movesTo]).toEqual([['b', scene.clock.now()]]);
    scene.pod('web-2', { nodeName: 'b', terminating: true, resourceVersion: '2' });
    expect(scene.modelCluster.movesTo.size).toBe(0);
  });

  test('of the pods of a controller, the one on the node that should empty out ends, whichever ends in the cluster', () => {
    const scene = new Scene()
      .theirs('a')
      .theirs('b')
      .pod('web-1', { nodeName: 'a' })
      .pod('web-2', { nodeName: 'b' });
    scene.pod('api-1', { nodeName: 'b', owner: { kind: 'ReplicaSet', name: 'api' } }).begin();
    scene.modelCluster.emptying = ['b'];
    scene.pod('web-1', { nodeName: 'a', terminating: true, resourceVersion: '2' });
    expect(scene.places).toEqual({ 'web-1': 'b', 'web-2': 'a', 'api-1': 'b' });
    expect([...scene.modelCluster.podEvents.keys()]).toEqual(['b']);
    scene.source.delete('Pod', 'default/web-1');
    expect(scene.places).toEqual({ 'web-2': 'a', 'api-1': 'b' });
  });

  test('pods of DaemonSets are on nodes that both have, and on no others', () => {
    const daemon = { owner: { kind: 'DaemonSet', name: 'agent' } };
    const scene = new Scene()
      .theirs('a')
      .pod('agent-a', { ...daemon, nodeName: 'a' })
      .begin();
    scene.theirs('b').pod('agent-b', { ...daemon, nodeName: 'b' });
    expect(scene.places).toEqual({ 'agent-a': 'a' });
  });

  test('a replacement is started before its node goes', async () => {
    const scene = new Scene().theirs('a').pod('web-1', { nodeName: 'a' }).begin();
    const [made] = scene.modelCluster.disrupt(command(['a'], { 'web-1': `${POOL}-1` }, [planned()]), [OFFER]);
    expect(scene.places).toEqual({ 'web-1': made?.node.name });
    await scene.clock.advance(99_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toHaveLength(2);
    await scene.clock.advance(1_000);
    scene.modelCluster.advance([nodePool({ name: POOL })]);
    expect(scene.nodes).toEqual([made?.node.name]);
  });
});
