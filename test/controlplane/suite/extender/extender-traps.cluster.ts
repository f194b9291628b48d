/** Everything that is known to go wrong between kube-scheduler and an extender, with Berth's extender. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReservationTarget } from '../../../../src/domain/records/reservation.js';
import type { KubeWriter } from '../../../../src/ports/kube-writer.js';
import { REFUSALS } from '../../../../src/planning/placement/refusal.js';
import { nodeClaim, nodeClaimSpec } from '../../../support/builders/node-claim.js';
import { amounts, labels } from '../../../support/builders/pod.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { PODS, PRIORITY_CLASSES } from '../../fixture/api/kube-object.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import { ServedExtender } from './served-extender.js';

const NODE_NAMES = ['n1', 'n2', 'n3'];
/** A new pod counts as being planned for so long. */
const PLANNING_MILLIS = 3_000;

describe('the extender of Berth', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let extender: ServedExtender;
  let kube: KubeWriter;
  let world: PodsAndNodes;

  beforeAll(async () => {
    extender = await ServedExtender.start({ planningMillis: PLANNING_MILLIS });
    cluster = await startControlPlane({ schedulerConfiguration: extender.configuration() });
    kube = await extender.connect(cluster);
    world = new PodsAndNodes(cluster);
    kubelet = new StandInKubelet({ api: cluster.api });
    for (const name of NODE_NAMES)
      kubelet.addNode({ name, capacity: { cpu: '2' }, providerID: `test:///zone/${name}` });
    await world.nodesReady(NODE_NAMES.length);
    await cluster.api.create(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 1000 });
  }, 120_000);

  afterEach(async () => {
    extender.fault = {};
    extender.hidden.clear();
    for (const reservation of [...extender.known.reservations.values()])
      await kube.deleteReservation(reservation);
    for (const claim of [...extender.known.nodeClaims.values()]) {
      await kube.deleteNodeClaim(claim);
      const deleted = await eventually('the deletion to be known', () => {
        const known = extender.known.nodeClaims.get(claim.name);
        return known?.deletionTimestamp === undefined ? undefined : known;
      });
      await kube.releaseNodeClaim(deleted);
    }
    const { items } = await cluster.api.list(PODS, { namespace: 'default' });
    await world.remove(...items.map(({ metadata }) => metadata.name));
    await eventually(
      'the extender to have heard of it',
      () =>
        extender.known.reservations.size + extender.known.pods.size + extender.known.nodeClaims.size === 0,
    );
  });

  afterAll(async () => {
    await kubelet.stop();
    await extender.stop();
    await cluster.stop();
  });

  /** Room for these pods, one core each unless told otherwise, which the extender knows of when this is over. */
  async function reserve(target: ReservationTarget, uids: readonly string[], cpu = '1'): Promise<void> {
    const requests = amounts({ cpu, pods: '1' });
    const entries = uids.map((podUID) => reservationEntry({ podUID, requests }));
    const { name } = await kube.putReservation(target, entries, undefined);
    await eventually('the extender to know the reservation', () => extender.known.reservations.get(name));
  }

  /** A pod that is planned for a claim without a node. */
  async function hold(name: string, spec: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const pod = await world.createGated({ name, requests: { cpu: '1' }, spec });
    const claim = `claim-of-${name}`;
    await kube.createNodeClaim({
      name: claim,
      labels: labels(),
      annotations: labels(),
      spec: nodeClaimSpec(),
    });
    await reserve({ kind: 'NodeClaim', name: claim }, [pod.metadata.uid]);
    await world.ungate(name);
  }

  async function planned(name: string, node: string): Promise<void> {
    const pod = await world.createGated({ name, requests: { cpu: '1' } });
    await reserve({ kind: 'Node', name: node }, [pod.metadata.uid]);
    await world.ungate(name);
  }

  test('places a planned pod on its node though others are as good, and is not asked for scores then', async () => {
    await planned('planned', 'n3');
    expect(await world.bound('planned')).toBe('n3');
    const calls = extender.callsFor('planned');
    expect(calls.map(({ verb }) => verb)).toEqual(['filter']);
    expect([...(calls[0]?.nodeNames ?? [])].sort()).toEqual(NODE_NAMES);
  });

  test('is asked about the nominated node alone when the pod is nominated', async () => {
    const pod = await world.createGated({ name: 'nominated', requests: { cpu: '1' } });
    await reserve({ kind: 'Node', name: 'n2' }, [pod.metadata.uid]);
    const body = { status: { nominatedNodeName: 'n2' } };
    await cluster.api.patchStatus(PODS, { name: 'nominated' }, { type: 'merge', body });
    await world.ungate('nominated');
    expect(await world.bound('nominated')).toBe('n2');
    expect(extender.callsFor('nominated').map(({ nodeNames }) => nodeNames)).toEqual([['n2']]);
  });

  test('holds a planned pod in constant words, so that it is not asked again and again', async () => {
    await hold('held');
    const { message } = await world.refused('held');
    expect(message).toContain(`0/3 nodes are available: 3 ${REFUSALS.notReady}`);
    await sleep(6_000);
    // The first refusal's own condition is an event that makes kube-scheduler ask once more.
    expect(extender.callsFor('held', 'filter').length).toBeLessThanOrEqual(3);
  });

  test('an annotation wakes exactly its pod, and once released that pod finds its place', async () => {
    await hold('released');
    await hold('kept');
    await Promise.all([world.refused('released'), world.refused('kept')]);
    await sleep(1_000);
    const count = (name: string): number => extender.callsFor(name, 'filter').length;
    const before = { released: count('released'), kept: count('kept') };
    await world.annotate('released', 'once');
    await eventually('it to be asked about again', () => count('released') > before.released);
    await sleep(2_000);
    expect(count('kept')).toBe(before.kept);

    const known = extender.known.reservations.get('nodeclaim.claim-of-released');
    if (known !== undefined) await kube.deleteReservation(known);
    await eventually('the release to be known', () => extender.known.reservations.size === 1);
    await world.annotate('released', 'twice');
    expect(NODE_NAMES).toContain(await world.bound('released'));
    await sleep(2_000);
    // A pod that is bound and then runs is news to kube-scheduler's queue, hence the others are asked about again: still held.
    expect(count('kept') - before.kept).toBeLessThanOrEqual(4);
    expect((await world.get('kept')).spec.nodeName).toBeUndefined();
  });

  test('lets nodes pass that it has not heard of', async () => {
    extender.hidden.add('stranger');
    kubelet.addNode({ name: 'stranger', labels: { stranger: 'yes' } });
    await world.nodesReady(NODE_NAMES.length + 1);
    await world.create({ name: 'bold', spec: { nodeSelector: { stranger: 'yes' } } });
    expect(await world.bound('bold')).toBe('stranger');
    expect(extender.known.nodes.get('stranger')).toBeUndefined();
    await world.remove('bold');
    await kubelet.removeNode('stranger');
  });

  test('is not asked when no node fits', async () => {
    await world.create({ name: 'huge', requests: { cpu: '64' } });
    const { message } = await world.refused('huge');
    expect(message).toContain('Insufficient cpu');
    expect(extender.callsFor('huge', 'filter')).toEqual([]);
  });

  test('keeps pods off nodes that go away', async () => {
    const claim = await kube.createNodeClaim({
      ...{ name: 'going', labels: labels(), annotations: labels(), spec: nodeClaimSpec() },
    });
    const disruption = { reason: 'Empty', decidedAt: Date.now() };
    const { status } = nodeClaim({ status: { providerID: 'test:///zone/n1', disruption } });
    await kube.putNodeClaimStatus(claim, status);
    await eventually('the disruption to be known', () => extender.known.claimOfNode('n1')?.status.disruption);
    const at = (node: string): object => ({ nodeSelector: { 'kubernetes.io/hostname': node } });
    await world.create({ name: 'late', spec: { ...at('n1') } });
    const { message } = await world.refused('late');
    expect(message).toContain(`1 ${REFUSALS.leaving}`);
  });

  test('keeps reserved room from a rival and gives it the rest', async () => {
    const pod = await world.createGated({ name: 'planned', requests: { cpu: '1' } });
    await reserve({ kind: 'Node', name: 'n1' }, [pod.metadata.uid]);
    const spec = { nodeSelector: { 'kubernetes.io/hostname': 'n1' } };
    await world.create({ name: 'rival-1', requests: { cpu: '1' }, spec });
    expect(await world.bound('rival-1')).toBe('n1');
    await world.create({ name: 'rival-2', requests: { cpu: '1' }, spec });
    expect((await world.refused('rival-2')).message).toContain(`1 ${REFUSALS.reserved}`);
    await world.ungate('planned');
    expect(await world.bound('planned')).toBe('n1');
  });

  describe('where pods of high priority come', () => {
    const low = ['low-1', 'low-2', 'low-3'];

    beforeEach(async () => {
      for (const name of low) await world.create({ name, requests: { cpu: '1500m' } });
      // No two of them fit on one node.
      await Promise.all(low.map((name) => world.bound(name)));
    });

    async function evicted(): Promise<string[]> {
      const { items } = await cluster.api.list(PODS, { namespace: 'default' });
      const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      return low.filter((name) => !living.some(({ metadata }) => metadata.name === name));
    }

    test('evicts no pod for one that is held', async () => {
      await hold('high', { priorityClassName: 'high' });
      await world.refused('high');
      await eventually('preemption to be asked about', () => extender.callsFor('high', 'preempt')[0]);
      await sleep(2_000);
      expect(await evicted()).toEqual([]);
    });

    test('evicts no pod while one may still be planned, and then only where the room is not reserved', async () => {
      await world.create({ name: 'filler' });
      await world.bound('filler');
      await world.createGated({ name: 'planned', requests: { cpu: '1' } });
      const { metadata } = await world.get('planned');
      const [first, second] = await Promise.all(['low-1', 'low-2'].map((name) => world.bound(name)));
      for (const node of [first, second])
        await reserve({ kind: 'Node', name: node ?? '' }, [metadata.uid, `${metadata.uid}-2`]);
      await world.create({ name: 'high', requests: { cpu: '1500m' }, spec: { priorityClassName: 'high' } });
      await world.refused('high');
      await sleep(PLANNING_MILLIS / 2);
      expect(await evicted()).toEqual([]);
      await sleep(PLANNING_MILLIS);
      // It was refused for want of cpu, so only a pod that goes or a node that changes makes kube-scheduler look again.
      await world.remove('filler');
      expect(await world.bound('high')).toBe(NODE_NAMES.find((name) => name !== first && name !== second));
      expect(await evicted()).toEqual(['low-3']);
    });
  });

  describe.each([
    ['down', () => extender.down(), () => extender.up()],
    [
      'slow',
      () => {
        extender.fault = { delayMillis: 3_000 };
      },
      () => {
        extender.fault = {};
      },
    ],
    [
      'broken',
      () => {
        extender.fault = { status: 500 };
      },
      () => {
        extender.fault = {};
      },
    ],
  ] as const)('when it is %s', (_how, breakIt, mendIt) => {
    test('pods wait for it where it may not be ignored, and come through once it is back', async () => {
      await cluster.restartScheduler(extender.configuration({ httpTimeout: '500ms' }));
      await breakIt();
      await world.create({ name: 'waiting' });
      await world.refused('waiting', 'SchedulerError');
      await mendIt();
      expect(NODE_NAMES).toContain(await world.bound('waiting', 60_000));
    });

    test('pods are placed without it where it may be ignored', async () => {
      await cluster.restartScheduler(extender.configuration({ httpTimeout: '500ms', ignorable: true }));
      await breakIt();
      await world.create({ name: 'placed' });
      expect(NODE_NAMES).toContain(await world.bound('placed'));
      await mendIt();
      await cluster.restartScheduler(extender.configuration());
    });
  });

  test('counts the calls that it answers after kube-scheduler has given them up', async () => {
    await cluster.restartScheduler(extender.configuration({ httpTimeout: '500ms', ignorable: true }));
    const before = extender.abandoned.length;
    extender.fault = { busyMillis: 1_000 };
    await world.create({ name: 'late' });
    expect(NODE_NAMES).toContain(await world.bound('late'));
    await eventually('both of its calls to be counted', () => extender.abandoned.length >= before + 2);
    extender.fault = {};
    await world.create({ name: 'in-time' });
    expect(NODE_NAMES).toContain(await world.bound('in-time'));
    expect(extender.abandoned.slice(before)).toEqual(['filter', 'prioritize']);
    await cluster.restartScheduler(extender.configuration());
  });

  test('answers a kube-scheduler that sends whole nodes', async () => {
    await cluster.restartScheduler(extender.configuration({ nodeCacheCapable: false }));
    await planned('planned', 'n2');
    expect(await world.bound('planned')).toBe('n2');
    await hold('held');
    expect((await world.refused('held')).message).toContain(`3 ${REFUSALS.notReady}`);
    await world.create({ name: 'free' });
    expect(NODE_NAMES).toContain(await world.bound('free'));
    await cluster.restartScheduler(extender.configuration());
  });
});
