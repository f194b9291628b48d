/** When Berth's scheduling gate is removed, for which node, and what becomes of pods that have lost it. */
import { GateController } from '../../../src/controllers/reservations/gate-controller.js';
import { PINNED_ANNOTATION } from '../../../src/domain/pods/gate.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { ReservationTarget } from '../../../src/domain/records/reservation.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

const CLAIM: ReservationTarget = { kind: 'NodeClaim', name: 'general-1' };
const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const claim = nodeClaim({ status: { providerID: PROVIDER_ID, nodeName: 'node-1' } });
const ready = observedNode({
  name: 'node-1',
  providerID: PROVIDER_ID,
  labels: { 'kubernetes.io/hostname': 'host-1' },
});
const starting = { ...ready, taints: [UNREGISTERED_TAINT] };
const MINUTES_15 = 15 * 60_000;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function world() {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  const { logger } = recordingLogger();
  const { recorder, decisions } = recordedDecisions();
  const metrics = createMetrics();
  const parts = { cluster, kube, clock, random: seededRandom(), logger, metrics, recorder };
  const controller = new GateController(parts);
  const { objects } = kube;
  return {
    clock,
    objects,
    decisions,
    writes: (): readonly string[] => kube.writes.map(({ method, name }) => `${method} ${name}`),
    put: (overrides: ObservedPodOverrides = {}): void => {
      objects.put('Pod', observedPod({ uid: 'a', createdAt: clock.now(), ...overrides }));
    },
    pod: (): ObservedPod | undefined => objects.get('Pod', 'default/pod'),
    hold: (...podUIDs: readonly string[]): void => {
      const entries = podUIDs.map((podUID) => reservationEntry({ podUID }));
      objects.put('Reservation', reservation({ target: CLAIM, entries }));
    },
    release: (): void => {
      objects.remove('Reservation', reservation({ target: CLAIM }).name);
    },
    run: async (): Promise<void> => {
      const abort = new AbortController();
      stops.push(() => {
        abort.abort();
      });
      void controller.run(abort.signal);
      await clock.advance(100);
    },
  };
}

describe('a pod with Berth’s scheduling gate', () => {
  test('keeps it until its node is ready, and is then let go to that node alone', async () => {
    const { objects, put, hold, run, pod, clock } = world();
    objects.put('NodeClaim', claim);
    objects.put('Node', starting);
    put({ awaitsPlace: true });
    hold('a');
    await run();
    expect(pod()?.awaitsPlace).toBe(true);
    objects.put('Node', ready);
    await clock.advance(100);
    expect(pod()).toMatchObject({ awaitsPlace: false, pinnedTo: 'host-1' });
    expect(pod()?.annotations.get(PINNED_ANNOTATION)).toBe('host-1');
  });

  test('whose template names a host already keeps its own selector, and no record of another', async () => {
    const { objects, put, hold, run, pod } = world();
    objects.put('NodeClaim', claim);
    objects.put('Node', ready);
    put({ awaitsPlace: true, nodeSelector: { 'kubernetes.io/hostname': 'host-1' } });
    hold('a');
    await run();
    expect(pod()).toMatchObject({ awaitsPlace: false, pinnedTo: undefined });
    expect(pod()?.annotations.size).toBe(0);
  });

  test('whose node never comes is any scheduler’s after 15 minutes, and says so', async () => {
    const { objects, put, hold, run, pod, clock, decisions } = world();
    objects.put('NodeClaim', claim);
    put({ awaitsPlace: true });
    hold('a');
    await run();
    await clock.advance(MINUTES_15 - 1000);
    expect(pod()?.awaitsPlace).toBe(true);
    await clock.advance(1000);
    expect(pod()).toMatchObject({ awaitsPlace: false, pinnedTo: undefined });
    expect(decisions).toMatchObject([
      {
        event: { type: 'Warning', reason: 'SchedulingGateRemoved' },
        message: expect.stringContaining('not ready after 15 minutes') as string,
      },
    ]);
  });

  test('which another gate has kept for longer waits for its node from when that one is gone', async () => {
    const { objects, put, hold, run, pod, clock } = world();
    objects.put('NodeClaim', claim);
    const createdAt = clock.now();
    put({ schedulingGated: true, createdAt });
    await run();
    await clock.advance(2 * MINUTES_15);
    put({ awaitsPlace: true, createdAt });
    hold('a');
    await clock.advance(MINUTES_15 - 1000);
    expect(pod()?.awaitsPlace).toBe(true);
    await clock.advance(1000);
    expect(pod()?.awaitsPlace).toBe(false);
  });

  test('that Berth does not plan loses it at once', async () => {
    const { put, run, pod } = world();
    put({ awaitsPlace: true, schedulerName: 'volcano' });
    await run();
    expect(pod()).toMatchObject({ awaitsPlace: false, pinnedTo: undefined });
  });

  test('which waits for another to be bound on the same node is let go after it', async () => {
    const { objects, put, run, pod, clock } = world();
    objects.put('NodeClaim', claim);
    objects.put('Node', ready);
    objects.put('Pod', observedPod({ uid: 'first', name: 'first' }));
    put({ awaitsPlace: true });
    const entries = [
      reservationEntry({ podUID: 'first' }),
      reservationEntry({ podUID: 'a', after: ['first'] }),
    ];
    objects.put('Reservation', reservation({ target: CLAIM, entries }));
    await run();
    expect(pod()?.awaitsPlace).toBe(true);
    objects.put('Pod', observedPod({ uid: 'first', name: 'first', nodeName: 'node-1' }));
    await clock.advance(100);
    expect(pod()?.awaitsPlace).toBe(false);
  });

  test('which waits for another is let go when that one is deleted, or is planned no more', async () => {
    for (const end of ['deleted', 'unplanned']) {
      const { objects, put, run, pod, clock } = world();
      objects.put('NodeClaim', claim);
      objects.put('Node', ready);
      objects.put('Pod', observedPod({ uid: 'first', name: 'first' }));
      put({ awaitsPlace: true });
      const elsewhere = { kind: 'Node', name: 'node-2' } as const;
      objects.put(
        'Reservation',
        reservation({ target: elsewhere, entries: [reservationEntry({ podUID: 'first' })] }),
      );
      const entries = [reservationEntry({ podUID: 'a', after: ['first'] })];
      objects.put('Reservation', reservation({ target: CLAIM, entries }));
      await run();
      expect(pod()?.awaitsPlace).toBe(true);
      if (end === 'deleted') objects.remove('Pod', 'default/first');
      else objects.remove('Reservation', reservation({ target: elsewhere }).name);
      await clock.advance(100);
      expect([end, pod()?.awaitsPlace]).toEqual([end, false]);
    }
  });
});

describe('a pod that was let go to one node', () => {
  const pinned = { pinnedTo: 'host-1', owner: { kind: 'ReplicaSet', name: 'web' } };

  test('is left alone while room is held for it there, and when it is bound', async () => {
    const { put, hold, release, run, clock, writes } = world();
    put(pinned);
    hold('a');
    await run();
    put({ ...pinned, nodeName: 'node-1' });
    release();
    await clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  test('is evicted when its room is gone, so that its controller replaces it', async () => {
    const { put, hold, release, run, clock, writes, decisions } = world();
    put(pinned);
    hold('a');
    await run();
    release();
    await clock.advance(2000);
    expect(writes()).toEqual([]);
    await clock.advance(1500);
    expect(writes()).toEqual(['evictPod default/pod']);
    expect(decisions).toMatchObject([{ event: { type: 'Normal', reason: 'SchedulingGateRemoved' } }]);
  });

  test('and has no controller is named, not deleted', async () => {
    const { put, run, clock, writes, decisions } = world();
    put({ pinnedTo: 'host-1' });
    await run();
    await clock.advance(60_000);
    expect(writes()).toEqual([]);
    expect(decisions).toMatchObject([{ event: { type: 'Warning', reason: 'SchedulingGateRemoved' } }]);
  });
});
