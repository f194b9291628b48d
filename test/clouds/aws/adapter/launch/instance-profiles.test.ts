/** Profiles for roles: made when they are missing, mended when they are wrong, and asked for rarely. */
import { InstanceProfiles } from '../../../../../src/clouds/aws/adapter/launch/instance-profiles.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { FakeAws } from '../../../../support/fake-aws.js';
import { simulatedWorld, type SimulatedWorld } from '../simulated-world.js';

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

test('a role that was taken out of its profile is put back', async () => {
  const world = simulatedWorld();
  const profiles = profilesOf(world);
  const InstanceProfileName = await profiles.ensure('berth-node');
  const { RemoveRoleFromInstanceProfileCommand } = await import('@aws-sdk/client-iam');
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
