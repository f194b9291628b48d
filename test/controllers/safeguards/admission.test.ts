/** What a claim was admitted with is counted once, and is free again when nothing came of it. */
import { ClaimWorld, TYPES } from '../node-claim/claim-world.js';
import { LAUNCH_GROUP_ANNOTATION, type NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { PortError } from '../../../src/ports/port-error.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { policyStatus } from '../../support/builders/policy-status.js';

const names = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => `general-${String(first + index)}`);

/** EC2 has nothing of the first choice. */
function withoutSpot(world: ClaimWorld): void {
  world.cloud.stock.set({ capacityType: 'spot' }, 0);
}

describe('an attempt that brings no instance', () => {
  test('costs its claim nothing when it asks again', async () => {
    const world = new ClaimWorld({ limits: { hourlyCost: 0.13 } });
    withoutSpot(world);
    world.start();
    await world.launchGroup(names(1));
    await world.seconds(30);
    expect(world.liveInstances()).toMatchObject([{ capacityType: 'on-demand' }]);
    expect(world.reasons()).not.toContain('HourlyCostLimited');
  });

  test('does not count as a launch', async () => {
    const world = new ClaimWorld({ limits: { nodesPerMinute: 10 } });
    withoutSpot(world);
    world.start();
    await world.launchGroup(names(10));
    await world.seconds(15);
    expect(world.liveInstances()).toHaveLength(10);
    expect(world.reasons()).not.toContain('LaunchRateLimited');
  });

  test('leaves the trial launch of a stopped NodePool with its claim, which asks again', async () => {
    const { world } = await stoppedWorld();
    world.deaf.clear();
    withoutSpot(world);
    await world.launchGroup(names(2, 20), {}, 'trial');
    await world.seconds(30);
    expect(world.reasons()).toContain('RegistrationRecovered');
    expect(world.liveInstances()).toHaveLength(2);
  });
});

describe('a request that cannot be prepared', () => {
  test('does not count as a launch, however often it is tried', async () => {
    const world = new ClaimWorld({ limits: { nodesPerMinute: 20 } });
    world.cloud.faults.next('prepareLaunch', { kind: 'throttled' }, 3);
    world.start();
    await world.launchGroup(names(10));
    await world.seconds(15);
    expect(world.liveInstances()).toHaveLength(10);
    expect(world.reasons()).not.toContain('LaunchRateLimited');
  });
});

describe('a request that is not known to be written', () => {
  test('is counted once, however often it is tried', async () => {
    const world = new ClaimWorld({ limits: { nodesPerMinute: 20 } });
    failRequests(world, 3, () => undefined);
    world.start();
    await world.launchGroup(names(10));
    await world.seconds(15);
    expect(world.liveInstances()).toHaveLength(10);
    expect(world.reasons()).not.toContain('LaunchRateLimited');
  });

  test('stays counted: it is sent when it was written', async () => {
    const world = new ClaimWorld({ limits: { nodesPerMinute: 1 } });
    failRequests(world, 1, (write) => write());
    world.start();
    await world.launchGroup(names(1));
    await world.seconds(15);
    expect(world.liveInstances()).toHaveLength(1);
    await world.launchGroup(names(1, 2), {}, 'group-2');
    await world.seconds(20);
    expect(world.liveInstances()).toHaveLength(1);
    expect(world.reasons()).toContain('LaunchRateLimited');
  });
});

describe('after a restart', () => {
  test('a launch that was not answered yet counts for the cost', async () => {
    const world = new ClaimWorld({ limits: { hourlyCost: 0.06 } });
    world.cloud.faults.next('launch', { kind: 'stalled' }, 2);
    const first = world.start();
    await world.launchGroup(names(1));
    await world.seconds(10);
    expect(world.claim('general-1')?.status.launch).toMatchObject({ answeredAt: undefined });
    first.kill();
    world.start();
    await world.launchGroup(names(1, 2), {}, 'group-2');
    await world.seconds(30);
    expect(world.claim('general-2')?.status.launch).toBeUndefined();
    expect(world.reasons()).toContain('HourlyCostLimited');
  });

  test('a claim that nothing was launched for is not taken for the trial beside the one that has an instance', async () => {
    const { world, berth } = await stoppedWorld();
    const launch = launchStatus({ group: 'earlier', answeredAt: 0, error: 'no capacity' });
    const annotations = new Map([[LAUNCH_GROUP_ANNOTATION, 'earlier']]);
    const createdAt = world.clock.now();
    world.kube.objects.put(
      'NodeClaim',
      nodeClaim({ name: 'general-20', createdAt, annotations, status: { launch } }),
    );
    await world.launchGroup(names(1, 30), {}, 'trial');
    await world.seconds(5);
    expect(world.claim('general-30')?.status.providerID).toBeDefined();
    const launched = world.cloud.fleet().length;
    berth.kill();
    await world.reserve('general-20');
    world.start();
    await world.seconds(30);
    expect(world.cloud.fleet()).toHaveLength(launched);
    expect(world.claim('general-20')?.status.launch).toEqual(launch);
  });
});

/** The first writes of requests to claims fail, after this was done with them. */
function failRequests({ kube }: ClaimWorld, times: number, act: (write: () => unknown) => unknown): void {
  const put = kube.putNodeClaimStatus.bind(kube);
  let left = times;
  kube.putNodeClaimStatus = async (claim, status, signal): Promise<NodeClaim> => {
    const isRequest = claim.status.launch === undefined && status.launch !== undefined;
    if (!isRequest || left-- <= 0) return put(claim, status, signal);
    await act(() => put(claim, status, signal));
    throw new PortError('TimedOut', { operation: 'write', message: 'the answer was lost' });
  };
}

/** A world that may launch one instance on trial, after two that did not register. */
async function stoppedWorld(): Promise<{
  readonly world: ClaimWorld;
  readonly berth: ReturnType<ClaimWorld['start']>;
}> {
  const world = new ClaimWorld({ limits: { registrationFailures: 2 } });
  for (const type of TYPES) world.deaf.add(type);
  const berth = world.start();
  await world.launchGroup(names(2));
  await world.seconds(1300);
  const { breaker } = berth.safeguards;
  const condition = breaker.condition('general');
  if (condition?.status !== 'False' || breaker.problem('general') !== undefined)
    throw new Error('no trial is due');
  const conditions = [{ ...condition, lastTransitionTime: 0 }];
  world.kube.objects.put('PolicyStatus', policyStatus({ conditions }));
  return { world, berth };
}
