import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import type { Condition } from '../../../src/domain/values/condition.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import { REFUSALS } from '../../../src/planning/placement/refusal.js';
import type { ReservationEntry, ReservationTarget } from '../../../src/domain/records/reservation.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import {
  UNSCHEDULABLE,
  unschedulablePod,
  unschedulableReplicas,
} from '../../support/builders/unschedulable-pod.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { lateFeed } from '../../support/in-memory/late-feed.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';

const CLAIM: ReservationTarget = { kind: 'NodeClaim', name: 'general-1' };
const NODE: ReservationTarget = { kind: 'Node', name: 'node-1' };
const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const INITIALIZED: Condition = {
  type: 'Initialized',
  status: 'True',
  reason: 'Initialized',
  message: '',
  lastTransitionTime: 0,
};

function entry(podUID: string, overrides: Partial<ReservationEntry> = {}): ReservationEntry {
  return reservationEntry({ podUID, ...overrides });
}

const stops: (() => void)[] = [];

function world({ watchLagMillis = 0, writeMillis = 0 } = {}) {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock, delayMillis: writeMillis });
  const cluster = new Cluster();
  kube.objects.watch(watchLagMillis > 0 ? lateFeed(cluster, clock, watchLagMillis) : cluster);
  const { logger, lines } = recordingLogger();
  const { recorder, decisions } = recordedDecisions();
  const metrics = createMetrics();
  const controller = new ReservationsController({
    cluster,
    kube,
    clock,
    random: seededRandom(),
    logger,
    recorder,
    metrics,
  });
  let incarnation = 0;
  const hold = (target: ReservationTarget, ...entries: readonly ReservationEntry[]): void => {
    const uid = `uid-${String(incarnation++)}`;
    kube.objects.put('Reservation', reservation({ target, entries, uid }));
  };
  const held = (): Readonly<Record<string, readonly (string | undefined)[]>> =>
    Object.fromEntries(
      kube.objects
        .list('Reservation')
        .map(({ name, entries }) => [name, entries.map(({ podUID }) => podUID)]),
    );
  const run = async (): Promise<void> => {
    const abort = new AbortController();
    stops.push(() => {
      abort.abort();
    });
    void controller.run(abort.signal);
    await clock.advance(500);
  };
  /** Looks at reservations so far. */
  const looks = async (): Promise<number> => {
    const { values } = await metrics.workQueueAdds.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const parts = { clock, kube, cluster, hold, held, run, looks, lines, decisions, metrics };
  return { ...parts, objects: kube.objects };
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe('ReservationsController', () => {
  test('room is held while the pod waits for its instance, however long', async () => {
    const { clock, objects, hold, held, run, kube } = world();
    objects.put('NodeClaim', nodeClaim());
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    await run();
    await clock.advance(800_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
    expect(kube.writes).toEqual([]);
  });

  test('a claim is written to without a look at its room, unless that changes what can be held or bound', async () => {
    const { clock, objects, hold, held, run, looks } = world();
    const claim = nodeClaim();
    objects.put('NodeClaim', claim);
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    await run();
    const before = await looks();
    for (let time = 0; time < 10; time++)
      objects.put('NodeClaim', { ...claim, status: { ...claim.status, lastPodEventTime: time } });
    await clock.advance(1000);
    expect(await looks()).toBe(before);
    const disruption = { reason: 'Drifted', decidedAt: 0 };
    objects.put('NodeClaim', { ...claim, status: { ...claim.status, disruption } });
    await clock.advance(1000);
    expect(await looks()).toBe(before + 1);
    expect(held()).toEqual({});
  });

  test('entries of pods that are bound go together, and with the last the reservation', async () => {
    const { clock, objects, hold, held, run, kube } = world();
    const pods = unschedulableReplicas(3);
    objects.put('Node', observedNode({ name: 'node-1' }));
    for (const pod of pods) objects.put('Pod', pod);
    hold(NODE, ...pods.map(({ uid }) => entry(uid)));
    await run();
    const [first, second, third] = pods;
    for (const pod of [first, second]) if (pod) objects.put('Pod', { ...pod, nodeName: 'node-1' });
    await clock.advance(500);
    expect(held()).toEqual({ 'node.node-1': [third?.uid] });
    if (third) objects.put('Pod', { ...third, nodeName: 'elsewhere' });
    await clock.advance(500);
    expect(held()).toEqual({});
    expect(kube.writes.map(({ method }) => method)).toEqual(['putReservation', 'deleteReservation']);
  });

  test.each([
    ['deleted', undefined],
    ['on its way out', { terminating: true }],
    ['finished', { phase: 'Failed' as const }],
  ])('the entry of a pod that is %s goes', async (_, change) => {
    const { clock, objects, hold, held, run } = world();
    objects.put('NodeClaim', nodeClaim());
    const pod = unschedulablePod({ uid: 'a' });
    objects.put('Pod', pod);
    hold(CLAIM, entry('a'));
    await run();
    expect(Object.keys(held())).toHaveLength(1);
    if (change === undefined) objects.remove('Pod', 'default/pod');
    else objects.put('Pod', { ...pod, ...change });
    await clock.advance(500);
    expect(held()).toEqual({});
  });

  test('an entry goes when its time is over', async () => {
    const { clock, objects, hold, held, run } = world();
    objects.put('NodeClaim', nodeClaim());
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: '' };
    hold(CLAIM, entry('a'), {
      ...entry('a'),
      podUID: undefined,
      owner,
      count: 3,
      expiresAt: clock.now() + 60_000,
    });
    await run();
    await clock.advance(58_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a', undefined] });
    await clock.advance(3000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
  });

  test.each([
    ['is being deleted', { deletionTimestamp: 1 }],
    ['is decided to go', { status: { disruption: { reason: 'Drifted', decidedAt: 1 } } }],
  ])('when a claim %s, its reservation goes and the pods are free to be planned anew', async (_, change) => {
    const { clock, objects, hold, held, run } = world();
    objects.put('NodeClaim', nodeClaim());
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    await run();
    objects.put('NodeClaim', nodeClaim(change));
    await clock.advance(500);
    expect(held()).toEqual({});
  });

  test('the reservation of a target that is gone goes', async () => {
    const { objects, hold, held, run } = world();
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    hold(NODE, entry('b'));
    await run();
    expect(held()).toEqual({});
  });

  test('a pod named by two reservations keeps the first by name', async () => {
    const { objects, hold, held, run } = world();
    objects.put('NodeClaim', nodeClaim({ name: 'general-1' }));
    objects.put('NodeClaim', nodeClaim({ name: 'general-2' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold({ kind: 'NodeClaim', name: 'general-2' }, entry('a'));
    hold(CLAIM, entry('a'));
    await run();
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
  });

  test('a pod that kube-scheduler refuses for thirty seconds on its usable node is released, and left longer the next time', async () => {
    const { clock, objects, hold, held, run } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(NODE, entry('a'));
    await run();
    await clock.advance(29_000);
    expect(held()).toEqual({ 'node.node-1': ['a'] });
    await clock.advance(2000);
    expect(held()).toEqual({});
    hold(NODE, entry('a'));
    await clock.advance(59_000);
    expect(held()).toEqual({ 'node.node-1': ['a'] });
    await clock.advance(2000);
    expect(held()).toEqual({});
  });

  test('a pod that is to be bound after another which waits for its node keeps its room, and has thirty seconds after that', async () => {
    const { clock, objects, hold, held, run } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('NodeClaim', nodeClaim());
    objects.put('Pod', unschedulablePod({ name: 'first', uid: 'first' }));
    objects.put('Pod', unschedulablePod({ name: 'second', uid: 'second' }));
    hold(CLAIM, entry('first'));
    hold(NODE, entry('second', { after: ['first'] }));
    await run();
    await clock.advance(300_000);
    expect(held()['node.node-1']).toEqual(['second']);
    objects.put('Pod', { ...unschedulablePod({ name: 'first', uid: 'first' }), nodeName: 'other' });
    await clock.advance(29_000);
    expect(held()['node.node-1']).toEqual(['second']);
    await clock.advance(15_000);
    expect(held()['node.node-1']).toBeUndefined();
  });

  test('the thirty seconds start when the last taint that the node is to lose is gone', async () => {
    const { clock, objects, hold, held, run } = world();
    const claim = nodeClaim({ status: { providerID: PROVIDER_ID } });
    const starting = observedNode({ name: 'node-1', providerID: PROVIDER_ID, taints: [UNREGISTERED_TAINT] });
    objects.put('NodeClaim', claim);
    objects.put('Node', starting);
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    await run();
    await clock.advance(60_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
    objects.put('Node', { ...starting, taints: [] });
    await clock.advance(29_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
    await clock.advance(2000);
    expect(held()).toEqual({});
  });

  test('the thirty seconds start when the devices that the pod asks for are there', async () => {
    const { clock, objects, hold, held, run } = world();
    const ready = observedNode({ name: 'node-1', providerID: PROVIDER_ID });
    objects.put('NodeClaim', nodeClaim({ status: { providerID: PROVIDER_ID } }));
    objects.put('Node', ready);
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a', { requests: amounts({ cpu: '1', 'nvidia.com/gpu': '1' }) }));
    await run();
    await clock.advance(60_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
    objects.put('Node', {
      ...ready,
      allocatable: new Map([...ready.allocatable, ['nvidia.com/gpu', 1]]),
    });
    await clock.advance(29_000);
    expect(held()).toEqual({ 'nodeclaim.general-1': ['a'] });
    await clock.advance(2000);
    expect(held()).toEqual({});
  });

  test('devices that a node has lost since it was initialized are not waited for', async () => {
    const { clock, objects, hold, held, run } = world();
    objects.put('NodeClaim', nodeClaim({ status: { providerID: PROVIDER_ID, conditions: [INITIALIZED] } }));
    objects.put('Node', observedNode({ name: 'node-1', providerID: PROVIDER_ID }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a', { requests: amounts({ cpu: '1', 'nvidia.com/gpu': '1' }) }));
    await run();
    await clock.advance(31_000);
    expect(held()).toEqual({});
  });

  test('a pod that kube-scheduler has not come to yet keeps its room: its nomination is still there', async () => {
    const { clock, objects, hold, held, run } = world();
    const nominated = unschedulablePod({ uid: 'a', nominatedNodeName: 'node-1' });
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', nominated);
    hold(NODE, entry('a'));
    await run();
    await clock.advance(400_000);
    expect(held()).toEqual({ 'node.node-1': ['a'] });
    objects.put('Pod', { ...nominated, nominatedNodeName: undefined });
    await clock.advance(29_000);
    expect(held()).toEqual({ 'node.node-1': ['a'] });
    await clock.advance(2000);
    expect(held()).toEqual({});
  });

  test('a pod that kube-scheduler has not tried since its node was not ready keeps its room for two minutes', async () => {
    const { clock, objects, hold, held, run } = world();
    const message = `0/2 nodes are available: 1 ${REFUSALS.notReady}, 1 Insufficient cpu.`;
    const queued = unschedulablePod({ uid: 'a', scheduled: { ...UNSCHEDULABLE, message } });
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', queued);
    objects.put('Pod', { ...queued, name: 'other', uid: 'b' });
    hold(NODE, entry('a'), entry('b'));
    await run();
    await clock.advance(100_000);
    expect(held()).toEqual({ 'node.node-1': ['a', 'b'] });
    objects.put('Pod', { ...queued, scheduled: UNSCHEDULABLE });
    await clock.advance(21_000);
    expect(held()).toEqual({ 'node.node-1': ['a'] });
    await clock.advance(10_000);
    expect(held()).toEqual({});
  });

  test('a pod for a held node keeps its room for two minutes, and thirty seconds once kube-scheduler says something else of it', async () => {
    const { clock, objects, hold, held, run } = world();
    const message = '0/2 nodes are available: 2 node(s) had untolerated taint(s).';
    const queued = unschedulablePod({
      uid: 'a',
      scheduled: { ...UNSCHEDULABLE, message },
      toleratedHolds: ['general-1'],
    });
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', queued);
    objects.put('Pod', { ...queued, name: 'other', uid: 'b' });
    hold(NODE, entry('a'), entry('b'));
    await run();
    await clock.advance(80_000);
    objects.put('Pod', { ...queued, resourceVersion: '2', scheduled: UNSCHEDULABLE });
    await clock.advance(29_000);
    expect(held()).toEqual({ 'node.node-1': ['a', 'b'] });
    await clock.advance(3000);
    expect(held()).toEqual({ 'node.node-1': ['b'] });
    await clock.advance(9000);
    expect(held()).toEqual({});
  });

  describe('when the node was up', () => {
    const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute' as const };
    const NOT_READY = { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' as const };
    const up = observedNode({ name: 'node-1', providerID: PROVIDER_ID });
    const reboots = [{ requestedAt: 0 }];

    async function upNode({ status = {} }: Parameters<typeof nodeClaim>[0] = {}) {
      const there = world();
      const conditions = [INITIALIZED];
      there.objects.put(
        'NodeClaim',
        nodeClaim({ status: { providerID: PROVIDER_ID, conditions, ...status } }),
      );
      there.objects.put('Node', up);
      const message = `0/2 nodes are available: 1 ${REFUSALS.notReady}, 1 Insufficient cpu.`;
      there.objects.put('Pod', unschedulablePod({ uid: 'a', scheduled: { ...UNSCHEDULABLE, message } }));
      there.hold(NODE, entry('a'));
      await there.run();
      return there;
    }

    test.each([
      ['its kubelet falls silent', { ready: false, taints: [UNREACHABLE] }],
      ['it is cordoned', { unschedulable: true }],
    ])('its room goes once %s, and the pods are free to be planned anew', async (_, change) => {
      const { clock, objects, held } = await upNode();
      expect(held()).toEqual({ 'node.node-1': ['a'] });
      objects.put('Node', { ...up, ...change });
      await clock.advance(500);
      expect(held()).toEqual({});
    });

    test.each([
      ['boots again', { conditions: [INITIALIZED], reboots }],
      ['is not initialized', { conditions: [] }],
    ])('its room stays while it %s, whatever its taints', async (_, status) => {
      const { clock, objects, held } = await upNode({ status });
      objects.put('Node', { ...up, ready: false, unschedulable: true, taints: [UNREACHABLE] });
      await clock.advance(400_000);
      expect(held()).toEqual({ 'node.node-1': ['a'] });
    });

    test('its room goes when it has not been Ready for thirty seconds', async () => {
      const { clock, objects, held } = await upNode();
      objects.put('Node', { ...up, ready: false, taints: [NOT_READY] });
      await clock.advance(29_000);
      expect(held()).toEqual({ 'node.node-1': ['a'] });
      await clock.advance(2000);
      expect(held()).toEqual({});
    });

    test('its room stays when it is Ready again before that, and kube-scheduler has its time from then on', async () => {
      const { clock, objects, held } = await upNode();
      objects.put('Node', { ...up, ready: false, taints: [NOT_READY] });
      await clock.advance(29_000);
      objects.put('Node', up);
      await clock.advance(119_000);
      expect(held()).toEqual({ 'node.node-1': ['a'] });
      await clock.advance(2000);
      expect(held()).toEqual({});
    });
  });

  test('a reservation is let go once, however late the watch tells of it', async () => {
    const { clock, objects, hold, held, run, lines } = world({ watchLagMillis: 2000 });
    const pods = unschedulableReplicas(3);
    objects.put('Node', observedNode({ name: 'node-1' }));
    for (const pod of pods) objects.put('Pod', pod);
    hold(NODE, ...pods.map(({ uid }) => entry(uid)));
    await run();
    await clock.advance(3000);
    for (const pod of pods) objects.put('Pod', { ...pod, nodeName: 'node-1' });
    for (let moment = 0; moment < 20; moment++) {
      await clock.advance(300);
      for (const pod of pods) objects.put('Pod', { ...pod, nodeName: 'node-1', ready: moment % 2 === 0 });
    }
    expect(held()).toEqual({});
    expect(lines.filter(({ message }) => message === 'Released Reservation')).toHaveLength(1);
  });

  test('pods of an owner take its room on one node each, however long that takes to write', async () => {
    const { clock, objects, hold, held, run } = world({ writeMillis: 2000 });
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'v1' };
    const room = reservationEntry({ owner, count: 1, reason: 'Moved', expiresAt: clock.now() + 120_000 });
    const pod = { owner: { kind: owner.kind, name: owner.name }, templateHash: 'v1' };
    objects.put('Node', observedNode({ name: 'node-1', ready: false }));
    objects.put('Node', observedNode({ name: 'node-2' }));
    hold({ kind: 'Node', name: 'node-1' }, room);
    hold({ kind: 'Node', name: 'node-2' }, room);
    await run();
    objects.put('Pod', observedPod({ ...pod, name: 'first', uid: 'first', createdAt: 1 }));
    await clock.advance(1000);
    // While the first is written into the other reservation, this one becomes the one that pods take first.
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', observedPod({ ...pod, name: 'second', uid: 'second', createdAt: 2 }));
    await clock.advance(10_000);
    expect(held()).toEqual({ 'node.node-1': ['second'], 'node.node-2': ['first'] });
  });

  describe('when a pod is bound into room that is held', () => {
    const requests = amounts({ cpu: '1', pods: '1' });
    const thief = {
      ...{ name: 'thief', uid: 'thief', nodeName: 'node-1', requests: { cpu: '1' } },
      ...{ phase: 'Running' as const, schedulerName: 'other' },
    };

    async function heldNode(...entries: readonly ReservationEntry[]): Promise<ReturnType<typeof world>> {
      const there = world();
      there.objects.put('Node', observedNode({ name: 'node-1', allocatable: { cpu: '3', pods: '10' } }));
      for (const uid of ['a', 'b', 'c'])
        there.objects.put('Pod', unschedulablePod({ name: uid, uid, requests: { cpu: '1' } }));
      there.hold(NODE, ...entries);
      await there.run();
      return there;
    }

    test('the least important pods that it leaves no room for are released at once, and it is named', async () => {
      const { objects, clock, held, decisions, metrics } = await heldNode(
        entry('a', { requests, priority: 5 }),
        entry('b', { requests, priority: 1 }),
        entry('c', { requests, priority: 5 }),
      );
      objects.put('Pod', observedPod(thief));
      await clock.advance(200);
      expect(held()).toEqual({ 'node.node-1': ['a', 'c'] });
      expect(decisions).toMatchObject([
        {
          subject: { kind: 'Pod', name: 'thief' },
          reason: 'RoomTaken',
          message: 'bound by other to node-1, into room that was held for default/b; it is planned again',
          related: [
            { kind: 'Node', name: 'node-1' },
            { kind: 'Pod', name: 'b' },
          ],
          event: { type: 'Warning', reason: 'RoomTaken' },
        },
      ]);
      expect(await metrics.registry.metrics()).toContain('berth_room_taken_total{by="other-scheduler"} 1');
    });

    test('nothing is released or said while there is room for all', async () => {
      const { objects, clock, held, decisions } = await heldNode(
        entry('a', { requests }),
        entry('b', { requests }),
      );
      objects.put('Pod', observedPod(thief));
      await clock.advance(1000);
      expect(held()).toEqual({ 'node.node-1': ['a', 'b'] });
      expect(decisions).toEqual([]);
    });

    test('the pods that are planned there are none that take it', async () => {
      const { objects, clock, held, decisions } = await heldNode(
        ...['a', 'b', 'c'].map((uid) => entry(uid, { requests })),
      );
      for (const uid of ['a', 'b'])
        objects.put(
          'Pod',
          observedPod({ name: uid, uid, nodeName: 'node-1', phase: 'Running', requests: { cpu: '1' } }),
        );
      await clock.advance(1000);
      expect(held()).toEqual({ 'node.node-1': ['c'] });
      expect(decisions).toEqual([]);
    });

    test('room for pods that do not exist yet is lowered by what is gone', async () => {
      const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: '' };
      const moved = { owner, podUID: undefined, requests, reason: 'Moved', expiresAt: Date.UTC(2030, 0, 1) };
      const { objects, clock, kube } = await heldNode(entry('', { ...moved, count: 3 }));
      objects.put('Pod', observedPod(thief));
      await clock.advance(200);
      const [reservation] = kube.objects.list('Reservation');
      expect(reservation?.entries.map(({ count }) => count)).toEqual([2]);
    });

    test.each([
      ['kubelet', { mirror: true }],
      ['daemon-set', { owner: { kind: 'DaemonSet', name: 'agent' } }],
      ['own-scheduler', { schedulerName: 'default-scheduler' }],
    ])('counts it for %s', async (by, overrides) => {
      const { objects, clock, metrics } = await heldNode(
        ...['a', 'b', 'c'].map((uid) => entry(uid, { requests })),
      );
      objects.put('Pod', observedPod({ ...thief, ...overrides }));
      await clock.advance(200);
      expect(await metrics.registry.metrics()).toContain(`berth_room_taken_total{by="${by}"} 1`);
    });
  });

  test('a write that fails is tried again', async () => {
    const { clock, objects, hold, held, run, kube } = world();
    kube.fail({ method: 'deleteReservation', code: 'Unavailable', times: 3 });
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, entry('a'));
    await run();
    await clock.advance(10_000);
    expect(held()).toEqual({});
  });
});
