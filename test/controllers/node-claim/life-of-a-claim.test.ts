/** Claims from creation to Ready, as the controller leads them: launch, registration, initialization, liveness. */
import { Catalogue } from '../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import {
  DISRUPTED_TAINT,
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
  type LaunchStatus,
} from '../../../src/domain/nodes/node-claim.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  NODECLAIM_TAG,
  NODEPOOL_TAG,
  type Cloud,
} from '../../../src/ports/cloud.js';
import { nodeClaim, nodeClaimSpec } from '../../support/builders/node-claim.js';
import { amounts } from '../../support/builders/pod.js';
import { taint } from '../../support/builders/constraints.js';
import { mortalPorts, type Death, type MortalPorts } from './mortal-ports.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { ClaimWorld, CLUSTER_UID, TYPES } from './claim-world.js';

/** What a user sees with kubectl. */
function conditionsOf(world: ClaimWorld, name: string): readonly string[] {
  return (world.claim(name)?.status.conditions ?? []).map(({ type, status }) => `${type}=${status}`);
}

const EU_WEST_3 = catalogueFor('eu-west-3');

function offeringsOf({ request }: LaunchStatus): readonly string[] {
  return request.overrides.map(({ instanceType, zone }) => `${instanceType} in ${zone}`);
}

async function launchTwo(world: ClaimWorld, death: Death | undefined): Promise<MortalPorts> {
  const ports = mortalPorts(world, death);
  world.start(ports);
  await world.launchGroup(['general-1', 'general-2']);
  await world.seconds(5);
  return ports;
}

/** The world's cloud, which takes three seconds to settle what will be asked for. */
function slowToPrepare({ cloud, clock }: ClaimWorld): Cloud {
  return {
    repairPolicies: cloud.repairPolicies,
    resolveNodeClass: (source, signal) => cloud.resolveNodeClass(source, signal),
    prepareLaunch: async (intent, signal) => {
      await clock.sleep(3000);
      return cloud.prepareLaunch(intent, signal);
    },
    launch: (call, signal) => cloud.launch(call, signal),
    instances: (tags, signal) => cloud.instances(tags, signal),
    tagInstances: (ids, tags, signal) => cloud.tagInstances(ids, tags, signal),
    terminate: (ids, signal) => cloud.terminate(ids, signal),
    reboot: (id, operation, signal) => cloud.reboot(id, operation, signal),
  };
}

describe('a claim that a user created, without a finalizer', () => {
  async function byHand(world: ClaimWorld): Promise<void> {
    world.kube.objects.put('NodeClaim', nodeClaim({ name: 'by-hand', finalizers: [], spec: handMade() }));
    await world.seconds(20);
  }

  const handMade = () =>
    nodeClaimSpec({ requirements: [requirement('node.kubernetes.io/instance-type', 'In', TYPES)] });

  test('gets the finalizer before anything is launched, and becomes a ready node without a reservation', async () => {
    const world = new ClaimWorld();
    world.kube.fail({ method: 'holdNodeClaim', code: 'Unavailable' });
    world.start();
    await byHand(world);
    expect(world.claim('by-hand')?.finalizers).toEqual([TERMINATION_FINALIZER]);
    expect(world.kube.writes[0]).toEqual({ method: 'holdNodeClaim', name: 'by-hand' });
    expect(conditionsOf(world, 'by-hand')).toContain('Ready=True');
    expect(world.nodeOf('by-hand')?.taints).not.toContainEqual(UNREGISTERED_TAINT);
  });

  test('takes its instance and its node with it when it is deleted', async () => {
    const world = new ClaimWorld();
    world.start();
    await byHand(world);
    const claim = world.claim('by-hand');
    if (claim !== undefined) await world.kube.deleteNodeClaim(claim);
    await world.seconds(60);
    expect([world.claims(), world.nodes(), world.liveInstances()]).toEqual([[], [], []]);
    expect(world.reasons()).not.toContain('OrphanedInstance');
  });

  test('is given up when its instance never becomes a node', async () => {
    const world = new ClaimWorld();
    for (const type of TYPES) world.deaf.add(type);
    world.start();
    await byHand(world);
    await world.seconds(1000);
    expect(world.claims()).toEqual([]);
    expect(world.reasons()).toContain('RegistrationTimeout');
  });
});

describe('launch', () => {
  test('a claim becomes a ready node', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(20);
    expect(conditionsOf(world, 'general-1')).toEqual([
      'Launched=True',
      'Ready=True',
      'Registered=True',
      'Initialized=True',
      'ConsistentStateFound=True',
    ]);
    expect(world.reasons()).toEqual(['Launched', 'Registered', 'Initialized']);
  });

  test('a node that has less than its instance type promises is used, and its claim says so', async () => {
    const world = new ClaimWorld();
    world.shareOfCapacity = 0.8;
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(20);
    expect(conditionsOf(world, 'general-1')).toEqual(
      expect.arrayContaining(['Ready=True', 'ConsistentStateFound=False']),
    );
    expect(world.reasons()).toContain('FailedConsistencyCheck');
  });

  test('the launch stands on every claim of the group before the cloud is called', async () => {
    const rehearsal = new ClaimWorld();
    const { calls } = await launchTwo(rehearsal, undefined);
    const world = new ClaimWorld();
    await launchTwo(world, { atCall: calls.indexOf('launch') + 1, when: 'before' });
    expect(world.cloud.fleet()).toEqual([]);
    const [first, second] = world.claims().map(({ status }) => status.launch);
    expect(first).toMatchObject({
      attempt: 1,
      answeredAt: undefined,
      request: { size: 2, capacityType: 'spot' },
    });
    expect(second).toEqual({ ...first, requestKeptBy: 'general-1' });
    expect(rehearsal.claim('general-1')?.status.launch?.request).toEqual(first?.request);
  });

  test('one call buys the instances of a group, and they are given and tagged in sorted order', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-3', 'general-1', 'general-2']);
    await world.seconds(1);
    const instances = [...world.cloud.fleet()].sort((left, right) => (left.id < right.id ? -1 : 1));
    expect(instances.map(({ tags }) => tags.get(NODECLAIM_TAG))).toEqual([
      'general-1',
      'general-2',
      'general-3',
    ]);
    expect(instances.map(({ providerID }) => providerID)).toEqual(
      ['general-1', 'general-2', 'general-3'].map((name) => world.claim(name)?.status.providerID),
    );
    expect(Object.fromEntries(instances[0]?.tags ?? [])).toEqual({
      [CLUSTER_TAG]: CLUSTER_UID,
      [NODEPOOL_TAG]: 'general',
      [LAUNCH_GROUP_TAG]: 'group-1',
      [NODECLAIM_TAG]: 'general-1',
      'kubernetes.io/cluster/test': 'owned',
      Name: 'general-1',
    });
    const { launch } = world.claim('general-1')?.status ?? {};
    expect(launch?.request.size).toBe(3);
    expect(launch?.token).toMatch(/^[0-9a-f]{64}$/);
  });

  test('spot comes first, on-demand when there is no spot', async () => {
    const world = new ClaimWorld();
    world.cloud.stock.set({ capacityType: 'spot' }, 0);
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(1);
    const { status } = world.claim('general-1') ?? {};
    expect(status?.capacityType).toBe('on-demand');
    expect(status?.launch?.attempt).toBe(2);
  });

  test('claims that a partial answer leaves without go on with what is left', async () => {
    const world = new ClaimWorld({ stock: 0 });
    world.cloud.stock.set({ instanceType: 'm5.large', zone: 'eu-west-3b', capacityType: 'spot' }, 1);
    world.cloud.stock.set({ instanceType: 'm6a.large', zone: 'eu-west-3c', capacityType: 'on-demand' }, 9);
    const berth = world.start();
    await world.launchGroup(['general-1', 'general-2', 'general-3']);
    await world.seconds(1);
    const had = ['general-1', 'general-2', 'general-3'].map((name) => {
      const { status } = world.claim(name) ?? {};
      return `${status?.instanceType ?? ''} ${status?.capacityType ?? ''} ${String(status?.launch?.attempt)} of ${String(status?.launch?.request.size)}`;
    });
    expect(had).toEqual(['m5.large spot 1 of 3', 'm6a.large on-demand 2 of 2', 'm6a.large on-demand 2 of 2']);
    expect(world.cloud.fleet()).toHaveLength(3);
    expect(await berth.metrics.launchFailures.get()).toMatchObject({
      values: [{ labels: { code: 'InsufficientInstanceCapacity' }, value: expect.any(Number) as number }],
    });
  });

  test('a claim for which no offering is available is deleted at once, with the reason', async () => {
    const world = new ClaimWorld({ stock: 0 });
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(1);
    expect(world.claims()).toEqual([]);
    expect(world.told.decisions).toMatchObject([
      {
        action: 'Launch',
        reason: 'InsufficientCapacity',
        event: { type: 'Warning', reason: 'InsufficientCapacityError' },
        message: expect.stringContaining('InsufficientInstanceCapacity (9 offerings)') as string,
      },
    ]);
  });

  test.each(['throttled', 'unavailable', 'timed-out', 'answer-lost'] as const)(
    'a call that is %s is made again with the same words',
    async (kind) => {
      const world = new ClaimWorld();
      world.cloud.faults.next('launch', { kind }, 3);
      world.start();
      await world.launchGroup(['general-1']);
      await world.seconds(30);
      expect(world.claim('general-1')?.status.launch?.attempt).toBe(1);
      expect(world.cloud.fleet()).toHaveLength(1);
    },
  );

  test('when the words have changed, what the first call launched is found by its tag', async () => {
    const world = new ClaimWorld({ consistencyMillis: 20_000 });
    world.cloud.faults.next('launch', { kind: 'answer-lost' });
    const berth = world.start();
    await world.launchGroup(['general-1']);
    await world.clock.advance(50);
    berth.kill();
    const claim = world.claim('general-1');
    expect(claim?.status.launch?.answeredAt).toBeUndefined();
    if (claim) world.kube.objects.put('NodeClaim', { ...claim, labels: new Map([['team', 'other']]) });
    world.start();
    await world.seconds(60);
    expect(world.cloud.fleet()).toHaveLength(1);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
  });

  test('the whole request stands on the claims until they have instances, and then what was launched and what came first', async () => {
    const sizes = ['large', 'xlarge', '2xlarge', '4xlarge'];
    const names = ['m6i', 'm5'].flatMap((family) => sizes.map((size) => `${family}.${size}`));
    const catalogue = new Catalogue({
      region: EU_WEST_3.region,
      entries: EU_WEST_3.entries.filter(({ facts }) => names.includes(facts.name)),
    });
    const world = new ClaimWorld({ catalogue, stock: 0 });
    const asked: (readonly string[])[] = [];
    world.start().cluster.nodeClaims.subscribe(({ after }) => {
      const launch = after?.status.launch;
      if (launch === undefined || asked.length > 0) return;
      asked.push(offeringsOf(launch));
      // Only the last of them is there.
      const last = launch.request.overrides.at(-1);
      if (last !== undefined) world.cloud.stock.set({ instanceType: last.instanceType, zone: last.zone }, 1);
    });
    await world.launchGroup(['general-1'], {
      requirements: [
        requirement('node.kubernetes.io/instance-type', 'In', names),
        requirement('karpenter.sh/capacity-type', 'In', ['on-demand']),
      ],
    });
    await world.seconds(30);
    const [whole = []] = asked;
    expect(whole).toHaveLength(24);
    const { launch, providerID } = world.claim('general-1')?.status ?? {};
    expect(providerID).toBeDefined();
    expect(launch && offeringsOf(launch)).toEqual([...whole.slice(0, 12), whole.at(-1)]);
  });

  test('a claim is launched only when room is held on it, and goes when that does not happen', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.createClaim('general-1', {}, { [LAUNCH_GROUP_ANNOTATION]: 'a' });
    await world.createClaim('general-2', {}, { [LAUNCH_GROUP_ANNOTATION]: 'b' });
    await world.seconds(20);
    expect(world.cloud.fleet()).toEqual([]);
    await world.reserve('general-2');
    await world.seconds(20);
    expect(world.claims().map(({ name }) => name)).toEqual(['general-2']);
    expect(world.cloud.fleet()).toHaveLength(1);
    expect(world.reasons()).toContain('NoReservation');
  });

  test('a claim on which room is held while the rest of its group is being launched gets an instance, too', async () => {
    const world = new ClaimWorld();
    world.start({ cloud: slowToPrepare(world) });
    const grouped = { [LAUNCH_GROUP_ANNOTATION]: 'group-1', [LAUNCH_GROUP_SIZE_ANNOTATION]: '3' };
    for (const name of ['a', 'b', 'c']) await world.createClaim(name, {}, grouped);
    await world.reserve('a');
    await world.reserve('b');
    await world.seconds(6);
    await world.reserve('c');
    await world.seconds(20);
    expect(world.claims().map(({ name, status }) => [name, status.providerID !== undefined])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
    expect(world.liveInstances()).toHaveLength(3);
  });

  test('nothing is bought for a claim that was deleted before its launch', async () => {
    const world = new ClaimWorld();
    world.start();
    const claim = await world.createClaim('general-1', {}, { [LAUNCH_GROUP_ANNOTATION]: 'a' });
    await world.kube.deleteNodeClaim(claim);
    await world.seconds(5);
    expect(world.claims()).toEqual([]);
    expect(world.cloud.fleet()).toEqual([]);
  });

  test('a claim whose node class is unknown says so, and is given up after 15 seconds', async () => {
    const world = new ClaimWorld();
    world.start();
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'gone' };
    await world.launchGroup(['general-1'], { nodeClassRef });
    await world.seconds(14);
    expect(world.reasons()).toContain('NodeClassNotReady');
    expect(world.claims()).toHaveLength(1);
    await world.seconds(10);
    expect(world.claims()).toEqual([]);
    expect(world.reasons()).toContain('LaunchFailed');
  });

  test('a claim that the cloud has no answer for is given up after five minutes', async () => {
    const world = new ClaimWorld();
    world.cloud.faults.next('launch', { kind: 'unavailable' }, 1000);
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(290);
    expect(world.claims()).toHaveLength(1);
    await world.seconds(90);
    expect(world.claims()).toEqual([]);
    expect(world.reasons()).toContain('LaunchTimeout');
  });

  test('what a lost answer bought is taken away with the claim, and nothing else is bought for it', async () => {
    const world = new ClaimWorld({ consistencyMillis: 20_000 });
    world.cloud.faults.next('launch', { kind: 'answer-lost' });
    const berth = world.start();
    await world.launchGroup(['general-1']);
    await world.clock.advance(50);
    berth.kill();
    const claim = world.claim('general-1');
    if (claim) await world.kube.deleteNodeClaim(claim);
    world.start();
    await world.seconds(15);
    expect(world.claims()).toHaveLength(1);
    await world.seconds(100);
    expect(world.claims()).toEqual([]);
    expect(world.cloud.fleet().map(({ state }) => state)).toEqual(['terminated']);
  });

  test('a launch that never happened keeps a deleted claim for no longer than the cloud may lag', async () => {
    const world = new ClaimWorld();
    world.cloud.faults.next('launch', { kind: 'timed-out' });
    const berth = world.start();
    await world.launchGroup(['general-1']);
    await world.clock.advance(50);
    berth.kill();
    const claim = world.claim('general-1');
    if (claim) await world.kube.deleteNodeClaim(claim);
    world.start();
    await world.seconds(70);
    expect(world.claims()).toEqual([]);
    expect(world.cloud.fleet()).toEqual([]);
  });
});

describe('registration', () => {
  test('the node gets what the claim says, is hinted, and loses the taint last', async () => {
    const world = new ClaimWorld();
    world.registrationTaints = () => [UNREGISTERED_TAINT];
    world.start();
    await world.launchGroup(['general-1'], {
      taints: [taint('dedicated', 'web')],
      startupTaints: [taint('cni', 'starting')],
    });
    await world.seconds(20);
    const node = world.nodeOf('general-1');
    expect(node?.taints).toEqual([taint('dedicated', 'web'), taint('cni', 'starting')]);
    expect(node?.finalizers).toEqual([TERMINATION_FINALIZER]);
    expect(Object.fromEntries(node?.labels ?? [])).toMatchObject({
      team: 'web',
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/registered': 'true',
      'eks-node-viewer/instance-price': expect.stringMatching(/^0\.\d+$/) as string,
      'karpenter.k8s.aws/instance-cpu': '2',
      'kubernetes.io/arch': 'amd64',
    });
    expect(node?.annotations.size).toBe(0);
    expect(world.nominated).toEqual([`general-1 on ${node?.name ?? ''}`]);
    expect(world.claim('general-1')?.status.nodeName).toBe(node?.name);
  });

  test('pods are hinted while the taint still keeps others away', async () => {
    const world = new ClaimWorld();
    const berth = world.start();
    let taintsWhenHinted: unknown;
    const push = world.nominated.push.bind(world.nominated);
    world.nominated.push = (...items) => {
      taintsWhenHinted = world.nodes()[0]?.taints;
      return push(...items);
    };
    await world.launchGroup(['general-1']);
    await world.seconds(20);
    expect(taintsWhenHinted).toEqual([UNREGISTERED_TAINT]);
    expect(berth.cluster.nodeOfClaim('general-1')?.taints).toEqual([]);
  });

  test('a node is opened for its pods by the first request about it', async () => {
    const world = new ClaimWorld();
    const { cluster } = world.start();
    const states: string[] = [];
    cluster.nodes.subscribe(({ after }) => {
      const isMarked = after?.labels.get('karpenter.sh/registered') === 'true';
      states.push(`${isMarked ? 'marked' : 'new'}, ${after?.taints.length === 0 ? 'open' : 'closed'}`);
    });
    await world.launchGroup(['general-1']);
    await world.seconds(20);
    expect(states[0]).toBe('new, closed');
    expect(states).not.toContain('marked, closed');
    expect(states).toContain('marked, open');
  });

  test('a node is held for its pods from before others may come, if that is wanted', async () => {
    const world = new ClaimWorld({ taintNewNodes: true });
    world.start();
    await world.launchGroup(['general-1']);
    await world.clock.advance(7000);
    const claim = world.claim('general-1');
    const hold = { key: 'berth.sh/held', value: claim?.uid, effect: 'NoSchedule' };
    expect(world.nodeOf('general-1')?.taints).toContainEqual(hold);
    await world.seconds(10);
    expect(world.nodeOf('general-1')?.taints).toEqual([hold]);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
  });

  test('a node is not held whose devices a DaemonSet has to bring, nor one that nothing is planned on', async () => {
    const world = new ClaimWorld({ taintNewNodes: true });
    world.start();
    await world.launchGroup(['general-1'], {
      requests: amounts({ cpu: '1', 'vpc.amazonaws.com/pod-eni': '1' }),
    });
    const requirements = [requirement('node.kubernetes.io/instance-type', 'In', TYPES)];
    world.kube.objects.put(
      'NodeClaim',
      nodeClaim({ name: 'by-hand', finalizers: [], spec: nodeClaimSpec({ requirements }) }),
    );
    await world.seconds(20);
    expect(world.nodes().map(({ taints }) => taints)).toEqual([[], []]);
  });

  test('a node that comes without the taint is taken all the same, with a warning', async () => {
    const world = new ClaimWorld();
    world.registrationTaints = () => [];
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(20);
    expect(world.told.decisions.filter(({ reason }) => reason === 'UnregisteredTaintMissing')).toMatchObject([
      { event: { type: 'Warning', reason: 'UnregisteredTaintMissing' } },
    ]);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
  });

  test('a start-up taint that its owner took away does not come back', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1'], { startupTaints: [taint('cni', 'starting')] });
    await world.clock.advance(7000);
    const node = world.nodeOf('general-1');
    expect(node?.taints).toContainEqual(taint('cni', 'starting'));
    if (node)
      world.kube.objects.put('Node', { ...node, taints: node.taints.filter(({ key }) => key !== 'cni') });
    await world.seconds(10);
    expect(world.nodeOf('general-1')?.taints).toEqual([]);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
  });

  test('an instance that never joins is ended after a quarter of an hour', async () => {
    const world = new ClaimWorld();
    for (const type of TYPES) world.deaf.add(type);
    world.start();
    await world.launchGroup(['general-1']);
    await world.seconds(890);
    expect(world.liveInstances()).toHaveLength(1);
    await world.seconds(60);
    expect(world.liveInstances()).toEqual([]);
    expect(world.claims()).toEqual([]);
    expect(world.reasons()).toContain('RegistrationTimeout');
  });
});

describe('initialization', () => {
  /** A world whose nodes join and are never Ready. */
  async function neverReadyWorld(): Promise<ClaimWorld> {
    const world = new ClaimWorld();
    for (const type of TYPES) world.neverReady.add(type);
    world.start();
    await world.launchGroup(['general-1']);
    return world;
  }

  test('a node that is never Ready is ended a quarter of an hour after it registered', async () => {
    const world = await neverReadyWorld();
    await world.seconds(890);
    expect(world.liveInstances()).toHaveLength(1);
    await world.seconds(60);
    expect([world.liveInstances(), world.claims(), world.nodes()]).toEqual([[], [], []]);
    expect(world.reasons()).toContain('InitializationTimeout');
  });

  test('a quarter of an hour begins anew when the node was Ready for a moment', async () => {
    const world = await neverReadyWorld();
    await world.seconds(600);
    const node = world.nodeOf('general-1');
    if (node) world.kube.objects.put('Node', { ...node, readySince: world.clock.now() });
    await world.seconds(800);
    expect(world.liveInstances()).toHaveLength(1);
    await world.seconds(120);
    expect(world.liveInstances()).toEqual([]);
  });

  test('a node that is never Ready stays as long as pods are on it that would have to move', async () => {
    const world = await neverReadyWorld();
    await world.seconds(60);
    const nodeName = world.nodeOf('general-1')?.name;
    world.kube.objects.put('Pod', observedPod({ name: 'web', nodeName }));
    const owner = { kind: 'DaemonSet', name: 'agent' };
    world.kube.objects.put('Pod', observedPod({ name: 'agent', nodeName, owner }));
    await world.seconds(2000);
    expect(world.liveInstances()).toHaveLength(1);
    world.kube.objects.remove('Pod', 'default/web');
    await world.seconds(120);
    expect(world.liveInstances()).toEqual([]);
  });

  test('a node that is Ready may wait for its start-up taints as long as they take', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1'], { startupTaints: [taint('cni', 'starting')] });
    await world.seconds(4000);
    expect(world.liveInstances()).toHaveLength(1);
  });

  test('waits for the start-up taints to go', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1'], { startupTaints: [taint('cni', 'starting')] });
    await world.seconds(30);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=False');
    const node = world.nodeOf('general-1');
    if (node) world.kube.objects.put('Node', { ...node, taints: [] });
    await world.seconds(1);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
    expect(world.nodeOf('general-1')?.labels.get('karpenter.sh/initialized')).toBe('true');
  });

  test('waits for extended resources that its pods ask for', async () => {
    const world = new ClaimWorld();
    world.start();
    const requests = amounts({ cpu: '1', 'vpc.amazonaws.com/pod-eni': '1' });
    await world.launchGroup(['general-1'], { requests });
    await world.clock.advance(7500);
    const node = world.nodeOf('general-1');
    const allocatable = new Map(node?.allocatable);
    const advertised = allocatable.get('vpc.amazonaws.com/pod-eni');
    allocatable.set('vpc.amazonaws.com/pod-eni', 0);
    if (node) world.kube.objects.put('Node', { ...node, allocatable });
    await world.seconds(30);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=False');
    allocatable.set('vpc.amazonaws.com/pod-eni', advertised ?? 1);
    const current = world.nodeOf('general-1');
    if (current) world.kube.objects.put('Node', { ...current, allocatable });
    await world.seconds(1);
    expect(conditionsOf(world, 'general-1')).toContain('Ready=True');
  });

  test('takes the node at its word about what it has', async () => {
    const world = new ClaimWorld();
    world.start();
    await world.launchGroup(['general-1'], {
      requirements: [requirement('node.kubernetes.io/instance-type', 'In', ['m5.large'])],
    });
    await world.seconds(20);
    const { status } = world.claim('general-1') ?? {};
    expect(status?.allocatable).toEqual(world.nodeOf('general-1')?.allocatable);
    expect(world.nodeOf('general-1')?.taints).not.toContainEqual(DISRUPTED_TAINT);
  });
});
