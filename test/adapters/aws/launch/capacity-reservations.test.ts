/** Reserved capacity: which reservations count, and how a launch gets into them. */
import { capacityReservations } from '../../../../src/adapters/aws/launch/capacity-reservations.js';
import { planLaunch } from '../../../../src/adapters/aws/launch/launch-plan.js';
import { nodeClassSpec } from '../../../../src/adapters/aws/launch/node-class-spec.js';
import type { NodeClassView } from '../../../../src/adapters/aws/launch/node-class-view.js';
import { catalogueFor } from '../../../../src/catalogue/index.js';
import { clientsOf } from '../../../support/builders/aws-clients.js';
import { nodeClassSource } from '../../../support/builders/node-class-source.js';
import { ec2Answer, ec2List, FakeAws, xml } from '../../../support/fake-aws.js';
import { launchIntent, offerings } from '../simulated-world.js';

const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';

function reservation(capacityReservationId: string, availableInstanceCount: number): string {
  return xml({
    capacityReservationId,
    instanceType: 'm5.large',
    availabilityZone: 'eu-west-3a',
    availableInstanceCount,
    state: 'active',
  });
}

function answer(...reservations: readonly string[]): FakeAws {
  return new FakeAws().answer(
    'DescribeCapacityReservations',
    ec2Answer('DescribeCapacityReservations', ec2List('capacityReservationSet', reservations)),
  );
}

test('active ones that match any term count, each once, those with most left first', async () => {
  const aws = answer(reservation('cr-1', 1), reservation('cr-2', 5));
  const terms = [
    { tags: { team: 'a', any: '*' }, ownerID: '000000000000', instanceMatchCriteria: 'open' },
    { id: 'cr-2' },
  ] as const;
  const found = await capacityReservations(clientsOf(aws), terms);
  expect(found.map(({ id, available }) => [id, available])).toEqual([
    ['cr-2', 5],
    ['cr-1', 1],
  ]);
  const [byTags, byID] = aws.asked.map(({ fields }) => fields);
  expect(byTags).toMatchObject({
    'Filter.1.Name': 'state',
    'Filter.1.Value.1': 'active',
    'Filter.2.Name': 'tag:team',
    'Filter.2.Value.1': 'a',
    'Filter.3.Name': 'tag-key',
    'Filter.3.Value.1': 'any',
    'Filter.4.Name': 'owner-id',
    'Filter.5.Name': 'instance-match-criteria',
    'Filter.5.Value.1': 'open',
    MaxResults: '1000',
  });
  expect(byID).toMatchObject({ 'CapacityReservationId.1': 'cr-2' });
  expect(byID?.['MaxResults']).toBeUndefined();
});

test('a reserved launch has a template that aims at the reservation, and no offering without one', async () => {
  const view: NodeClassView = {
    spec: nodeClassSpec(nodeClassSource()),
    subnets: [],
    securityGroups: [],
    images: [{ id: 'ami-1', name: '', arch: 'amd64', createdAt: 0, deprecated: false, variants: undefined }],
    instanceProfile: 'profile-1',
    cluster: { name: 'c', endpoint: 'https://c', certificateAuthority: 'Q0E=', serviceCIDR: '10.0.0.0/16' },
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
    view,
    subnets,
    catalogue: catalogueFor('eu-west-3'),
    reservations: [{ id: 'cr-1', instanceType: 'm5.large', zone: 'eu-west-3a', available: 2 }],
  };
  const request = await planLaunch(question, templates);
  expect(request.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3a']);
  expect(asked).toMatchObject([
    { CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } } },
  ]);
  const named = launchIntent({ ...question.intent, labels: new Map([[RESERVATION_ID, 'cr-9']]) });
  await expect(planLaunch({ ...question, intent: named }, templates)).rejects.toMatchObject({
    code: 'Invalid',
  });
  const two = [
    ...question.reservations,
    { id: 'cr-9', instanceType: 'm5.large', zone: 'eu-west-3b', available: 1 },
  ];
  const into = await planLaunch({ ...question, intent: named, reservations: two }, templates);
  expect(into.overrides.map(({ zone }) => zone)).toEqual(['eu-west-3b']);
  await expect(planLaunch({ ...question, reservations: [] }, templates)).rejects.toMatchObject({
    code: 'Invalid',
    message: expect.stringContaining('no capacity reservation has an m5.large in eu-west-3a') as string,
  });
});
