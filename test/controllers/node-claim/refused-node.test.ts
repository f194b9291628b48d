/** A node that joined, and about which the API server or the cloud refuses what Berth asks: it does not cost money for ever. */
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import { PLACEMENT_GROUP_ID } from '../../../src/domain/values/labels.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';
import { ClaimWorld } from './claim-world.js';

const ALWAYS = 100_000;
const REFUSED = 'RegistrationRefused';

/** A world in which nodes join with the taint that keeps pods away, and whose every patch is answered so. */
async function worldWhere(code: PortErrorCode): Promise<ClaimWorld> {
  const world = new ClaimWorld();
  world.registrationTaints = () => [UNREGISTERED_TAINT];
  world.kube.fail({ method: 'patchNode', code, times: ALWAYS });
  world.start();
  await world.launchGroup(['general-1']);
  return world;
}

test.each(['Forbidden', 'Invalid'] as const)(
  'a claim whose node must not be written to (%s) is given up after a quarter of an hour, with its instance',
  async (code) => {
    const world = await worldWhere(code);
    await world.seconds(890);
    expect(world.liveInstances()).toHaveLength(1);
    await world.seconds(120);
    expect(world.reasons()).toContain('RegistrationTimeout');
    expect([world.liveInstances(), world.claims(), world.nodes()]).toEqual([[], [], []]);
  },
);

test('a claim whose node cannot be written to is given up, and goes when that is possible again', async () => {
  const world = await worldWhere('Unavailable');
  await world.seconds(930);
  expect(world.reasons()).toContain('RegistrationTimeout');
  world.kube.mend();
  await world.seconds(90);
  expect([world.liveInstances(), world.claims(), world.nodes()]).toEqual([[], [], []]);
});

test('a claim about whose instance the cloud says nothing while its node registers is given up', async () => {
  const world = new ClaimWorld();
  world.registrationTaints = () => [UNREGISTERED_TAINT];
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(4);
  const claim = world.claim('general-1');
  if (claim === undefined) throw new Error('no claim');
  const labels = new Map([...claim.labels, [PLACEMENT_GROUP_ID, 'pg-1']]);
  world.kube.objects.put('NodeClaim', { ...claim, labels });
  const instances = world.cloud.instances.bind(world.cloud);
  world.cloud.instances = () =>
    Promise.reject(new PortError('Unavailable', { operation: 'instances', message: 'planted by the test' }));
  await world.seconds(930);
  expect(world.reasons()).toContain('RegistrationTimeout');
  world.cloud.instances = instances;
  await world.seconds(120);
  expect(world.claims()).toEqual([]);
});

test('a refusal that asking again does not change is recorded on the claim, as one that is told once', async () => {
  const world = await worldWhere('Forbidden');
  await world.seconds(300);
  const told = world.told.decisions.filter(({ reason }) => reason === REFUSED);
  expect(told[0]).toMatchObject({
    subject: { kind: 'NodeClaim', name: 'general-1' },
    message: expect.stringMatching(
      /^the node cannot be registered: patchNode \S+: planted by the test$/,
    ) as string,
    event: { type: 'Warning', reason: REFUSED },
  });
  // Those of this action are written again only when the reason changes (Recorder).
  expect(new Set(told.map(({ action }) => action))).toEqual(new Set(['Refuse']));
});

test('a failure that asking again may mend is not recorded', async () => {
  const world = await worldWhere('Unavailable');
  await world.seconds(300);
  expect(world.reasons()).not.toContain(REFUSED);
});

test('a Ready node that must not be marked as initialized stays, and the refusal is recorded', async () => {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.clock.advance(7000);
  world.kube.fail({ method: 'patchNode', code: 'Invalid', times: ALWAYS });
  await world.seconds(2000);
  expect(world.liveInstances()).toHaveLength(1);
  const told = world.told.decisions.find(({ reason }) => reason === REFUSED);
  expect(told?.message).toMatch(/^the node cannot be initialized: /);
});
