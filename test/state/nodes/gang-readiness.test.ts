/** Gangs before kube-scheduler: no member is let go before all that are needed can be bound. */
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { isGangComing, waitsForGang } from '../../../src/state/nodes/gang-readiness.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';

const KEY = 'PodGroup default/train';

/** Three pods, each with a node or a claim of its own. */
class World {
  readonly cluster = new Cluster();

  constructor(minMembers = 3) {
    for (const name of ['a', 'b', 'c']) this.cluster.put('Pod', this.pod(name));
    this.cluster.put('PodGroup', { namespace: 'default', name: 'train', minMembers });
  }

  pod(name: string, overrides: Partial<ObservedPod> = {}): ObservedPod {
    return {
      ...unschedulablePod({ name, uid: name, gang: { key: KEY, minMembers: undefined } }),
      ...overrides,
    };
  }

  /** Room is held for the pod on a node that is ready. */
  place(name: string): void {
    this.cluster.put('Node', observedNode({ name: `node-${name}` }));
    const entries = [reservationEntry({ podUID: name })];
    this.cluster.put('Reservation', reservation({ target: { kind: 'Node', name: `node-${name}` }, entries }));
  }

  /** Room is held on a claim that has no node yet. */
  await(name: string): NodeClaim {
    const claim = nodeClaim({ name: `claim-${name}` });
    this.cluster.put('NodeClaim', claim);
    const entries = [reservationEntry({ podUID: name })];
    this.cluster.put(
      'Reservation',
      reservation({ target: { kind: 'NodeClaim', name: claim.name }, entries }),
    );
    return claim;
  }

  get waits(): boolean {
    return waitsForGang(this.cluster, this.pod('a'));
  }

  get isComing(): boolean {
    return isGangComing(this.cluster, this.pod('a'));
  }
}

describe('a pod of a gang', () => {
  test('waits until as many members as are needed have a place that is ready', () => {
    const world = new World();
    world.place('a');
    world.place('b');
    expect(world.waits).toBe(true);
    world.place('c');
    expect(world.waits).toBe(false);
  });

  test('waits for instances that are still to come, and knows that they do', () => {
    const world = new World();
    world.place('a');
    world.place('b');
    expect([world.waits, world.isComing]).toEqual([true, false]);
    const claim = world.await('c');
    expect([world.waits, world.isComing]).toEqual([true, true]);
    world.cluster.put('NodeClaim', { ...claim, resourceVersion: '2', deletionTimestamp: 1 });
    expect(world.isComing).toBe(false);
  });

  test('counts members that run, and takes the last place of a gang without a plan', () => {
    const world = new World();
    for (const name of ['b', 'c'])
      world.cluster.put('Pod', world.pod(name, { nodeName: 'node', resourceVersion: '2' }));
    expect(world.waits).toBe(false);
  });

  test('does not count members that end or are being deleted', () => {
    const world = new World();
    world.cluster.put('Pod', world.pod('b', { nodeName: 'node', phase: 'Succeeded', resourceVersion: '2' }));
    world.cluster.put('Pod', world.pod('c', { nodeName: 'node', terminating: true, resourceVersion: '2' }));
    expect(world.waits).toBe(true);
  });

  test('waits for no more than the minimum', () => {
    const world = new World(2);
    world.place('b');
    expect(world.waits).toBe(false);
  });

  test('waits for no pod when nothing says how many there must be', () => {
    const cluster = new Cluster();
    const world = new World();
    expect(waitsForGang(cluster, world.pod('a'))).toBe(false);
    expect(waitsForGang(world.cluster, unschedulablePod())).toBe(false);
  });
});
