/** Reserved capacity: which reservations count, and how a launch gets into them. */
import {
  capacityBlockEnds,
  capacityReservations,
} from '../../../../../src/clouds/aws/adapter/node-class/capacity-reservations.js';
import { fleetRequest } from '../../../../../src/clouds/aws/adapter/launch/fleet-request.js';
import { planLaunch } from '../../../../../src/clouds/aws/adapter/launch/launch-plan.js';
import type { NodeClassView } from '../../../../../src/clouds/aws/adapter/node-class/node-class-view.js';
import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import type { ResolvedReservation } from '../../../../../src/ports/cloud.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { ec2Answer, ec2List, FakeAws, xml } from '../../../../support/fake-aws.js';
import { resolvedReservation } from '../../../../support/builders/resolved-reservation.js';
import { launchIntent, offerings } from '../simulated-world.js';

const CALL = {
  token: 'token-1',
  tags: new Map<string, string>(),
  labels: new Map<string, string>(),
  taints: [],
};
const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';

function reservation(
  capacityReservationId: string,
  availableInstanceCount: number,
  others: Parameters<typeof xml>[0] = {},
): string {
  return xml({
    capacityReservationId,
    instanceType: 'm5.large',
    state: 'active',
    ...others,
    availabilityZone: 'eu-west-3a',
    availableInstanceCount,
  });
}

function answer(...reservations: readonly string[]): FakeAws {
  return new FakeAws().answer(
    'DescribeCapacityReservations',
    ec2Answer('DescribeCapacityReservations', ec2List('capacityReservationSet', reservations)),
  );
}

test('active ones that match any term count, each once, those with most left first; of others the id is known', async () => {
  const aws = answer(
    reservation('cr-1', 1),
    reservation('cr-2', 5),
    reservation('cr-0', 4, { state: 'expired' }),
  );
  const terms = [
    { tags: { team: 'a', any: '*' }, ownerID: '000000000000', instanceMatchCriteria: 'open' },
    { id: 'cr-2' },
  ] as const;
  const found = await capacityReservations(sources(aws), terms);
  expect(found.active.map(({ id, available }) => [id, available])).toEqual([
    ['cr-2', 5],
    ['cr-1', 1],
  ]);
  expect(found.ids).toEqual(['cr-0', 'cr-1', 'cr-2']);
  const [byTags, byID] = aws.asked.map(({ fields }) => fields);
  expect(byTags).toMatchObject({
    'Filter.1.Name': 'tag:team',
    'Filter.1.Value.1': 'a',
    'Filter.2.Name': 'tag-key',
    'Filter.2.Value.1': 'any',
    'Filter.3.Name': 'owner-id',
    'Filter.4.Name': 'instance-match-criteria',
    'Filter.4.Value.1': 'open',
    MaxResults: '1000',
  });
  expect(byID).toMatchObject({ 'CapacityReservationId.1': 'cr-2' });
  expect(byID?.['MaxResults']).toBeUndefined();
});

test('capacity blocks and interruptible reservations are distinguished from on-demand ones', async () => {
  const aws = answer(
    reservation('cr-1', 3),
    reservation('cr-2', 2, { reservationType: 'capacity-block' }),
    reservation('cr-3', 1, { reservationType: 'default', interruptible: true }),
  );
  const found = await capacityReservations(sources(aws), [{ tags: { team: 'a' } }]);
  expect(found.active.map(({ id, type, interruptible }) => [id, type, interruptible])).toEqual([
    ['cr-1', 'default', false],
    ['cr-2', 'capacity-block', false],
    ['cr-3', 'default', true],
  ]);
});

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

function sources(aws: FakeAws) {
  return { clients: clientsOf(aws), clock: { now: () => NOW } };
}

function block(id: string, endsInMinutes: number, instanceType = 'p5.48xlarge'): string {
  const endDate = new Date(NOW + endsInMinutes * MINUTE).toISOString();
  return reservation(id, 3, { reservationType: 'capacity-block', endDate, instanceType });
}

test('a capacity block has nothing available from 42 minutes before its end, 72 in an UltraServer; other reservations keep it', async () => {
  const endDate = new Date(NOW + MINUTE).toISOString();
  const aws = answer(
    block('cr-1', 42),
    block('cr-2', 43),
    block('cr-3', 72, 'p6e-gb200.36xlarge'),
    block('cr-4', 73, 'trn2u.48xlarge'),
    reservation('cr-5', 3, { reservationType: 'default', endDate }),
  );
  const found = await capacityReservations(sources(aws), [{ tags: { team: 'a' } }]);
  expect(found.active.filter(({ available }) => available > 0).map(({ id }) => id)).toEqual([
    'cr-2',
    'cr-4',
    'cr-5',
  ]);
});

test('EC2 takes instances of a capacity block half an hour before its end, of an UltraServer an hour; of other reservations never', async () => {
  const endDate = new Date(NOW + 90 * MINUTE).toISOString();
  const of = async (...reservations: readonly string[]): Promise<number | undefined> =>
    (await capacityBlockEnds(clientsOf(answer(...reservations))).of(['cr-1'])).get('cr-1');
  expect(await of(block('cr-1', 90))).toBe(NOW + 60 * MINUTE);
  expect(await of(block('cr-1', 90, 'u-p6e-gb200x72'))).toBe(NOW + 30 * MINUTE);
  expect(await of(reservation('cr-1', 3, { reservationType: 'default', endDate }))).toBeUndefined();
  expect(await of()).toBeUndefined();
});

/** A launch into reservations, and the launch templates that it asked for. */
function reservedLaunch(...reservations: readonly ResolvedReservation[]) {
  const view: NodeClassView = {
    spec: ec2NodeClass().spec,
    subnets: [],
    securityGroups: [],
    images: [{ id: 'ami-1', name: '', arch: 'amd64', createdAt: 0, deprecated: false, variants: undefined }],
    instanceProfile: 'profile-1',
    cluster: { name: 'c', endpoint: 'https://c', certificateAuthority: 'Q0E=', serviceCIDR: '10.0.0.0/16' },
    isIPv6: false,
    problems: [],
  };
  const subnets = new Map(
    ['eu-west-3a', 'eu-west-3b'].map((zone) => [zone, { id: `subnet-${zone}`, zone, freeAddresses: 9 }]),
  );
  const asked: unknown[] = [];
  const templates = {
    ensure: (data: object) => {
      asked.push(data);
      return Promise.resolve({ id: `lt-${String(asked.length)}`, version: '1' });
    },
  };
  const question = {
    intent: launchIntent({
      capacityType: 'reserved',
      offerings: offerings('m5.large', 'eu-west-3a', 'eu-west-3b'),
    }),
    nodeClass: ec2NodeClass(),
    view,
    subnets,
    catalogue: catalogueFor('eu-west-3'),
    owner: { uid: 'cluster-1', name: 'c' },
    reservations,
  };
  return { question, templates, asked };
}

test('a reserved launch has a template that aims at the reservation, and no offering without one', async () => {
  const { question, templates, asked } = reservedLaunch(resolvedReservation());
  const request = await planLaunch(question, templates);
  expect(request.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3a']);
  expect(asked).toMatchObject([
    { CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } } },
  ]);
  const named = launchIntent({ ...question.intent, labels: new Map([[RESERVATION_ID, 'cr-9']]) });
  await expect(planLaunch({ ...question, intent: named }, templates)).rejects.toMatchObject({
    code: 'Invalid',
  });
  const two = [...question.reservations, resolvedReservation({ id: 'cr-9', zone: 'eu-west-3b' })];
  const into = await planLaunch({ ...question, intent: named, reservations: two }, templates);
  expect(into.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3b']);
  await expect(planLaunch({ ...question, reservations: [] }, templates)).rejects.toMatchObject({
    code: 'Invalid',
    message: expect.stringContaining('no capacity reservation has an m5.large in eu-west-3a') as string,
  });
});

test.each([
  ['an on-demand reservation', {}, undefined, 'on-demand', undefined],
  ['a capacity block', { type: 'capacity-block' }, 'capacity-block', 'capacity-block', undefined],
  [
    'an interruptible reservation',
    { interruptible: true },
    'interruptible-capacity-reservation',
    'reserved-capacity',
    { ReservationTypes: ['interruptible-capacity-reservation'] },
  ],
] as const)('%s is bought on its own market', async (...[, kind, market, target, options]) => {
  const { question, templates } = reservedLaunch(resolvedReservation(kind));
  const request = await planLaunch(question, templates);
  expect(request.market).toBe(market);
  const fleet = fleetRequest({ ...CALL, request });
  expect(fleet.TargetCapacitySpecification).toEqual({
    TotalTargetCapacity: 1,
    DefaultTargetCapacityType: target,
  });
  expect(fleet.ReservedCapacityOptions).toEqual(options);
  expect(fleet.OnDemandOptions).toEqual(
    target === 'on-demand' ? { AllocationStrategy: 'prioritized' } : undefined,
  );
});

test('a launch keeps a fingerprint of the CA bundle that its nodes are given', async () => {
  const { question, templates } = reservedLaunch(resolvedReservation());
  const { cluster } = question.view;
  const authorityOf = async (certificateAuthority: string): Promise<string | undefined> => {
    const view = { ...question.view, cluster: { ...cluster, certificateAuthority } };
    return (await planLaunch({ ...question, view }, templates)).certificateAuthority;
  };
  expect(await authorityOf('Q0E=')).toMatch(/^[0-9a-f]{16}$/);
  expect(await authorityOf('Q0I=')).not.toBe(await authorityOf('Q0E='));
});

test('a launch is for one market, and for one capacity block', async () => {
  const block = { type: 'capacity-block' } as const;
  const { question, templates } = reservedLaunch(
    resolvedReservation({ id: 'cr-1', zone: 'eu-west-3a', ...block }),
    resolvedReservation({ id: 'cr-2', zone: 'eu-west-3b', ...block }),
  );
  expect((await planLaunch(question, templates)).overrides.map(({ zone }) => zone)).toEqual(['eu-west-3a']);
  const mixed = reservedLaunch(
    resolvedReservation({ id: 'cr-1', zone: 'eu-west-3a' }),
    resolvedReservation({ id: 'cr-2', zone: 'eu-west-3b', ...block }),
  );
  const request = await planLaunch(mixed.question, mixed.templates);
  expect(request.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3a']);
  expect(request.market).toBeUndefined();
});
