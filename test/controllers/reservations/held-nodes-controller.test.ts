/** Who gets a toleration for a node with the taint berth.sh/held, and when the taint goes. */
import { HeldNodesController } from '../../../src/controllers/reservations/held-nodes-controller.js';
import { heldTaint } from '../../../src/domain/nodes/held-taint.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import type { ReservationTarget } from '../../../src/domain/records/reservation.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const claim = nodeClaim({ status: { providerID: PROVIDER_ID, nodeName: 'node-1' } });
const CLAIM: ReservationTarget = { kind: 'NodeClaim', name: claim.name };
const HOLD = heldTaint(claim);
const OTHER = { key: 'team', value: 'a', effect: 'NoSchedule' } as const;
const held = observedNode({ name: 'node-1', providerID: PROVIDER_ID, taints: [OTHER, HOLD] });
const starting = { ...held, taints: [UNREGISTERED_TAINT, ...held.taints] };

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function world({ isOn = true } = {}) {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  const metrics = createMetrics();
  const { logger } = recordingLogger();
  const parts = { cluster, kube, clock, random: seededRandom(), logger, metrics, isOn };
  const controller = new HeldNodesController(parts);
  const { objects } = kube;
  objects.put('NodeClaim', claim);
  return {
    clock,
    objects,
    put: (name: string, overrides: ObservedPodOverrides = {}): void => {
      objects.put('Pod', observedPod({ name, uid: name, ...overrides }));
    },
    /** Pods by their uids, or their entries. */
    hold: (...entries: readonly (string | Parameters<typeof reservationEntry>[0])[]): void => {
      objects.put(
        'Reservation',
        reservation({
          target: CLAIM,
          entries: entries.map((each) =>
            reservationEntry(typeof each === 'string' ? { podUID: each } : each),
          ),
        }),
      );
    },
    release: (): void => {
      objects.remove('Reservation', reservation({ target: CLAIM }).name);
    },
    tolerated: (name: string): readonly string[] | undefined =>
      objects.get('Pod', `default/${name}`)?.toleratedHolds,
    taints: (): readonly unknown[] | undefined => objects.get('Node', 'node-1')?.taints,
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

describe('a node with the taint berth.sh/held', () => {
  test('is tolerated by the pods that are planned there, once it is usable, and by no others', async () => {
    const { clock, objects, put, hold, tolerated, run } = world();
    objects.put('Node', starting);
    for (const name of ['planned', 'other']) put(name);
    hold('planned');
    await run();
    expect(tolerated('planned')).toEqual([]);
    objects.put('Node', held);
    await clock.advance(100);
    expect(tolerated('planned')).toEqual([HOLD.value]);
    expect(tolerated('other')).toEqual([]);
  });

  test('is tolerated by pods that are planned there later', async () => {
    const { clock, objects, put, hold, tolerated, run } = world();
    objects.put('Node', held);
    put('first');
    hold('first');
    await run();
    put('second');
    hold('first', 'second');
    await clock.advance(100);
    expect(tolerated('second')).toEqual([HOLD.value]);
    expect(tolerated('first')).toEqual([HOLD.value]);
  });

  test('is not tolerated by a pod that another has to be bound before', async () => {
    const { clock, objects, put, hold, tolerated, run } = world();
    objects.put('Node', held);
    for (const name of ['first', 'second']) put(name);
    hold('first', { podUID: 'second', after: ['first'] });
    await run();
    expect(tolerated('second')).toEqual([]);
    put('first', { nodeName: 'node-1' });
    await clock.advance(100);
    expect(tolerated('second')).toEqual([HOLD.value]);
  });

  test('loses the taint, and no other, when nothing is planned there any more', async () => {
    const { clock, objects, put, hold, release, taints, run } = world();
    objects.put('Node', held);
    put('planned');
    hold('planned');
    await run();
    expect(taints()).toEqual([OTHER, HOLD]);
    release();
    await clock.advance(100);
    expect(taints()).toEqual([OTHER]);
  });

  test('loses it two minutes after it has become usable, whatever is planned there', async () => {
    const { clock, objects, put, hold, taints, run } = world();
    objects.put('Node', starting);
    put('planned');
    hold('planned');
    await run();
    await clock.advance(300_000);
    objects.put('Node', held);
    await clock.advance(119_000);
    expect(taints()).toEqual([OTHER, HOLD]);
    await clock.advance(2000);
    expect(taints()).toEqual([OTHER]);
  });

  test('loses it where a planned pod has as many tolerations as it may have', async () => {
    const { objects, put, hold, taints, tolerated, run } = world();
    const before = Array.from({ length: 8 }, (_, index) => `uid-${String(index)}`);
    objects.put('Node', held);
    put('planned', { toleratedHolds: before });
    hold('planned');
    await run();
    expect(taints()).toEqual([OTHER]);
    expect(tolerated('planned')).toEqual(before);
  });

  test('loses it when new nodes are not to have it any more', async () => {
    const { objects, put, hold, taints, tolerated, run } = world({ isOn: false });
    objects.put('Node', held);
    put('planned');
    hold('planned');
    await run();
    expect(taints()).toEqual([OTHER]);
    expect(tolerated('planned')).toEqual([]);
  });
});
