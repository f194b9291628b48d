import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import type { ReservationEntry } from '../../../src/domain/records/reservation.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { isProvisionable } from '../../../src/state/planning/demand.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';

const OWNER = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'v1' };

/** Room for pods of one owner on node `kept`; node `going` has a claim that is decided to go. */
function world(count: number): {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly objects: InMemoryKube['objects'];
  readonly pod: (name: string, overrides?: ObservedPodOverrides) => void;
  readonly entries: () => readonly ReservationEntry[];
} {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const { objects } = kube;
  const disruption = { reason: 'Drifted', decidedAt: 1 };
  objects.put('Node', observedNode({ name: 'kept', providerID: 'aws:///z/i-kept' }));
  objects.put('Node', observedNode({ name: 'going', providerID: 'aws:///z/i-going' }));
  objects.put('NodeClaim', nodeClaim({ status: { providerID: 'aws:///z/i-going', disruption } }));
  const entry = reservationEntry({ owner: OWNER, count, reason: 'Moved', expiresAt: clock.now() + 120_000 });
  objects.put('Reservation', reservation({ target: { kind: 'Node', name: 'kept' }, entries: [entry] }));
  const cluster = new Cluster();
  objects.watch(cluster);
  const random = seededRandom(1);
  const parts = { cluster, kube, clock, random, metrics: createMetrics() };
  const { recorder } = recordedDecisions();
  void new ReservationsController({ ...parts, ...recordingLogger(), recorder }).run(
    new AbortController().signal,
  );
  return {
    ...{ clock, cluster, objects },
    pod: (name, overrides = {}) => {
      const owner = { kind: OWNER.kind, name: OWNER.name };
      objects.put('Pod', observedPod({ owner, templateHash: 'v1', ...overrides, name, uid: `uid-${name}` }));
    },
    entries: () => objects.list('Reservation').flatMap(({ entries }) => entries),
  };
}

function told(entries: readonly ReservationEntry[]): readonly string[] {
  return entries.map(({ podUID, count }) => podUID ?? `owner × ${String(count)}`);
}

test('a pod that appears gets a part of the room of its owner, and is no demand before it has', async () => {
  const { clock, cluster, objects, pod, entries } = world(2);
  await clock.advance(10);
  pod('new');
  const known = objects.get('Pod', 'default/new');
  expect(known && isProvisionable(cluster, known)).toBe(false);
  await clock.advance(10);
  expect(told(entries())).toEqual(['uid-new', 'owner × 1']);
});

test('pods beyond what is held are demand', async () => {
  const { clock, cluster, objects, pod, entries } = world(1);
  await clock.advance(10);
  pod('first', { createdAt: 1 });
  pod('second', { createdAt: 2 });
  await clock.advance(10);
  expect(told(entries())).toEqual(['uid-first']);
  const second = objects.get('Pod', 'default/second');
  expect(second && isProvisionable(cluster, second)).toBe(true);
});

test('a pod of another template gets nothing of it', async () => {
  const { clock, pod, entries } = world(1);
  await clock.advance(10);
  pod('other', { templateHash: 'v2' });
  await clock.advance(10);
  expect(told(entries())).toEqual(['owner × 1']);
});

test('a pod that is bound there before it has room of its own has used up a part', async () => {
  const { clock, pod, entries } = world(2);
  await clock.advance(10);
  pod('quick', { nodeName: 'kept' });
  await clock.advance(500);
  expect(told(entries())).toEqual(['owner × 1']);
});

test('it is held for as long as a pod of the owner is on a node that goes, and then for a while', async () => {
  const { clock, objects, pod, entries } = world(1);
  pod('old', { nodeName: 'going' });
  await clock.advance(1_200_000);
  expect(told(entries())).toEqual(['owner × 1']);
  objects.remove('Pod', 'default/old');
  await clock.advance(59_000);
  expect(told(entries())).toEqual(['owner × 1']);
  await clock.advance(62_000);
  expect(objects.list('Reservation')).toEqual([]);
});

test('a pod whose volume is in another zone gets nothing of it, and is demand', async () => {
  const { clock, cluster, objects, pod, entries } = world(1);
  objects.put('PersistentVolumeClaim', volumeClaim({ name: 'default/data', volumeName: 'pv-1' }));
  objects.put('PersistentVolume', persistentVolume({ name: 'pv-1', zone: 'us-east-1c' }));
  pod('bound-elsewhere', { volumes: ['data'] });
  await clock.advance(10);
  expect(told(entries())).toEqual(['owner × 1']);
  const known = objects.get('Pod', 'default/bound-elsewhere');
  expect(known && isProvisionable(cluster, known)).toBe(true);
});

test('it is released when no pod comes', async () => {
  const { clock, objects } = world(1);
  await clock.advance(121_000);
  expect(objects.list('Reservation')).toEqual([]);
});
