import { NominationController } from '../../../src/controllers/reservations/nomination-controller.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import type { ReservationTarget } from '../../../src/domain/records/reservation.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { amounts } from '../../support/builders/pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';

const CLAIM: ReservationTarget = { kind: 'NodeClaim', name: 'general-1' };
const NODE: ReservationTarget = { kind: 'Node', name: 'node-1' };
const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const claim = nodeClaim({ status: { providerID: PROVIDER_ID, nodeName: 'node-1' } });
const starting = observedNode({ name: 'node-1', providerID: PROVIDER_ID, taints: [UNREGISTERED_TAINT] });

const stops: (() => void)[] = [];

function world() {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  const { logger, lines } = recordingLogger();
  const controller = new NominationController({
    cluster,
    kube,
    clock,
    random: seededRandom(),
    logger,
    metrics: createMetrics(),
  });
  const hold = (target: ReservationTarget, ...podUIDs: readonly string[]): void => {
    const entries = podUIDs.map((podUID) => reservationEntry({ podUID }));
    kube.objects.put('Reservation', reservation({ target, entries }));
  };
  const nominated = (name = 'pod'): string | undefined =>
    kube.objects.get('Pod', `default/${name}`)?.nominatedNodeName;
  const run = async (): Promise<void> => {
    const abort = new AbortController();
    stops.push(() => {
      abort.abort();
    });
    void controller.run(abort.signal);
    await clock.advance(100);
  };
  return { clock, kube, lines, controller, hold, nominated, run, objects: kube.objects };
}

const FOREVER = new AbortController().signal;

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe('nominatePods', () => {
  test('nominates all pods of a claim to its node before the node can take them', async () => {
    const { objects, hold, controller, nominated } = world();
    const pods = unschedulableReplicas(20);
    objects.put('NodeClaim', claim);
    objects.put('Node', starting);
    for (const pod of pods) objects.put('Pod', pod);
    hold(CLAIM, ...pods.map(({ uid }) => uid));
    await controller.nominatePods(claim, 'node-1', FOREVER);
    expect(new Set(pods.map(({ name }) => nominated(name)))).toEqual(new Set(['node-1']));
  });

  test('leaves pods alone that are bound, and those that another client nominated', async () => {
    const { objects, hold, controller, kube } = world();
    objects.put('NodeClaim', claim);
    objects.put('Node', observedNode({ name: 'other' }));
    objects.put('Pod', unschedulablePod({ name: 'bound', uid: 'a', nodeName: 'other' }));
    objects.put('Pod', unschedulablePod({ name: 'preempting', uid: 'b', nominatedNodeName: 'other' }));
    hold(CLAIM, 'a', 'b', 'gone');
    await controller.nominatePods(claim, 'node-1', FOREVER);
    expect(kube.writes).toEqual([]);
  });

  test('replaces a nomination to a node that is not there any more', async () => {
    const { objects, hold, controller, nominated } = world();
    objects.put('NodeClaim', claim);
    objects.put('Pod', unschedulablePod({ uid: 'a', nominatedNodeName: 'gone' }));
    hold(CLAIM, 'a');
    await controller.nominatePods(claim, 'node-1', FOREVER);
    expect(nominated()).toBe('node-1');
  });

  test('continues when a pod cannot be nominated, and reports it', async () => {
    const { objects, hold, controller, nominated, kube, lines } = world();
    objects.put('NodeClaim', claim);
    objects.put('Pod', unschedulablePod({ name: 'a', uid: 'a' }));
    objects.put('Pod', unschedulablePod({ name: 'b', uid: 'b' }));
    kube.fail({ method: 'nominatePod', code: 'Forbidden', name: 'default/a' });
    hold(CLAIM, 'a', 'b');
    await controller.nominatePods(claim, 'node-1', FOREVER);
    expect([nominated('a'), nominated('b')]).toEqual([undefined, 'node-1']);
    expect(lines.map(({ message }) => message)).toContain('Failed to nominate a pod');
  });
});

describe('NominationController', () => {
  test('a pod that is planned on a usable node is nominated at once, which wakes it', async () => {
    const { objects, hold, nominated, run, clock } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    await run();
    hold(NODE, 'a');
    await clock.advance(100);
    expect(nominated()).toBe('node-1');
  });

  test('a new pod whose node is there is not nominated unless kube-scheduler fails to bind it at once', async () => {
    const { objects, hold, nominated, run, clock, kube } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    const fresh = { scheduled: undefined, createdAt: clock.now() };
    for (const name of ['bound', 'judged', 'forgotten'])
      objects.put('Pod', unschedulablePod({ uid: name, name, ...fresh }));
    await run();
    hold(NODE, 'bound', 'judged', 'forgotten');
    await clock.advance(500);
    expect(kube.writes).toEqual([]);
    objects.put('Pod', unschedulablePod({ uid: 'bound', name: 'bound', ...fresh, nodeName: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'judged', name: 'judged' }));
    await clock.advance(100);
    expect([nominated('judged'), nominated('forgotten')]).toEqual(['node-1', undefined]);
    await clock.advance(2000);
    expect([nominated('bound'), nominated('forgotten')]).toEqual([undefined, 'node-1']);
  });

  test('the nomination to a node that is there lets other writes go first, that to a node that has come does not', async () => {
    const { objects, hold, run, clock, kube } = world();
    const late: Readonly<Record<string, boolean>>[] = [];
    const nominatePod = kube.nominatePod.bind(kube);
    kube.nominatePod = (pod, nodeName, signal, isLate = false) => {
      late.push({ [pod.name]: isLate });
      return nominatePod(pod, nodeName, signal);
    };
    objects.put('NodeClaim', claim);
    objects.put('Node', { ...starting, taints: [] });
    objects.put('Node', observedNode({ name: 'old', providerID: 'aws:///us-east-1a/i-2' }));
    objects.put('Pod', unschedulablePod({ uid: 'a', name: 'on-new' }));
    objects.put('Pod', unschedulablePod({ uid: 'b', name: 'on-old' }));
    await run();
    hold(CLAIM, 'a');
    await clock.advance(100);
    hold({ kind: 'Node', name: 'old' }, 'b');
    await clock.advance(100);
    expect(late).toEqual([{ 'on-new': false }, { 'on-old': true }]);
  });

  test('a pod that is bound after another is nominated once that one is bound, or is planned no more', async () => {
    for (const ending of ['bound', 'unplanned'] as const) {
      const { objects, hold, nominated, run, clock } = world();
      objects.put('Node', observedNode({ name: 'node-1' }));
      objects.put('Pod', unschedulablePod({ uid: 'a' }));
      objects.put('Pod', unschedulablePod({ uid: 'first', name: 'first' }));
      hold(CLAIM, 'first');
      const late = reservationEntry({ podUID: 'a', after: ['first'] });
      objects.put('Reservation', reservation({ target: NODE, entries: [late] }));
      await run();
      expect(nominated()).toBeUndefined();
      if (ending === 'bound')
        objects.put('Pod', { ...unschedulablePod({ uid: 'first', name: 'first' }), nodeName: 'node-2' });
      else hold(CLAIM);
      await clock.advance(100);
      expect(nominated()).toBe('node-1');
    }
  });

  test('a pod that is planned on a node which starts up is nominated when it is usable', async () => {
    const { objects, hold, nominated, run, clock } = world();
    objects.put('NodeClaim', claim);
    objects.put('Node', starting);
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(CLAIM, 'a');
    await run();
    expect(nominated()).toBeUndefined();
    objects.put('Node', { ...starting, taints: [] });
    await clock.advance(100);
    expect(nominated()).toBe('node-1');
  });

  test('a pod that asks for a device is nominated when its new node has one, since kube-scheduler fails before', async () => {
    const { objects, nominated, run, clock } = world();
    const ready = { ...starting, taints: [] };
    const requests = amounts({ cpu: '1', 'nvidia.com/gpu': '1' });
    objects.put('NodeClaim', claim);
    objects.put('Node', ready);
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    const entries = [reservationEntry({ podUID: 'a', requests })];
    objects.put('Reservation', reservation({ target: CLAIM, entries }));
    await run();
    expect(nominated()).toBeUndefined();
    objects.put('Node', {
      ...ready,
      allocatable: new Map([...ready.allocatable, ['nvidia.com/gpu', 1]]),
    });
    await clock.advance(100);
    expect(nominated()).toBe('node-1');
  });

  test('a nomination that kube-scheduler took away is not given again: the two would never end', async () => {
    const { objects, hold, kube, run, clock } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(NODE, 'a');
    await run();
    const pod = objects.get('Pod', 'default/pod');
    if (pod !== undefined) objects.put('Pod', { ...pod, nominatedNodeName: undefined });
    await clock.advance(60_000);
    expect(kube.writes).toHaveLength(1);
  });

  test('our nomination is taken back when the pod is planned there no more', async () => {
    const { objects, hold, nominated, run, clock } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(NODE, 'a');
    await run();
    expect(nominated()).toBe('node-1');
    objects.remove('Reservation', 'node.node-1');
    await clock.advance(100);
    expect(nominated()).toBeUndefined();
  });

  test("another client's nomination is never taken back", async () => {
    const { objects, hold, nominated, run, clock } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Node', observedNode({ name: 'other', providerID: 'aws:///us-east-1a/i-2' }));
    objects.put('Pod', unschedulablePod({ uid: 'a', nominatedNodeName: 'other' }));
    hold(NODE, 'a');
    await run();
    objects.remove('Reservation', 'node.node-1');
    await clock.advance(100);
    expect(nominated()).toBe('other');
  });

  test('a pod whose room moves to another node is nominated there', async () => {
    const { objects, hold, nominated, run, clock } = world();
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Node', observedNode({ name: 'node-2', providerID: 'aws:///us-east-1a/i-2' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(NODE, 'a');
    await run();
    objects.remove('Reservation', 'node.node-1');
    hold({ kind: 'Node', name: 'node-2' }, 'a');
    await clock.advance(1000);
    expect(nominated()).toBe('node-2');
  });

  test('a write that fails is tried again', async () => {
    const { objects, hold, nominated, run, clock, kube } = world();
    kube.fail({ method: 'nominatePod', code: 'Conflict', times: 2 });
    objects.put('Node', observedNode({ name: 'node-1' }));
    objects.put('Pod', unschedulablePod({ uid: 'a' }));
    hold(NODE, 'a');
    await run();
    await clock.advance(5000);
    expect(nominated()).toBe('node-1');
  });
});
