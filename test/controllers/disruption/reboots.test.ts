import { instanceID, type NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import { DisruptionWorld } from './disruption-world.js';

const TEMPLATE = {
  requirements: [],
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
};
const BIG = { requests: { cpu: '3500m' } };
const BAD_DISK = { conditionType: 'DiskHealthy', conditionStatus: 'False' };
const BOUND_SECONDS = 90;
const POLICY = {
  ...BAD_DISK,
  tolerationDuration: '1m',
  terminationGracePeriod: `${String(BOUND_SECONDS)}s`,
  action: 'Reboot',
};

/** A pool whose nodes are rebooted, with so many nodes. */
async function rebootingWorld(nodes: number, budget = '100%'): Promise<DisruptionWorld> {
  const world = new DisruptionWorld();
  const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: budget }] };
  const repair = { mostUnhealthy: '100%', policies: [POLICY] };
  world.policies({ template: { spec: TEMPLATE }, disruption }, { repair });
  world.start();
  world.deploy('web', nodes, BIG);
  expect(await world.until(() => world.claimsWith('Initialized').length === nodes)).toBeLessThan(60);
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(30);
  return world;
}

function sicken(world: DisruptionWorld, claims: readonly (NodeClaim | undefined)[]): void {
  for (const claim of claims) {
    const node = world.objects.get('Node', claim?.status.nodeName ?? '');
    if (node === undefined) throw new Error('the claim has no node');
    const bad = { type: 'DiskHealthy', status: 'False', reason: 'Slow', since: world.clock.now() } as const;
    world.objects.put('Node', { ...node, conditions: [bad] });
  }
}

/** Status and reason of a condition. */
function condition(claim: NodeClaim | undefined, type: string): string {
  const found = claim?.status.conditions.find((each) => each.type === type);
  return found === undefined ? '' : `${found.status} ${found.reason}`;
}

function results({ status: { reboots = [] } }: NodeClaim): readonly (string | undefined)[] {
  return reboots.map(({ result }) => result);
}

async function metric(world: DisruptionWorld, name: string): Promise<string> {
  return world.metrics.registry.getSingleMetricAsString(name);
}

describe('a node for whose condition the policy says Reboot', () => {
  test('is drained, rebooted with its instance and NodeClaim kept, and takes its pods again', async () => {
    const world = await rebootingWorld(1);
    const [old] = world.claims();
    const claim = (): NodeClaim | undefined => world.claim(old?.name ?? '');
    sicken(world, [old]);
    expect(await world.until(() => condition(claim(), 'Rebooting') === 'True RebootRequested')).toBeLessThan(
      100,
    );
    expect(
      await world.until(
        () => world.nodes()[0]?.taints.some(({ key }) => key === 'karpenter.sh/rebooting') === true,
      ),
    ).toBeLessThan(10);
    expect(await world.until(() => condition(claim(), 'Rebooting') === 'True RebootIssued')).toBeLessThan(30);
    expect(condition(claim(), 'Initialized')).toBe('Unknown Rebooting');
    expect(world.pods('web').map(({ nodeName }) => nodeName)).toEqual([undefined]);
    await world.pass(2);
    expect(world.nodes()[0]?.labels.get('karpenter.sh/initialized')).toBeUndefined();
    expect(await world.until(() => condition(claim(), 'Rebooting') === 'False RebootSucceeded')).toBeLessThan(
      30,
    );
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(60);
    expect(world.claims().map(({ name }) => name)).toEqual([old?.name]);
    expect(claim()?.status.providerID).toBe(old?.status.providerID);
    expect(condition(claim(), 'Initialized')).toBe('True Initialized');
    expect(world.nodes()[0]?.taints).toEqual([]);
    expect(world.instances.cloud.reboots).toHaveLength(1);
    expect(world.reasons()).toEqual(expect.arrayContaining(['RebootRequested', 'RebootObserved']));
    expect(await metric(world, 'karpenter_nodes_reboots_total')).toContain('{result="succeeded"} 1');
    expect(await metric(world, 'karpenter_voluntary_disruption_decisions_total')).toContain(
      'decision="reboot",reason="unhealthy"',
    );
    await world.rest(300);
    expect(results(claim() ?? neverThere())).toEqual(['succeeded']);
  });

  test('has its pods run where there is room at once', async () => {
    const world = await rebootingWorld(1);
    world.deploy('small', 1, { requests: { cpu: '500m' } });
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(90);
    world.scale('web', 2);
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(90);
    const claims = world.claims().length;
    const [small] = world.pods('small');
    const old = world.claims().find(({ status }) => status.nodeName === small?.nodeName);
    world.instances.bootsAgain = false;
    world.scale('web', 1);
    await world.pass(5);
    const free = world.claims().filter(({ name }) => name !== old?.name);
    expect(free.length).toBeGreaterThan(0);
    sicken(world, [old]);
    await world.until(() => world.instances.cloud.reboots.length > 0);
    await world.pass(60);
    const place = world.pods('small').map(({ nodeName }) => nodeName);
    expect(place).not.toContain(undefined);
    expect(place).not.toContain(old?.status.nodeName);
    expect(world.claims()).toHaveLength(claims);
  });

  test('is forgotten with its claim: what was told of its drain is told again of one that comes again', async () => {
    const world = await rebootingWorld(1);
    const { cluster } = world.restart();
    world.kube.protectedPods.add(podKey(world.pods('web')[0] ?? neverThere()));
    sicken(world, world.claims());
    const told = (): number => world.reasons().filter((reason) => reason === 'FailedDraining').length;
    await world.until(() => told() === 1);
    await world.pass(20);
    expect(told()).toBe(1);
    const claim = world.claims()[0] ?? neverThere();
    // As when etcd is restored from a backup, after so long that nobody knows its uid any more.
    cluster.nodeClaims.adopt(claim.name, undefined);
    cluster.nodeClaims.adopt(claim.name, claim);
    await world.pass(20);
    expect(told()).toBe(2);
  });

  test('keeps pods that may not be evicted until the bound of the policy, and none of them is deleted', async () => {
    const world = await rebootingWorld(1);
    const [pod] = world.pods('web');
    world.kube.protectedPods.add(podKey(pod ?? neverThere()));
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => condition(world.claims()[0], 'Rebooting') === 'True RebootRequested');
    const seconds = await world.until(() => world.instances.cloud.reboots.length > 0);
    expect(seconds).toBeGreaterThan(BOUND_SECONDS - 5);
    expect(seconds).toBeLessThan(BOUND_SECONDS + 15);
    expect(
      await world.until(() => condition(world.claims()[0], 'Rebooting') === 'False RebootSucceeded'),
    ).toBeLessThan(60);
    expect(world.pods('web').map(({ uid, terminating }) => [uid, terminating])).toEqual([[pod?.uid, false]]);
  });

  test('is replaced when it does not come back within twenty minutes', async () => {
    const world = await rebootingWorld(1);
    world.instances.bootsAgain = false;
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => world.instances.cloud.reboots.length > 0);
    await world.rest(1190);
    expect(world.claim(old?.name ?? '')?.status.disruption).toBeUndefined();
    await world.until(() => world.claim(old?.name ?? '')?.status.disruption !== undefined);
    const failed = world.claim(old?.name ?? '');
    expect(condition(failed, 'Rebooting')).toBe('False RebootFailed');
    expect(results(failed ?? neverThere())).toEqual(['recovery_timeout']);
    expect(failed?.status.disruption).toMatchObject({
      reason: 'Unhealthy',
      terminationGracePeriodSeconds: BOUND_SECONDS,
    });
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
    expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(60);
    expect(world.instances.cloud.reboots).toHaveLength(1);
    expect(await metric(world, 'karpenter_nodes_reboots_total')).toContain('{result="recovery_timeout"} 1');
  });

  test('is replaced for the third time within 24 hours, whichever replica leads', async () => {
    const world = await rebootingWorld(1);
    world.instances.rebootsCure = false;
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => world.instances.cloud.reboots.length === 1);
    await world.until(() => results(world.claims()[0] ?? neverThere()).at(-1) === 'succeeded');
    world.restart();
    await world.until(() => world.instances.cloud.reboots.length === 2);
    await world.until(() => results(world.claims()[0] ?? neverThere()).at(-1) === 'succeeded');
    world.restart();
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(400);
    expect(world.instances.cloud.reboots).toHaveLength(2);
    const replaced = world.told.decisions.findLast(({ reason }) => reason === 'Unhealthy');
    expect(replaced?.message).toContain('rebooted 2 times before');
  });

  test('is replaced at once when the permission to reboot is missing', async () => {
    const world = await rebootingWorld(1);
    world.instances.cloud.faults.next('reboot', { kind: 'forbidden' });
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => world.reasons().includes('RebootFailed'));
    expect(results(world.claim(old?.name ?? '') ?? neverThere())).toEqual(['provider_error']);
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(240);
  });

  test('is asked for again for five minutes while the cloud does not accept, then replaced', async () => {
    const world = await rebootingWorld(1);
    world.instances.cloud.faults.next('reboot', { kind: 'unavailable' }, 1000);
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => world.claims()[0]?.status.reboots?.[0]?.askedAt !== undefined);
    const seconds = await world.until(() => world.reasons().includes('RebootFailed'));
    expect(seconds).toBeGreaterThan(290);
    expect(seconds).toBeLessThan(320);
  });

  test('is not rebooted twice when the answer was lost and another replica leads since', async () => {
    const world = await rebootingWorld(1);
    world.instances.cloud.faults.next('reboot', { kind: 'answer-lost' });
    sicken(world, world.claims());
    await world.until(() => world.instances.cloud.reboots.length === 1);
    world.restart();
    expect(
      await world.until(() => results(world.claims()[0] ?? neverThere()).at(-1) === 'succeeded'),
    ).toBeLessThan(60);
    expect(world.instances.cloud.reboots).toHaveLength(1);
  });

  test('counts against the budget while it reboots: the next unhealthy node waits for it', async () => {
    const world = await rebootingWorld(3, '1');
    sicken(world, world.claims());
    let most = 0;
    const rebooting = (): number =>
      world.claims().filter((each) => condition(each, 'Rebooting').startsWith('True')).length;
    await world.until(() => {
      most = Math.max(most, rebooting());
      return world.claims().every((claim) => results(claim).at(-1) === 'succeeded');
    });
    expect(most).toBe(1);
    expect(world.instances.cloud.reboots).toHaveLength(3);
  });

  test('is not rebooted while traffic is moved away from its zone', async () => {
    const world = await rebootingWorld(1);
    const [old] = world.claims();
    world.unavailableOfferings.shiftAway(new Set([old?.status.zone ?? '']));
    sicken(world, [old]);
    await world.rest(300);
    expect(world.claims().map(({ name, status }) => [name, status.reboots])).toEqual([
      [old?.name, undefined],
    ]);
    world.unavailableOfferings.shiftAway(new Set());
    expect(await world.until(() => world.instances.cloud.reboots.length > 0)).toBeLessThan(100);
  });

  test('is replaced when its instance is taken back while it reboots', async () => {
    const world = await rebootingWorld(1);
    world.instances.bootsAgain = false;
    const [old] = world.claims();
    sicken(world, [old]);
    await world.until(() => condition(world.claims()[0], 'Rebooting') === 'True RebootIssued');
    world.queue.send({ kind: 'SpotInterruption', instanceIDs: [instanceID(old?.status.providerID ?? '')] });
    expect(await world.until(() => world.claim(old?.name ?? '') === undefined)).toBeLessThan(200);
    expect(world.reasons()).toContain('Interrupted');
  });
});

function neverThere(): never {
  throw new Error('it is not there');
}
