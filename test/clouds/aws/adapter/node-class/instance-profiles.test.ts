/** Profiles for roles: made when they are missing, mended when they are wrong, and asked for rarely. */
import {
  CreateInstanceProfileCommand,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { InstanceProfiles } from '../../../../../src/clouds/aws/adapter/node-class/instance-profiles.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { FakeAws } from '../../../../support/fake-aws.js';
import { launchCall, simulatedWorld, TAGS, type SimulatedWorld } from '../simulated-world.js';

function profilesOf({ clients, clock }: Pick<SimulatedWorld, 'clients' | 'clock'>): InstanceProfiles {
  return new InstanceProfiles({ clients, clock, clusterName: 'berth-demo' });
}

test('a profile is made for a role, once, and found again by the next process', async () => {
  const world = simulatedWorld();
  const profiles = profilesOf(world);
  const name = await profiles.ensure('berth-node');
  expect(name).toMatch(/^berth-[0-9a-f]{32}$/);
  expect(await profiles.ensure('berth-node')).toBe(name);
  expect(world.aws.log.count('iam:GetInstanceProfile')).toBe(1);
  expect(await profilesOf(world).ensure('berth-node')).toBe(name);
  expect(world.aws.log.count('iam:CreateInstanceProfile')).toBe(1);
  expect(world.aws.log.count('iam:AddRoleToInstanceProfile')).toBe(1);
});

test('where nothing is launched, a profile is named and neither looked for nor made', async () => {
  const world = simulatedWorld();
  const { clients, clock } = world;
  const observing = new InstanceProfiles({ clients, clock, clusterName: 'berth-demo', onlyReads: true });
  expect(await observing.ensure('berth-node')).toBe(await profilesOf(world).ensure('berth-node'));
  expect(await observing.ensure('KarpenterNodeRole-shop')).toMatch(/^berth-[0-9a-f]{32}$/);
  expect(world.aws.log.count('iam:CreateInstanceProfile')).toBe(1);
  expect(world.aws.log.count('iam:GetInstanceProfile')).toBe(1);
});

test('a role that was taken out of its profile is put back', async () => {
  const world = simulatedWorld();
  const profiles = profilesOf(world);
  const InstanceProfileName = await profiles.ensure('berth-node');
  await world.clients.call('RemoveRoleFromInstanceProfile', (client, options) =>
    client.send(
      new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: 'berth-node' }),
      options,
    ),
  );
  await world.clock.advance(900_000);
  expect(await profiles.ensure('berth-node')).toBe(InstanceProfileName);
  expect(world.aws.log.count('iam:AddRoleToInstanceProfile')).toBe(2);
});

test('another role in the profile is taken out first', async () => {
  const iam = (operation: string, result: string) => ({
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<${operation}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">${result}</${operation}Response>`,
  });
  const profile =
    '<InstanceProfile><Roles><member><RoleName>other</RoleName></member></Roles></InstanceProfile>';
  const aws = new FakeAws()
    .answer(
      'GetInstanceProfile',
      iam('GetInstanceProfile', `<GetInstanceProfileResult>${profile}</GetInstanceProfileResult>`),
    )
    .answer('RemoveRoleFromInstanceProfile', iam('RemoveRoleFromInstanceProfile', ''))
    .answer('AddRoleToInstanceProfile', iam('AddRoleToInstanceProfile', ''));
  const { clock } = simulatedWorld();
  await profilesOf({ clients: clientsOf(aws), clock }).ensure('berth-node');
  expect(aws.asked.map(({ operation, fields }) => [operation, fields['RoleName']])).toEqual([
    ['GetInstanceProfile', undefined],
    ['RemoveRoleFromInstanceProfile', 'other'],
    ['AddRoleToInstanceProfile', 'berth-node'],
  ]);
});

test('two that begin at once end with one profile and one role in it', async () => {
  const world = simulatedWorld();
  const names = await Promise.all([1, 2, 3].map(() => profilesOf(world).ensure('berth-node')));
  expect(new Set(names).size).toBe(1);
});

test('a role that there is not is told, and nothing is remembered', async () => {
  const world = simulatedWorld();
  const profiles = profilesOf(world);
  for (let time = 0; time < 2; time++)
    await expect(profiles.ensure('nobody')).rejects.toMatchObject({ code: 'NotFound' });
  expect(world.aws.log.count('iam:AddRoleToInstanceProfile')).toBe(2);
});

const HOUR = 3_600_000;
const { signal } = new AbortController();

/** Names of the account's profiles. */
async function names({ clients }: SimulatedWorld): Promise<readonly string[]> {
  const { InstanceProfiles: found = [] } = await clients.call('ListInstanceProfiles', (client, options) =>
    client.send(new ListInstanceProfilesCommand({}), options),
  );
  return found.flatMap(({ InstanceProfileName }) => InstanceProfileName ?? []);
}

/** Another client makes a profile of this name and tags. */
async function make(
  { clients }: SimulatedWorld,
  name: string,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  await clients.call('CreateInstanceProfile', (client, options) =>
    client.send(new CreateInstanceProfileCommand({ InstanceProfileName: name, Tags }), options),
  );
}

test('a profile that no node class has needed for an hour, and that no instance has, is deleted', async () => {
  const world = simulatedWorld();
  const before = await names(world);
  const profiles = profilesOf(world);
  const name = await profiles.ensure('berth-node');
  await world.clock.advance(HOUR);
  // The class cannot be launched from at the moment.
  profiles.keep('berth-node');
  await profiles.collect(signal);
  expect(await names(world)).toEqual([...before, name]);
  await world.clock.advance(HOUR);
  profiles.keepNamed(name);
  await profiles.collect(signal);
  expect(await names(world)).toEqual([...before, name]);
  await world.clock.advance(HOUR);
  await profiles.collect(signal);
  expect(await names(world)).toEqual(before);
  // It is made again where it is needed again.
  expect(await profiles.ensure('berth-node')).toBe(name);
  expect(await names(world)).toEqual([...before, name]);
});

test('another process that begins deletes nothing before it has seen for an hour which profiles are needed', async () => {
  const world = simulatedWorld();
  const before = await names(world);
  const name = await profilesOf(world).ensure('berth-node');
  await world.clock.advance(2 * HOUR);
  const next = profilesOf(world);
  await next.collect(signal);
  await world.clock.advance(HOUR - 60_000);
  await next.collect(signal);
  expect(await names(world)).toEqual([...before, name]);
});

test('a profile that an instance has stays until the instance has ended', async () => {
  const world = simulatedWorld();
  const before = await names(world);
  await world.cloud.launch(await launchCall(world.cloud));
  const profiles = profilesOf(world);
  await world.clock.advance(HOUR);
  await profiles.collect(signal);
  expect(await names(world)).toHaveLength(before.length + 1);
  await world.cloud.terminate((await world.cloud.instances(TAGS)).map(({ id }) => id));
  await world.clock.advance(HOUR);
  await profiles.collect(signal);
  expect(await names(world)).toEqual(before);
});

test('profiles of other clusters, other regions and other programs stay, whatever their names', async () => {
  const world = simulatedWorld();
  const owned = { 'kubernetes.io/cluster/berth-demo': 'owned' };
  await make(world, `berth-${'a'.repeat(32)}`, {
    'kubernetes.io/cluster/another': 'owned',
    'berth.sh/region': 'eu-west-3',
  });
  await make(world, `berth-${'b'.repeat(32)}`, { ...owned, 'berth.sh/region': 'us-east-1' });
  await make(world, `berth-${'c'.repeat(32)}`, owned);
  await make(world, 'by-hand', { ...owned, 'berth.sh/region': 'eu-west-3' });
  const before = await names(world);
  const profiles = profilesOf(world);
  await world.clock.advance(2 * HOUR);
  await profiles.collect(signal);
  expect(await names(world)).toEqual(before);
});

test('what was deleted by half before a crash is deleted by the next process', async () => {
  const world = simulatedWorld();
  const before = await names(world);
  const InstanceProfileName = await profilesOf(world).ensure('berth-node');
  await world.clients.call('RemoveRoleFromInstanceProfile', (client, options) =>
    client.send(
      new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: 'berth-node' }),
      options,
    ),
  );
  const next = profilesOf(world);
  await world.clock.advance(HOUR);
  await next.collect(signal);
  expect(await names(world)).toEqual(before);
});
