/** What is asked of the cloud is written once for a launch group: what that costs, and what happens when its keeper goes. */
import { encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { Catalogue } from '../../../src/clouds/aws/catalogue/catalogue.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { ClaimWorld } from './claim-world.js';
import { mortalPorts, type Death } from './mortal-ports.js';

const NAMES = ['general-1', 'general-2', 'general-3'];

/** As many types as planning puts on a claim. */
const REGION = catalogueFor('eu-west-3');
const SIXTY = new Catalogue({
  region: REGION.region,
  entries: REGION.entries.filter(({ offerings }) => offerings.length > 0).slice(0, 60),
});
const OF_SIXTY = {
  requirements: [
    requirement(
      'node.kubernetes.io/instance-type',
      'In',
      SIXTY.entries.map(({ facts }) => facts.name),
    ),
  ],
};

/** Until the process dies at this call, or for five seconds. */
async function launched(world: ClaimWorld, death?: Death): Promise<readonly string[]> {
  const ports = mortalPorts(world, death);
  const berth = world.start(ports);
  await world.launchGroup(NAMES, world.catalogue === SIXTY ? OF_SIXTY : {});
  await world.seconds(5);
  if (death !== undefined) berth.kill();
  return ports.calls;
}

async function callNumber(call: string): Promise<number> {
  return (await launched(new ClaimWorld())).indexOf(call) + 1;
}

function kilobytes(world: ClaimWorld, name: string): number {
  const claim = world.claim(name);
  return claim === undefined ? 0 : JSON.stringify(encodeNodeClaim(claim)).length / 1000;
}

/** Somebody takes its finalizer away. */
function removeByForce(world: ClaimWorld, name: string): void {
  world.kube.objects.remove('NodeClaim', name);
}

test('one claim of a group has all offerings of the request; the others name it and stay small', async () => {
  const world = new ClaimWorld({ catalogue: SIXTY });
  const calls = await launched(world, { atCall: await callNumber('launch'), when: 'before' });
  expect(calls.filter((call) => call === 'putNodeClaimStatus')).toHaveLength(NAMES.length);
  const launches = NAMES.map((name) => world.claim(name)?.status.launch);
  expect(launches.map((launch) => launch?.requestKeptBy)).toEqual([undefined, 'general-1', 'general-1']);
  expect(launches[0]?.request.overrides.length).toBeGreaterThan(150);
  expect(launches[1]?.request.overrides).toEqual(launches[0]?.request.overrides.slice(0, 12));
  expect(kilobytes(world, 'general-1')).toBeLessThan(17);
  expect(kilobytes(world, 'general-2')).toBeLessThan(5);
});

test('up to the answer of the cloud the status of a claim is written twice', async () => {
  const world = new ClaimWorld({ catalogue: SIXTY });
  const calls = await launched(world);
  expect(calls.filter((call) => call === 'putNodeClaimStatus')).toHaveLength(2 * NAMES.length);
  expect(world.liveInstances()).toHaveLength(NAMES.length);
  for (const name of NAMES) expect(kilobytes(world, name)).toBeLessThan(5);
});

test.each([
  ['the call was made', 'after'],
  ['it was not', 'before'],
] as const)(
  'the claim that keeps the request is removed by force, and %s: the others get one instance each',
  async (_, when) => {
    const world = new ClaimWorld({ consistencyMillis: 20_000 });
    await launched(world, { atCall: await callNumber('launch'), when });
    removeByForce(world, 'general-1');
    world.start();
    await world.seconds(160);
    const owned = ['general-2', 'general-3'].map((name) => world.claim(name)?.status.providerID);
    expect(owned.every((id) => id !== undefined)).toBe(true);
    expect(new Set(owned).size).toBe(2);
    expect(world.claim('general-2')?.status.launch?.attempt).toBe(when === 'after' ? 1 : 2);
    // What the removed claim would have got goes with the garbage.
    expect(world.liveInstances()).toHaveLength(2);
  },
);

test('the keeper that a user deletes during the launch stays until the others have their answer', async () => {
  const world = new ClaimWorld();
  await launched(world, { atCall: await callNumber('launch'), when: 'before' });
  const keeper = world.claim('general-1');
  if (keeper !== undefined) await world.kube.deleteNodeClaim(keeper);
  world.start();
  await world.seconds(60);
  expect(world.claims().map(({ name, status }) => [name, status.launch?.attempt])).toEqual([
    ['general-2', 1],
    ['general-3', 1],
  ]);
  expect(world.cloud.fleet()).toHaveLength(3);
  expect(world.liveInstances()).toHaveLength(2);
});
