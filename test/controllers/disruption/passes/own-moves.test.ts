/** Which nodes consolidation moved pods to, by what the cluster shows. */
import { OwnMoves } from '../../../../src/controllers/disruption/passes/own-moves.js';
import { podKey } from '../../../../src/domain/pods/pod.js';
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
