import { REFUSALS } from '../../../src/planning/placement/refusal.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { ExtenderWorld, wirePod } from './scheduler-calls.js';

const ONE_CORE = amounts({ cpu: '1', pods: '1' });

describe('extenderRouter', () => {
  let world: ExtenderWorld;

  beforeEach(async () => {
    world = await ExtenderWorld.start();
    for (const name of ['n1', 'n2'])
      world.cluster.put('Node', observedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '20' } }));
  });

  afterEach(async () => {
    await world.stop();
  });

  /** One core of n1 for this pod. */
  function reserve(podUID: string, node = 'n1'): void {
    const target = { kind: 'Node', name: node } as const;
    world.cluster.put(
      'Reservation',
      reservation({ target, entries: [reservationEntry({ podUID, requests: ONE_CORE })] }),
    );
  }

  async function filter(pod: object, nodeNames: readonly string[]): Promise<unknown> {
    const { status, body } = await world.call('filter', { Pod: pod, Nodes: null, NodeNames: nodeNames });
    expect(status).toBe(200);
    return body;
  }

  test('answers a planned pod its node alone', async () => {
    reserve('planned');
    expect(await filter(wirePod('planned'), ['n1', 'n2'])).toEqual({
      NodeNames: ['n1'],
      FailedNodes: {},
      FailedAndUnresolvableNodes: { n2: REFUSALS.plannedElsewhere },
    });
  });

  test('leaves a pod without a plan as many nodes as kube-scheduler is to score, beside the one on which room is held', async () => {
    const few = await ExtenderWorld.start({ maxNodesToScore: 2 });
    const names = ['n1', 'n2', 'n3', 'n4'];
    const passed = async (): Promise<unknown> => {
      const { body } = await few.call('filter', { Pod: wirePod('free'), Nodes: null, NodeNames: names });
      return (body as { readonly NodeNames: unknown }).NodeNames;
    };
    expect(await passed()).toEqual(['n1', 'n2']);
    few.cluster.put(
      'Node',
      observedNode({ name: 'n1', allocatable: { cpu: '2', memory: '8Gi', pods: '20' } }),
    );
    const target = { kind: 'Node', name: 'n1' } as const;
    const entries = [reservationEntry({ podUID: 'planned', requests: ONE_CORE })];
    few.cluster.put('Reservation', reservation({ target, entries }));
    expect(await passed()).toEqual(['n2', 'n3', 'n1']);
    await few.stop();
  });

  test('a pod is on its way from an answer with nodes until it is bound, refused, or five seconds are over', async () => {
    expect(world.ledger.isOnItsWay('free')).toBe(false);
    await filter(wirePod('free'), ['n1', 'n2']);
    expect(world.ledger.isOnItsWay('free')).toBe(true);
    await world.clock.advance(5000);
    expect(world.ledger.isOnItsWay('free')).toBe(false);

    await filter(wirePod('free'), ['n1', 'n2']);
    await filter(wirePod('free', '2'), ['n1', 'n2']);
    expect(world.ledger.isOnItsWay('free')).toBe(true);
    reserve('other');
    await filter(wirePod('free', '2'), ['n1']);
    expect(world.ledger.isOnItsWay('free')).toBe(false);

    await filter(wirePod('free'), ['n1', 'n2']);
    world.cluster.put('Pod', observedPod({ uid: 'free', nodeName: 'n2', phase: 'Running' }));
    expect(world.ledger.isOnItsWay('free')).toBe(false);
  });

  test('holds room for a pod that is planned from before it is written, and lets it go nowhere meanwhile', async () => {
    await filter(wirePod('guest'), ['n1', 'n2']);
    const soon = observedPod({ uid: 'soon', requests: { cpu: '1500m' } });
    const room = world.ledger.holdUnwritten([soon], 'n1');
    expect(room.hasGuests()).toBe(true);
    expect(await filter(wirePod('soon'), ['n1', 'n2'])).toEqual({
      NodeNames: [],
      FailedNodes: {},
      FailedAndUnresolvableNodes: { n1: REFUSALS.notReady, n2: REFUSALS.notReady },
    });
    expect(world.ledger.isOnItsWay('soon')).toBe(false);
    world.cluster.put('Pod', observedPod({ uid: 'guest', nodeName: 'n2', phase: 'Running' }));
    expect(room.hasGuests()).toBe(false);
    expect(await filter(wirePod('other'), ['n1', 'n2'])).toMatchObject({ NodeNames: ['n2'] });
    room.end();
    room.end();
    expect(await filter(wirePod('soon'), ['n1', 'n2'])).toMatchObject({ NodeNames: ['n1', 'n2'] });
  });

  test('refuses a planned pod everywhere while its claim has no node', async () => {
    world.cluster.put('NodeClaim', nodeClaim({ name: 'c1' }));
    world.cluster.put('Reservation', reservation({ entries: [reservationEntry({ podUID: 'held' })] }));
    expect(await filter(wirePod('held'), ['n1', 'stranger'])).toEqual({
      NodeNames: [],
      FailedNodes: {},
      FailedAndUnresolvableNodes: { n1: REFUSALS.notReady, stranger: REFUSALS.notReady },
    });
    expect(world.outcomes).toEqual(['filter refused']);
  });

  test('refuses a planned pod in constant words when its usable node was not asked about', async () => {
    reserve('planned');
    expect(await filter(wirePod('planned'), ['n2'])).toMatchObject({
      NodeNames: [],
      FailedAndUnresolvableNodes: { n2: REFUSALS.notOffered },
    });
  });

  test('gives away what a reservation leaves, once, until it hears of the bind', async () => {
    reserve('planned');
    expect(await filter(wirePod('first'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
    const refused = { NodeNames: [], FailedNodes: { n1: REFUSALS.reserved } };
    expect(await filter(wirePod('second'), ['n1'])).toMatchObject(refused);
    // Asked again, the first gets the same answer: it is not its own rival.
    expect(await filter(wirePod('first'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
    world.clock.freeze(5_001);
    expect(await filter(wirePod('second'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
    const bound = { name: 'second', uid: 'second', requests: { cpu: '1' }, nodeName: 'n1' };
    world.cluster.put('Pod', observedPod({ ...bound, resourceVersion: '2' }));
    expect(await filter(wirePod('third'), ['n1'])).toMatchObject(refused);
    world.cluster.delete('Pod', 'default/second');
    expect(await filter(wirePod('third'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
  });

  test('offers at most one node with reservations, and all without', async () => {
    reserve('planned', 'n1');
    reserve('other', 'n2');
    world.cluster.put('Node', observedNode({ name: 'n3' }));
    expect(await filter(wirePod('rival'), ['n1', 'n2', 'n3', 'stranger'])).toEqual({
      NodeNames: ['n3', 'stranger', 'n1'],
      FailedNodes: { n2: REFUSALS.reserved },
      FailedAndUnresolvableNodes: {},
    });
  });

  test('removes nodes that go away, also for the pod that was planned there', async () => {
    world.cluster.put('Node', observedNode({ name: 'n1', resourceVersion: '2', providerID: 'm1' }));
    reserve('planned');
    const disruption = { reason: 'Empty', decidedAt: 1 };
    world.cluster.put('NodeClaim', nodeClaim({ status: { providerID: 'm1', disruption } }));
    for (const name of ['planned', 'rival'])
      expect(await filter(wirePod(name), ['n1', 'n2'])).toEqual({
        NodeNames: ['n2'],
        FailedNodes: {},
        FailedAndUnresolvableNodes: { n1: REFUSALS.leaving },
      });
  });

  test('lets an entry go when its time is over, its pod is gone or its pod is bound', async () => {
    const target = { kind: 'Node', name: 'n1' } as const;
    const expiresAt = world.clock.now() + 1_000;
    const entries = ['a', 'b'].map((podUID) => reservationEntry({ podUID, requests: ONE_CORE, expiresAt }));
    world.cluster.put('Reservation', reservation({ target, entries }));
    expect(await filter(wirePod('rival', '2'), ['n1'])).toMatchObject({ NodeNames: [] });
    world.clock.freeze(1_000);
    expect(await filter(wirePod('rival', '2'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
  });

  test('keeps room for DaemonSet pods that are still to come, and lets these pass', async () => {
    const fields = new Map([
      ['metadata.name', { key: 'metadata.name', complement: false, values: new Set(['n1']) }],
    ]);
    const owner = { kind: 'DaemonSet', name: 'agent' };
    const pod = observedPod({ name: 'agent', uid: 'agent', owner, requests: { cpu: '1' } });
    const nodeAffinity = { required: [{ labels: new Map(), fields }], preferred: [] };
    world.cluster.put('Pod', { ...pod, spec: { ...pod.spec, nodeAffinity } } as unknown as typeof pod);
    expect(await filter(wirePod('rival', '2'), ['n1'])).toMatchObject({
      NodeNames: [],
      FailedNodes: { n1: REFUSALS.daemonRoom },
    });
    expect(await filter(wirePod('agent', '1'), ['n1'])).toMatchObject({ NodeNames: ['n1'] });
  });

  test('takes keys in any case and gives whole nodes back to a client that sends them', async () => {
    reserve('planned');
    const items = ['n1', 'n2'].map((name) => ({ metadata: { name }, spec: { kept: name } }));
    const { body } = await world.call('filter', {
      pod: wirePod('planned'),
      nodes: { items },
      nodenames: null,
    });
    expect(body).toMatchObject({ NodeNames: ['n1'], Nodes: { items: [items[0]] } });
  });

  test('scores the planned node highest, in integers, and leaves out the nodes that are wanted least', async () => {
    reserve('planned', 'n2');
    world.cluster.put('Pod', observedPod({ name: 'x', uid: 'x', nodeName: 'n1', requests: { cpu: '2' } }));
    const { body } = await world.call('prioritize', {
      Pod: wirePod('planned'),
      NodeNames: ['n1', 'n2', 'n9'],
    });
    // kube-scheduler takes n9, which is not known and wanted least, as zero.
    const scores = body as { Host: string; Score: number }[];
    expect(scores.map(({ Host }) => Host)).toEqual(['n1', 'n2']);
    expect(scores.every(({ Score }) => Number.isInteger(Score) && Score > 0 && Score < 10)).toBe(true);
    expect(scores[1]?.Score).toBeGreaterThan(scores[0]?.Score ?? 10);
  });

  test('evicts no pod for a pod with a reservation or one that may just be planned', async () => {
    reserve('planned');
    const victims = { n1: { Pods: [{ UID: 'low' }], NumPDBViolations: 0 } };
    const none = { NodeNameToMetaVictims: {} };
    for (const name of ['planned', 'new']) {
      const creationTimestamp = new Date(world.clock.now()).toISOString();
      const Pod = wirePod(name, '1', { creationTimestamp });
      expect((await world.call('preempt', { Pod, NodeNameToMetaVictims: victims })).body).toEqual(none);
    }
  });

  test('drops nodes whose room is reserved even without the victims, and answers UIDs', async () => {
    const low = { name: 'low', uid: 'low', nodeName: 'n1', requests: { cpu: '1' } };
    world.cluster.put('Pod', observedPod(low));
    world.cluster.put('Pod', observedPod({ ...low, name: 'low2', uid: 'low2', nodeName: 'n2' }));
    reserve('planned', 'n1');
    const old = { creationTimestamp: new Date(world.clock.now() - 60_000).toISOString() };
    const whole = (uid: string): object => ({
      Pods: [{ metadata: { uid, name: uid } }],
      NumPDBViolations: 1,
    });
    const Pod = wirePod('high', '2', old);
    const { body } = await world.call('preempt', {
      Pod,
      NodeNameToVictims: { n1: whole('low'), n2: whole('low2') },
    });
    expect(body).toEqual({
      NodeNameToMetaVictims: { n2: { Pods: [{ UID: 'low2' }], NumPDBViolations: 1 } },
    });
  });

  test.each([
    ['ExtenderArgs is a list; it must be an object', []],
    ['Pod is missing; it must be an object', { NodeNames: [] }],
    ['NodeNames and Nodes are both missing', { Pod: {} }],
    ['NodeNames is 5; it must be a list', { Pod: {}, NodeNames: 5 }],
    ['NodeNames[1] is 7; it must be a non-empty string', { Pod: {}, NodeNames: ['a', 7] }],
    [
      'NodeNames[0] is a string of 5000 characters; it must be a non-empty string of at most 253 characters',
      { Pod: {}, NodeNames: ['x'.repeat(5000)] },
    ],
    ['Nodes.items[0].metadata is missing', { Pod: {}, Nodes: { items: [{}] } }],
    ['Pod.metadata is missing', { Pod: {}, NodeNames: ['a'] }],
    ['Pod.metadata.uid is missing', { Pod: { metadata: { name: 'x' } }, NodeNames: ['a'] }],
    ['Pod cannot be read', { Pod: { metadata: { uid: 'x' } }, NodeNames: ['a'] }],
  ])('says what is wrong: %s', async (message, body) => {
    const answer = await world.call('filter', body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(message);
    expect(world.outcomes).toEqual(['filter invalid']);
  });
});

describe('extenderRouter without anything to judge by', () => {
  const body = { Pod: wirePod('planned'), NodeNames: ['n1', 'n2'] };
  const all = { NodeNames: ['n1', 'n2'], FailedNodes: {}, FailedAndUnresolvableNodes: {} };

  function reserveElsewhere(world: ExtenderWorld): void {
    world.cluster.put('Reservation', reservation({ entries: [reservationEntry({ podUID: 'planned' })] }));
  }

  test('lets everything pass until all kinds have been listed', async () => {
    const world = await ExtenderWorld.start({}, false);
    reserveElsewhere(world);
    expect((await world.call('filter', body)).body).toEqual(all);
    world.sync();
    expect((await world.call('filter', body)).body).toMatchObject({ NodeNames: [] });
    expect(world.passes).toEqual(['not-synced']);
    await world.stop();
  });

  test('lets everything pass, for every verb, while there is no sign of the leader', async () => {
    const world = await ExtenderWorld.start();
    reserveElsewhere(world);
    world.clock.freeze(30_001);
    const victims = { n1: { Pods: [{ UID: 'low' }], NumPDBViolations: 2 } };
    expect((await world.call('filter', body)).body).toEqual(all);
    expect((await world.call('prioritize', body)).body).toEqual([]);
    const preempted = await world.call('preempt', { Pod: body.Pod, NodeNameToMetaVictims: victims });
    expect(preempted.body).toEqual({ NodeNameToMetaVictims: victims });
    expect(world.passes).toEqual(['stale-leader', 'stale-leader', 'stale-leader']);
    world.renewLease();
    expect((await world.call('filter', body)).body).toMatchObject({ NodeNames: [] });
    await world.stop();
  });

  test('takes a renewal that it sees as one, whatever the clock of the leader says', async () => {
    const world = await ExtenderWorld.start();
    reserveElsewhere(world);
    world.renewLease(world.clock.now() - 600_000);
    expect((await world.call('filter', body)).body).toEqual(all);
    world.renewLease(world.clock.now() - 590_000);
    expect((await world.call('filter', body)).body).toMatchObject({ NodeNames: [] });
    await world.stop();
  });

  test('lets everything pass when it breaks, and says so in its log', async () => {
    const world = await ExtenderWorld.start();
    world.ledger.expire = () => {
      throw new Error('broken');
    };
    expect((await world.call('filter', body)).body).toEqual(all);
    expect(world.passes).toEqual(['error']);
    expect(world.outcomes).toEqual(['filter passed']);
    expect(JSON.stringify(world.log.lines)).toContain('allowed all nodes');
    await world.stop();
  });

  test('lets everything pass when more is asked at once than it takes', async () => {
    const world = await ExtenderWorld.start({ maxInFlight: 0 });
    reserveElsewhere(world);
    expect((await world.call('filter', body)).body).toEqual(all);
    expect(world.passes).toEqual(['overload']);
    await world.stop();
  });
});
