/** Launches into the capacity reservations of the simulated account, each kind on the market that EC2 has for it. */
import type { LaunchAnswer } from '../../../../../src/ports/cloud.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, offerings, simulatedWorld, TAGS, type SimulatedWorld } from '../simulated-world.js';

const NODE_CLASS = ec2NodeClass({ capacityReservationSelectorTerms: [{ tags: { team: 'a' } }] });
const ZONE = 'eu-west-3a';
const KINDS = [
  ['an on-demand capacity reservation', { type: 'default', interruptible: false }],
  ['a capacity block', { type: 'capacity-block', interruptible: false }],
  ['an interruptible reservation', { type: 'default', interruptible: true }],
] as const;
type Kind = (typeof KINDS)[number][1];

function worldWith(...kinds: readonly Kind[]): SimulatedWorld {
  const world = simulatedWorld();
  for (const [index, kind] of kinds.entries())
    world.aws.addReservation({
      id: `cr-${String(index)}`,
      instanceType: 'm5.large',
      zone: index === 0 ? ZONE : 'eu-west-3b',
      instances: 2,
      tags: new Map([['team', 'a']]),
      ...kind,
    });
  return world;
}

function reserved(cloud: SimulatedWorld['cloud'], size: number) {
  const offered = offerings('m5.large', ZONE, 'eu-west-3b');
  return launchCall(cloud, { nodeClass: NODE_CLASS, capacityType: 'reserved', offerings: offered, size });
}

function outcome({ instances, failures }: LaunchAnswer): readonly string[] {
  return [...instances.map(({ capacityType }) => capacityType), ...failures.map(({ code }) => code)];
}

test.each(KINDS)('instances start in %s until it is full', async (_, kind) => {
  const { cloud } = worldWith(kind);
  const { reservations } = await cloud.resolveNodeClass(NODE_CLASS);
  expect(reservations).toMatchObject([{ id: 'cr-0', available: 2, ...kind }]);
  const call = await reserved(cloud, 2);
  expect(outcome(await cloud.launch(call))).toEqual(['reserved', 'reserved']);
  const listed = await cloud.instances(TAGS);
  expect(listed.map(({ capacityType }) => capacityType)).toEqual(['reserved', 'reserved']);
  expect((await cloud.resolveNodeClass(NODE_CLASS)).reservations).toMatchObject([{ available: 0 }]);
  expect(outcome(await cloud.launch({ ...call, token: 'token-2' }))).toEqual(['ReservationCapacityExceeded']);
});

test('a class has what it selects as its status shows it', async () => {
  const { cloud } = worldWith({ type: 'capacity-block', interruptible: false });
  const { objects } = await cloud.resolveNodeClass(NODE_CLASS);
  expect(objects).toMatchObject({
    instanceProfile: expect.stringMatching(/^berth-/) as string,
    capacityReservations: [
      { id: 'cr-0', availabilityZone: ZONE, reservationType: 'capacity-block', state: 'active' },
    ],
  });
  expect(objects?.subnets.map(({ zone }) => zone)).toContain(ZONE);
  expect(objects?.amis.length).toBeGreaterThan(0);
  expect(objects?.securityGroups.length).toBeGreaterThan(0);
});

test.each(KINDS.slice(1))('%s is not to be had as an on-demand instance', async (_, kind) => {
  const { aws, cloud } = worldWith(kind);
  const call = await reserved(cloud, 1);
  const answer = await cloud.launch({ ...call, request: { ...call.request, market: undefined } });
  expect(outcome(answer)).toEqual(['InvalidFleetConfiguration']);
  expect(aws.instances()).toEqual([]);
});

test('an instance whose reservation ends goes on as on-demand, and its class still selects what it was launched into', async () => {
  const { aws, cloud, clock } = worldWith(KINDS[0][1]);
  await cloud.launch(await reserved(cloud, 1));
  await clock.advance(60_000);
  expect(await cloud.instances(TAGS)).toMatchObject([{ capacityType: 'reserved', reservationID: 'cr-0' }]);
  aws.addReservation({
    ...{ id: 'cr-0', instanceType: 'm5.large', zone: ZONE, instances: 2, tags: new Map([['team', 'a']]) },
    ...{ ...KINDS[0][1], endsAt: clock.now() },
  });
  expect(await cloud.instances(TAGS)).toMatchObject([{ capacityType: 'on-demand', reservationID: '' }]);
  const { reservations, reservationIDs } = await cloud.resolveNodeClass(NODE_CLASS);
  expect({ reservations, reservationIDs }).toEqual({ reservations: undefined, reservationIDs: ['cr-0'] });
});

test('of two capacity blocks a launch takes one', async () => {
  const block = { type: 'capacity-block', interruptible: false } as const;
  const { cloud } = worldWith(block, block);
  expect(outcome(await cloud.launch(await reserved(cloud, 2)))).toEqual(['reserved', 'reserved']);
});

test('a reservation of dedicated instances is for these, and one of others is not', async () => {
  const { aws, cloud } = worldWith(KINDS[0][1]);
  const call = await reserved(cloud, 1);
  expect(outcome(await cloud.launch(call))).toEqual(['reserved']);
  const dedicated = { id: 'cr-9', instanceType: 'm5.large', zone: 'eu-west-3b', instances: 1 };
  aws.addReservation({
    ...{ ...dedicated, tags: new Map([['team', 'a']]), tenancy: 'dedicated' },
    ...KINDS[0][1],
  });
  const intent = {
    ...{ nodeClass: NODE_CLASS, capacityType: 'reserved' as const, tenancy: 'dedicated' as const },
    offerings: offerings('m5.large', ZONE, 'eu-west-3b'),
  };
  const own = await launchCall(cloud, intent);
  expect(own.request.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3b']);
  expect(outcome(await cloud.launch({ ...own, token: 'token-9' }))).toEqual(['reserved']);
});

test('a reservation that EC2 does not know takes nothing from its class, and its instances have not drifted', async () => {
  const { cloud } = worldWith(KINDS[0][1]);
  const nodeClass = ec2NodeClass({ capacityReservationSelectorTerms: [{ id: 'cr-9' }, { id: 'cr-0' }] });
  const { problems, reservations, reservationIDs } = await cloud.resolveNodeClass(nodeClass);
  expect(problems).toEqual([]);
  expect(reservations).toMatchObject([{ id: 'cr-0' }]);
  expect(reservationIDs).toEqual(['cr-0', 'cr-9']);
  for (const capacityType of ['on-demand', 'reserved'] as const) {
    const call = await launchCall(cloud, { nodeClass, capacityType });
    expect(outcome(await cloud.launch({ ...call, token: capacityType }))).toEqual([capacityType]);
  }
});
