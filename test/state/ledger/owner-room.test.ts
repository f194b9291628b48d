/** Which pods have the room that is held for their owner while pods of it are moved. */
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { MOVED } from '../../../src/domain/records/reservation.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../../src/state/ledger/room-ledger.js';
import { takenEntries, takesOwnersRoom } from '../../../src/state/ledger/owner-room.js';
import { nodeClaim, type NodeClaimOverrides } from '../../support/builders/node-claim.js';
import { ZONE } from '../../../src/domain/values/labels.js';
import { spreadOver } from '../../support/builders/constraints.js';
import { withClaimCondition } from '../../support/builders/disruption-input.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const WEB = { kind: 'ReplicaSet', name: 'web' };
const NOW = Date.UTC(2026, 0, 1);
const DRIFTED = { reason: 'Drifted', decidedAt: NOW };

function webPod(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return observedPod({ name, uid: name, owner: WEB, ...overrides });
}

function running(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return webPod(name, { nodeName: 'old', ...overrides });
}

/** Room for a pod of web on the node new, which is to replace the node old with this pod, as was decided; and who may have it. */
class MovedWorld {
  readonly cluster = new Cluster();
  readonly #ledger = new RoomLedger({ cluster: this.cluster, clock: new VirtualClock({ start: NOW }) });

  constructor(old: NodeClaimOverrides = {}, replaces = 'old') {
    const { cluster } = this;
    const status = { providerID: 'i-1', disruption: DRIFTED };
    cluster.put('NodeClaim', nodeClaim({ name: 'old', status, ...old }));
    cluster.put('Node', observedNode({ name: 'old', providerID: 'i-1' }));
    const annotations = new Map([['berth.sh/replaces', replaces]]);
    cluster.put('NodeClaim', nodeClaim({ name: 'new', annotations, status: { providerID: 'i-2' } }));
    cluster.put('Node', observedNode({ name: 'new', providerID: 'i-2' }));
    cluster.put('Pod', running('web-1'));
    const owner = { ...WEB, namespace: 'default', templateHash: '' };
    const entry = reservationEntry({ podUID: undefined, owner, count: 1, reason: MOVED });
    const target = { kind: 'NodeClaim', name: 'new' } as const;
    cluster.put('Reservation', reservation({ target, entries: [entry] }));
  }

  /** The extender lets the pod go to the node new. */
  answer(pod: ObservedPod): void {
    this.#ledger.answered(pod, 1, { nodeName: 'new', reservation: 'nodeclaim.new' });
  }

  /** Whether the provisioner takes the pod for one that has room, and whether the extender does. */
  hasRoom(pod: ObservedPod): readonly [boolean, boolean] {
    this.cluster.put('Pod', pod);
    return [takesOwnersRoom(this.cluster, pod), this.#ledger.roomsFor(pod).length > 0];
  }
}

test('a pod that comes before the moved pod is evicted does not have the room of its successor', () => {
  const world = new MovedWorld();
  expect(world.hasRoom(webPod('more'))).toEqual([false, false]);
});

test('the pod that comes once the moved pod is evicted has it', () => {
  const world = new MovedWorld();
  world.cluster.put('Pod', running('web-1', { terminating: true, resourceVersion: '2' }));
  expect(world.hasRoom(webPod('next'))).toEqual([true, true]);
});

test('so it is once the node is drained, when its claim is deleted and nothing says any more what replaces it', () => {
  const claim = { deletionTimestamp: NOW };
  expect(new MovedWorld(claim, '').hasRoom(webPod('more'))).toEqual([false, false]);
  const world = new MovedWorld(claim, '');
  world.cluster.put('Pod', running('web-1', { terminating: true, resourceVersion: '2' }));
  expect(world.hasRoom(webPod('next'))).toEqual([true, true]);
});

test.each<[string, NodeClaimOverrides]>([
  ['whose replacements are still to be made', {}],
  ['that nothing is decided about', { status: { providerID: 'i-1' } }],
])('a pod on a node %s needs no room yet, and keeps none from others', (_, claim) => {
  expect(new MovedWorld(claim, 'another').hasRoom(webPod('next'))).toEqual([true, true]);
});

describe('pods with topology spread that are moved one after the other', () => {
  const ZONES = ['a', 'b', 'c'];

  /** Pods of web by zone, of which some are to move to new nodes; and room for one in each of two zones. */
  function spreadWorld(
    pods: Readonly<Record<string, string>>,
    rooms: readonly string[],
    maxSkew = 1,
  ): Cluster {
    const spread = [spreadOver(ZONE, { app: 'web' }, { maxSkew })];
    const cluster = new Cluster();
    for (const zone of ZONES) {
      const node = { name: zone, providerID: `i-${zone}`, labels: { [ZONE]: zone } };
      cluster.put('Node', observedNode(node));
      cluster.put('Node', observedNode({ ...node, name: `new-${zone}`, providerID: `i-new-${zone}` }));
    }
    for (const [name, nodeName] of Object.entries(pods))
      cluster.put('Pod', running(name, { nodeName, spread }));
    const owner = { ...WEB, namespace: 'default', templateHash: '' };
    const entries = [reservationEntry({ podUID: undefined, owner, count: 1, reason: MOVED })];
    for (const zone of rooms) {
      const target = { kind: 'Node', name: `new-${zone}` } as const;
      cluster.put('Reservation', reservation({ target, entries }));
    }
    cluster.put('Pod', webPod('next', { spread }));
    return cluster;
  }

  const placeOfNext = (cluster: Cluster): readonly string[] =>
    takenEntries(cluster, 'ReplicaSet/default/web/').flatMap(({ reservation: { target }, pods }) =>
      pods.length === 0 ? [] : target.name,
    );

  test('take first the room where they may be bound now, though another is first by name', () => {
    const cluster = spreadWorld({ 'web-2': 'b', 'web-3': 'a', 'web-4': 'a' }, ['a', 'c']);
    expect(placeOfNext(cluster)).toEqual(['new-c']);
  });

  test('take of these the fullest, which is too full once another pod has left the emptiest', () => {
    const pods = { 'web-1': 'a', 'web-2': 'b', 'web-3': 'b', 'web-4': 'c' };
    expect(placeOfNext(spreadWorld(pods, ['a', 'b'], 2))).toEqual(['new-b']);
    expect(placeOfNext(spreadWorld(pods, ['a', 'b'], 1))).toEqual(['new-a']);
  });
});

describe('of two rooms that are held for moved pods, the first pod takes the one', () => {
  /** Which of the nodes has its room for which pod. */
  function places(
    nodes: Readonly<Record<string, { readonly ready?: boolean; readonly drifted?: boolean }>>,
  ): Readonly<Record<string, readonly string[]>> {
    const cluster = new Cluster();
    const owner = { ...WEB, namespace: 'default', templateHash: '' };
    const entries = [reservationEntry({ podUID: undefined, owner, count: 1, reason: MOVED })];
    for (const [name, { ready = true, drifted = false }] of Object.entries(nodes)) {
      const status = { providerID: name, ...(drifted && withClaimCondition('Drifted')) };
      cluster.put('NodeClaim', nodeClaim({ name, status }));
      cluster.put('Node', observedNode({ name, providerID: name, ready }));
      cluster.put('Reservation', reservation({ target: { kind: 'NodeClaim', name }, entries }));
    }
    cluster.put('Pod', webPod('first', { createdAt: NOW }));
    cluster.put('Pod', webPod('second', { createdAt: NOW + 1 }));
    const taken = takenEntries(cluster, 'ReplicaSet/default/web/');
    return Object.fromEntries(
      taken.map(({ reservation: { target }, pods }) => [target.name, pods.map(({ name }) => name)]),
    );
  }

  test('on the node that is Ready, though another is first by name', () => {
    expect(places({ a: { ready: false }, b: {} })).toEqual({ b: ['first'], a: ['second'] });
    expect(places({ a: { ready: false }, b: { drifted: true } })).toEqual({ b: ['first'], a: ['second'] });
  });

  test('on the node that does not have to go', () => {
    expect(places({ a: { drifted: true }, b: {} })).toEqual({ b: ['first'], a: ['second'] });
  });
});

test('a pod that was answered the room keeps it when another pod is to be moved as well', () => {
  const world = new MovedWorld();
  world.cluster.put('Pod', running('web-1', { terminating: true, resourceVersion: '2' }));
  const next = webPod('next');
  expect(world.hasRoom(next)).toEqual([true, true]);
  world.answer(next);
  world.cluster.put('Pod', running('web-2'));
  expect(world.hasRoom(next)[1]).toBe(true);
  expect(world.hasRoom(webPod('more'))[1]).toBe(false);
});
