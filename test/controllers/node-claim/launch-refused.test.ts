/** Launches that the cloud will not have as they are: nothing is blamed that is not at fault. */
import type { Cloud, LaunchAnswer, LaunchCall } from '../../../src/ports/cloud.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';
import { ClaimWorld, cloudWith } from './claim-world.js';

function refusal(code: PortErrorCode, message: string): PortError {
  return new PortError(code, { operation: 'launch from EC2NodeClass default', message });
}

test('a node class that nothing can be launched from is reported on the claim, which is given up after 15 seconds', async () => {
  const world = new ClaimWorld();
  const error = refusal('Invalid', 'no image matches arm64 instance types such as m7g.large');
  world.start({ cloud: cloudWith(world.cloud, { prepareLaunch: () => Promise.reject(error) }) });
  await world.launchGroup(['general-1']);
  await world.seconds(14);
  expect(world.told.decisions).toContainEqual(
    expect.objectContaining({
      reason: 'NodeClassNotReady',
      message: expect.stringContaining('no image matches arm64 instance types such as m7g.large') as string,
    }),
  );
  expect(world.claims()).toHaveLength(1);
  await world.seconds(10);
  expect(world.claims()).toEqual([]);
  expect(world.liveInstances()).toEqual([]);
});

test('a NodePool that the cloud launches nothing of ends its claims after 15 seconds, and plans leave it out for a minute', async () => {
  const world = new ClaimWorld();
  const launch: Cloud['launch'] = () => Promise.reject(refusal('NotFound', 'the security group is gone'));
  world.start({ cloud: cloudWith(world.cloud, { launch }) });
  await world.launchGroup(['general-1', 'general-2']);
  const problem = (): string | undefined =>
    world.unavailableOfferings.poolProblem('general', world.clock.now());
  await world.seconds(14);
  expect(world.claims()).toHaveLength(2);
  expect(problem()).toBeUndefined();
  await world.seconds(10);
  expect(world.claims()).toEqual([]);
  expect(problem()).toContain('the security group is gone');
  expect(world.told.decisions).toContainEqual(
    expect.objectContaining({
      action: 'Launch',
      reason: 'LaunchFailed',
      message: expect.stringContaining('nothing can be launched of NodePool general: ') as string,
    }),
  );
  await world.seconds(60);
  expect(problem()).toBeUndefined();
  expect(world.liveInstances()).toEqual([]);
});

test.each(['NotFound', 'Invalid', 'Forbidden'] as const)(
  'a call that is wrong as a whole (%s) makes no offering unavailable: the next attempt is the same one',
  async (code) => {
    const world = new ClaimWorld();
    const failures = [refusal(code, 'the launch template lt-1 does not exist')];
    const launch: Cloud['launch'] = (call, signal) => {
      const failure = failures.pop();
      return failure === undefined ? world.cloud.launch(call, signal) : Promise.reject(failure);
    };
    world.start({ cloud: cloudWith(world.cloud, { launch }) });
    await world.launchGroup(['general-1']);
    await world.seconds(30);
    const { launch: status, capacityType } = world.claim('general-1')?.status ?? {};
    expect(status?.attempt).toBe(2);
    expect(capacityType).toBe('spot');
    expect(world.liveInstances()).toHaveLength(1);
  },
);

/** An answer without instances, as long as the cloud has trouble of its own: no offering and no NodePool is to blame. */
function internalError({ request }: LaunchCall): Promise<LaunchAnswer> {
  const { capacityType } = request;
  const failures = request.overrides.map(({ instanceType, zone }) => ({
    ...{ instanceType, zone, capacityType },
    ...({ code: 'InternalError', message: 'try again', reach: 'none' } as const),
  }));
  return Promise.resolve({ instances: [], failures });
}

test('a launch that fails again and again is asked for later and later, a minute apart at most', async () => {
  const world = new ClaimWorld();
  const asked: number[] = [];
  const launch: Cloud['launch'] = (call) => {
    asked.push(world.clock.monotonic());
    return internalError(call);
  };
  world.start({ cloud: cloudWith(world.cloud, { launch }) });
  await world.launchGroup(['general-1']);
  await world.seconds(250);
  const pauses = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1000));
  expect(pauses).toEqual([...pauses].sort((left, right) => left - right));
  expect(pauses.length).toBeGreaterThan(3);
  expect(pauses.at(-1)).toBe(60);
});

test('the pause of a group ends with its last claim: another claim of the same group is launched at once', async () => {
  const world = new ClaimWorld();
  let isRefused = true;
  const launch: Cloud['launch'] = (call, signal) =>
    isRefused ? internalError(call) : world.cloud.launch(call, signal);
  world.start({ cloud: cloudWith(world.cloud, { launch }) });
  await world.launchGroup(['general-1']);
  await world.seconds(80);
  const claim = world.claim('general-1');
  expect(claim?.status.launch?.attempt).toBe(5);
  if (claim !== undefined) await world.kube.deleteNodeClaim(claim);
  await world.seconds(1);
  expect(world.claims()).toEqual([]);
  isRefused = false;
  await world.launchGroup(['general-2']);
  await world.seconds(2);
  expect(world.liveInstances()).toHaveLength(1);
});

test('a name that the node class gives its instances stays', async () => {
  const world = new ClaimWorld();
  const tags = new Map([['Name', 'mine']]);
  const prepareLaunch: Cloud['prepareLaunch'] = async (intent, signal) => ({
    ...(await world.cloud.prepareLaunch(intent, signal)),
    tags,
  });
  world.start({ cloud: cloudWith(world.cloud, { prepareLaunch }) });
  await world.launchGroup(['general-1']);
  await world.seconds(30);
  const [instance] = world.liveInstances();
  expect(instance?.tags.get('Name')).toBe('mine');
  expect(instance?.tags.get('berth.sh/nodeclaim')).toBe('general-1');
});
