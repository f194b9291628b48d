import { ResizesController } from '../../../src/controllers/resizes/resizes-controller.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import { PAUSED_ANNOTATION } from '../../../src/domain/records/pause.js';
import { MOVED } from '../../../src/domain/records/reservation.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { resizeMoves } from '../../../src/state/planning/resize-moves.js';
import { nodeClaim, type NodeClaimOverrides } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { nodePoolDocument, putAccepted } from '../../support/builders/policy-status.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

const WEB = { kind: 'ReplicaSet', name: 'web' };
const MOVES = { 'berth.sh/move-deferred-resize': 'true' };

/** node-1 with pod a, whose resize is Deferred, and node-2 of the same NodePool. */
class ResizesWorld {
  readonly clock = new VirtualClock();
  readonly kube = new InMemoryKube({ clock: this.clock });
  readonly cluster = new Cluster();
  readonly told = recordedDecisions();
  readonly #abort = new AbortController();

  constructor(overrides: ObservedPodOverrides = {}, disruption: JsonObject = {}, berth: JsonObject = {}) {
    const { kube, cluster, clock } = this;
    kube.objects.watch(cluster);
    const spec = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }], ...disruption } };
    putAccepted(kube.objects, [{ ...nodePoolDocument('general', spec), berth }]);
    this.node('1');
    this.node('2');
    this.pod('a', { resizeDeferred: true, nodeName: 'node-1', ...overrides });
    const { recorder } = this.told;
    const common = { cluster, clock, recorder, logger: recordingLogger().logger, metrics: createMetrics() };
    const safeguards = new Safeguards(common);
    const controller = new ResizesController({ ...common, kube, random: seededRandom(), safeguards });
    void safeguards.run(this.#abort.signal);
    void controller.run(this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort();
  }

  node(number: string, claim: NodeClaimOverrides = {}): void {
    const name = `node-${number}`;
    const providerID = `aws:///a/i-${number}`;
    const initialized = {
      type: 'Initialized',
      status: 'True',
      reason: '',
      message: '',
      lastTransitionTime: 0,
    } as const;
    const status = { providerID, nodeName: name, conditions: [initialized], ...claim.status };
    this.kube.objects.put('NodeClaim', nodeClaim({ ...claim, name: `claim-${number}`, status }));
    this.kube.objects.put('Node', observedNode({ name, providerID }));
  }

  pod(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
    const pod = observedPod({
      ...{ name, uid: name, owner: WEB, phase: 'Running', annotations: MOVES, requests: { cpu: '2' } },
      ...overrides,
    });
    this.kube.objects.put('Pod', pod);
    return pod;
  }

  /** Room for pods of the owner. */
  hold(node = 'node-2', count = 1): void {
    const owner = { ...WEB, namespace: 'default', templateHash: '' };
    const { requests } = observedPod({ requests: { cpu: '2' } }).spec;
    const entry = reservationEntry({ podUID: undefined, owner, count, requests, reason: MOVED });
    this.kube.objects.put(
      'Reservation',
      reservation({ target: { kind: 'Node', name: node }, entries: [entry] }),
    );
  }

  async pass(millis = 5000): Promise<void> {
    await this.clock.advance(millis);
  }

  evicted(): readonly string[] {
    return this.kube.writes.flatMap(({ method, name }) => (method === 'evictPod' ? [name] : []));
  }
}

let world: ResizesWorld;

afterEach(() => {
  world.stop();
});

test('the pod is evicted once room for it is held on another node, not before and not twice', async () => {
  world = new ResizesWorld();
  await world.pass(60_000);
  expect(world.evicted()).toEqual([]);
  world.hold();
  await world.pass(60_000);
  expect(world.evicted()).toEqual(['default/a']);
  expect(world.told.decisions).toMatchObject([
    { subject: { kind: 'Pod', name: 'a' }, action: 'Disrupt', reason: 'EvictedForResize' },
  ]);
});

test('the pod that comes in its place is annotated with what it was moved for, and is not moved for that again', async () => {
  world = new ResizesWorld();
  world.hold();
  await world.pass();
  world.kube.objects.remove('Pod', 'default/a');
  world.pod('b', { requests: { cpu: '500m' } });
  await world.pass();
  const told = world.kube.objects.get('Pod', 'default/b');
  expect(told?.annotations.get('berth.sh/moved-for-resize')).toContain('"cpu":');
  if (told === undefined) return;
  const { spec } = world.pod('c', { nodeName: 'node-2' });
  world.kube.objects.put('Pod', { ...told, spec, nodeName: 'node-2', resizeDeferred: true });
  expect(resizeMoves(world.cluster, world.clock.now())).toEqual([]);
});

test.each<[string, (made: ResizesWorld) => void]>([
  [
    'room is held on its own node only',
    (made) => {
      made.hold('node-1');
    },
  ],
  [
    'another pod of its owner is still going',
    (made) => {
      made.hold();
      made.pod('b', { nodeName: 'node-2', terminating: true });
    },
  ],
  [
    'another pod of its owner waits for a node',
    (made) => {
      made.hold('node-2', 2);
      made.pod('b');
    },
  ],
  [
    'another pod of its owner is on a node that goes',
    (made) => {
      made.hold();
      made.node('3', { deletionTimestamp: 1 });
      made.pod('b', { nodeName: 'node-3' });
    },
  ],
  [
    'its own node goes',
    (made) => {
      made.hold();
      made.node('1', { deletionTimestamp: 1 });
    },
  ],
  [
    'the node that has the room goes',
    (made) => {
      made.hold();
      made.node('2', { deletionTimestamp: 1 });
    },
  ],
  [
    'Berth is paused',
    (made) => {
      made.hold();
      made.kube.objects.put('Namespace', {
        name: 'berth-system',
        uid: 'berth-system',
        labels: new Map(),
        annotations: new Map([[PAUSED_ANNOTATION, 'true']]),
      });
    },
  ],
])('the pod stays while %s', async (_, given) => {
  world = new ResizesWorld();
  given(world);
  await world.pass(30_000);
  expect(world.evicted()).toEqual([]);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['count a node that goes', ['Initialized'], []],
  [
    'do not count a node whose instance is being terminated',
    ['Initialized', 'InstanceTerminating'],
    ['default/a'],
  ],
])('budgets %s', async (_, types, evicted) => {
  world = new ResizesWorld();
  const common = { status: 'True', reason: '', message: '', lastTransitionTime: 0 } as const;
  const conditions = types.map((type) => ({ ...common, type }));
  world.node('3', { deletionTimestamp: 1, status: { conditions } });
  world.hold();
  await world.pass(30_000);
  expect(world.evicted()).toEqual(evicted);
});

const FREEZE = { from: '2020-01-01T00:00:00Z', until: '2090-01-01T00:00:00Z' };

test.each<[string, JsonObject, JsonObject]>([
  ['a budget of its NodePool lets no node go', { budgets: [{ nodes: '0' }] }, {}],
  ['a budget of the cluster lets no node go', {}, { clusterBudgets: [{ nodes: '0' }] }],
  ['its NodePool has a freeze', {}, { freezes: [FREEZE] }],
])('the pod stays, and no room is planned for it, while %s', async (_, disruption, berth) => {
  world = new ResizesWorld({}, disruption, berth);
  world.hold();
  await world.pass(30_000);
  expect(world.evicted()).toEqual([]);
  expect(resizeMoves(world.cluster, world.clock.now())).toEqual([]);
});

test.each<[string, ObservedPodOverrides]>([
  ['that does not ask for it', { annotations: {} }],
  ['that is not to be disrupted', { annotations: { ...MOVES, 'karpenter.sh/do-not-disrupt': 'true' } }],
  ['without an open window', { annotations: { ...MOVES, 'berth.sh/disruption-windows': '[]' } }],
  ['of another scheduler', { schedulerName: 'mine' }],
  ['whose resize was granted', { resizeDeferred: false }],
])('a pod %s stays', async (_, overrides) => {
  world = new ResizesWorld(overrides);
  world.hold();
  await world.pass(30_000);
  expect(world.evicted()).toEqual([]);
});

test('a PodDisruptionBudget that forbids the eviction is asked again later', async () => {
  world = new ResizesWorld();
  world.kube.protectedPods.add('default/a');
  world.hold();
  await world.pass(25_000);
  expect(world.kube.objects.get('Pod', 'default/a')?.terminating).toBe(false);
  world.kube.protectedPods.delete('default/a');
  await world.pass(15_000);
  expect(world.kube.objects.get('Pod', 'default/a')).toBeUndefined();
});
