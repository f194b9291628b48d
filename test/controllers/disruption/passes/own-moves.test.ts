/** Which nodes consolidation moved pods to, by what the cluster shows. */
import { OwnMoves } from '../../../../src/controllers/disruption/passes/own-moves.js';
import { podKey } from '../../../../src/domain/pods/pod.js';
import { SURGE_ANNOTATION, SURGES_ANNOTATION, surgesText } from '../../../../src/domain/pods/surge.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../../support/builders/observed-pod.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const OWNER = { kind: 'ReplicaSet', name: 'web' };

/** Nodes a, b and c, a with a pod `old`, which is followed from then on. */
class Scene {
  readonly clock = new VirtualClock();
  readonly cluster = new Cluster();
  readonly moves = new OwnMoves(this.clock);

  constructor() {
    for (const name of ['a', 'b', 'c']) {
      const providerID = `aws:///${name}`;
      this.cluster.put('Node', observedNode({ name, providerID }));
      this.cluster.put('NodeClaim', nodeClaim({ name, status: { nodeName: name, providerID } }));
    }
    this.pod('old', { nodeName: 'a' });
    this.moves.follow(this.cluster);
  }

  pod(name: string, overrides: ObservedPodOverrides = {}): this {
    this.cluster.put('Pod', observedPod({ name, uid: `uid-${name}`, owner: OWNER, ...overrides }));
    return this;
  }

  gone(name: string): this {
    this.cluster.delete('Pod', podKey({ namespace: 'default', name }));
    return this;
  }

  /** The node goes for this reason. */
  decided(name: string, reason: string): this {
    const claim = this.cluster.nodeClaims.get(name);
    if (claim === undefined) throw new Error(`no claim ${name}`);
    const disruption = { reason, decidedAt: this.clock.now() };
    this.cluster.put('NodeClaim', { ...claim, status: { ...claim.status, disruption } });
    return this;
  }

  /** The Deployment of this pod on a has a replica more before the pod leaves, or is to lose it again. */
  surging(name: string, { isReturning = false, since = this.clock.now() } = {}): this {
    const claim = this.cluster.nodeClaims.get('a');
    if (claim === undefined) throw new Error('no claim a');
    const surge = { deployment: 'default/web', podUID: `uid-${name}`, replicas: 1, isReturning, since };
    const annotations = new Map([[SURGES_ANNOTATION, surgesText([surge]) ?? '']]);
    this.cluster.put('NodeClaim', { ...claim, annotations });
    return this;
  }

  /** One of the pods whose Deployment gets a replica more before they leave. */
  careful(name: string, overrides: ObservedPodOverrides = {}): this {
    return this.pod(name, { annotations: { [SURGE_ANNOTATION]: 'true' }, ...overrides });
  }

  /** The replica more comes to b, and the pod leaves a. */
  movedAfter(): this {
    return this.careful('new')
      .careful('new', { nodeName: 'b' })
      .surging('old', { isReturning: true })
      .careful('old', { nodeName: 'a', terminating: true })
      .gone('old');
  }

  /** Its pod is evicted from a, and the one that comes in its place is bound to b. */
  moved(reason = 'Underutilized'): this {
    return this.decided('a', reason)
      .pod('old', { nodeName: 'a', terminating: true })
      .pod('new')
      .gone('old')
      .pod('new', { nodeName: 'b' });
  }

  get to(): readonly string[] {
    return [...this.moves.times.keys()];
  }
}

test('the node to which the pod comes that replaces an evicted one is known, and since when', () => {
  const scene = new Scene();
  const at = scene.clock.now();
  expect(scene.moved().moves.times).toEqual(new Map([['b', at]]));
});

test('a pod that is seen only once it is gone, and its replacement only once it is bound, is known too', () => {
  const scene = new Scene().decided('a', 'Underutilized').gone('old').pod('new', { nodeName: 'b' });
  expect(scene.to).toEqual(['b']);
});

test('one pod comes in the place of each that was moved: another of its owner comes by itself', () => {
  expect(new Scene().moved().pod('more', { nodeName: 'c' }).to).toEqual(['b']);
});

test('pods of other owners and templates, and what comes much later, come by themselves', () => {
  const scene = new Scene().decided('a', 'Underutilized').gone('old');
  scene.pod('other', { owner: { kind: 'ReplicaSet', name: 'api' }, nodeName: 'b' });
  scene.pod('newer', { templateHash: '2', nodeName: 'b' });
  expect(scene.to).toEqual([]);
  scene.clock.freeze(601_000);
  expect(scene.pod('late', { nodeName: 'b' }).to).toEqual([]);
});

test.each(['Drifted', 'Interrupted', 'Expired'])(
  'pods that moved because their node was %s may be moved',
  (reason) => {
    expect(new Scene().moved(reason).to).toEqual([]);
  },
);

test('once a pod leaves the node by itself, it is as any other; a DaemonSet pod that leaves says nothing', () => {
  const daemon = { owner: { kind: 'DaemonSet', name: 'log' }, nodeName: 'b' };
  const scene = new Scene()
    .pod('batch', { nodeName: 'b', owner: { kind: 'Job', name: 'batch' } })
    .pod('log', daemon);
  expect(scene.moved().gone('log').to).toEqual(['b']);
  expect(
    scene.pod('batch', { nodeName: 'b', owner: { kind: 'Job', name: 'batch' }, phase: 'Succeeded' }).to,
  ).toEqual([]);
});

test('a node that is gone is forgotten', () => {
  const scene = new Scene().moved();
  scene.cluster.delete('Node', 'b');
  expect(scene.to).toEqual([]);
});

describe('a pod that leaves once its Deployment has a replica more', () => {
  const scene = (reason = 'Underutilized'): Scene =>
    new Scene().careful('old', { nodeName: 'a' }).decided('a', reason).surging('old');

  test('is moved to where that one comes, from then on', () => {
    expect(scene().careful('new').careful('new', { nodeName: 'b' }).to).toEqual(['b']);
    expect(scene().movedAfter().to).toEqual(['b']);
  });

  test('has one come in its place: another of its owner comes by itself, before it leaves and after', () => {
    expect(scene().movedAfter().careful('more', { nodeName: 'c' }).to).toEqual(['b']);
    const early = scene().careful('new', { nodeName: 'b' }).careful('more', { nodeName: 'c' });
    expect(early.to).toEqual(['b']);
  });

  test('has another come in its place where the first is gone, or its ReplicaSet has deleted another pod', () => {
    const again = scene().careful('new').gone('new').careful('newer', { nodeName: 'c' });
    expect(again.to).toEqual(['c']);
    const repeated = scene().careful('new', { nodeName: 'b' });
    repeated.clock.freeze(60_000);
    expect(repeated.surging('old').careful('newer', { nodeName: 'c' }).to).toEqual(['b', 'c']);
  });

  test('has one come after it where it is evicted as any other before', () => {
    const evicted = scene().careful('old', { nodeName: 'a', terminating: true }).gone('old');
    expect(evicted.careful('new', { nodeName: 'b' }).to).toEqual(['b']);
  });

  test('leaves none to come where the replica more was there before the cluster was followed', () => {
    const late = scene().surging('old', { isReturning: true }).gone('old');
    expect(late.careful('more', { nodeName: 'c' }).to).toEqual([]);
  });

  test('says nothing of pods of other owners and templates, nor where its node was Drifted', () => {
    const others = scene()
      .careful('other', { owner: { kind: 'ReplicaSet', name: 'api' }, nodeName: 'b' })
      .careful('newer', { templateHash: '2', nodeName: 'b' })
      .careful('bare', { owner: undefined, nodeName: 'b' });
    expect(others.to).toEqual([]);
    expect(scene('Drifted').movedAfter().to).toEqual([]);
  });
});
