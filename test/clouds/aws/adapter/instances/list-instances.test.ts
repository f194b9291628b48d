/** Listing instances: page by page, each once. */
import {
  anyLiveInstance,
  instancesOfIDs,
  listInstances,
} from '../../../../../src/clouds/aws/adapter/instances/list-instances.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2Answer, ec2List, FakeAws, xml } from '../../../../support/fake-aws.js';

function instance(id: string, rest = ''): string {
  const fields = xml({
    instanceId: id,
    imageId: 'ami-1',
    instanceType: 'm5.large',
    launchTime: '2026-01-01T00:00:00.000Z',
  });
  return `${fields}<instanceState><code>16</code><name>running</name></instanceState><placement><availabilityZone>eu-west-3a</availabilityZone></placement>${rest}`;
}

function page(instances: readonly string[], next = ''): ReturnType<typeof ec2Answer> {
  const token = next === '' ? '' : `<nextToken>${next}</nextToken>`;
  return ec2Answer(
    'DescribeInstances',
    ec2List('reservationSet', [ec2List('instancesSet', instances)]) + token,
  );
}

const WANTED = new Map([['berth.sh/cluster', 'a*b?']]);

test('all pages are read, and an instance that is on two of them is told once', async () => {
  const aws = new FakeAws().answer(
    'DescribeInstances',
    page([instance('i-1'), instance('i-2')], 'more'),
    page([instance('i-2'), instance('i-3')]),
  );
  const instances = await listInstances(clientsOf(aws), WANTED);
  expect(instances.map(({ id }) => id)).toEqual(['i-1', 'i-2', 'i-3']);
  expect(aws.asked.map(({ fields }) => fields['NextToken'])).toEqual([undefined, 'more']);
  expect(aws.asked[0]?.fields).toMatchObject({
    'Filter.1.Name': 'tag:berth.sh/cluster',
    'Filter.1.Value.1': String.raw`a\*b\?`,
    // As many as are parsed without keeping kube-scheduler waiting.
    MaxResults: '100',
  });
});

test('an instance is told as EC2 has it, and what has no id or no known state is left out', async () => {
  const target =
    '<capacityReservationTarget><capacityReservationId>cr-1</capacityReservationId></capacityReservationTarget>';
  const asked = `<capacityReservationSpecification>${target}</capacityReservationSpecification>`;
  const aws = new FakeAws().answer(
    'DescribeInstances',
    page([
      instance('i-spot', '<instanceLifecycle>spot</instanceLifecycle>'),
      instance('i-reserved', `<capacityReservationId>cr-1</capacityReservationId>${asked}`),
      // Its reservation has ended.
      instance('i-left', asked),
      instance('i-starting', asked).replace('running', 'pending'),
      instance('i-tagged', ec2List('tagSet', [xml({ key: 'Name', value: 'x' })])),
      xml({ instanceId: 'i-odd' }),
      '',
    ]),
  );
  const instances = await listInstances(clientsOf(aws), new Map());
  expect(instances.map(({ id, capacityType }) => [id, capacityType])).toEqual([
    ['i-spot', 'spot'],
    ['i-reserved', 'reserved'],
    ['i-left', 'on-demand'],
    ['i-starting', 'reserved'],
    ['i-tagged', 'on-demand'],
  ]);
  expect(instances[4]).toMatchObject({
    providerID: 'aws:///eu-west-3a/i-tagged',
    state: 'running',
    launchedAt: Date.UTC(2026, 0, 1),
    imageID: 'ami-1',
    tags: new Map([['Name', 'x']]),
  });
});

test('for one instance that lives, pages are read until there is one', async () => {
  const aws = new FakeAws().answer(
    'DescribeInstances',
    page([], 'more'),
    page([instance('i-1'), instance('i-2')], 'even more'),
  );
  expect((await anyLiveInstance(clientsOf(aws), WANTED))?.id).toBe('i-1');
  expect(aws.asked.map(({ fields }) => fields['NextToken'])).toEqual([undefined, 'more']);
  expect(aws.asked[0]?.fields).toMatchObject({
    'Filter.1.Name': 'tag:berth.sh/cluster',
    'Filter.2.Name': 'instance-state-name',
    'Filter.2.Value.1': 'pending',
    'Filter.2.Value.2': 'running',
    MaxResults: '5',
  });
});

test('where no instance lives there is none', async () => {
  const aws = new FakeAws().answer('DescribeInstances', page([]));
  expect(await anyLiveInstance(clientsOf(aws), WANTED)).toBeUndefined();
});

test('instances of which the ids are known are asked for two hundred at a time, and by their tags', async () => {
  const aws = new FakeAws().answer('DescribeInstances', page([instance('i-0')]), page([instance('i-200')]));
  const ids = Array.from({ length: 201 }, (_, index) => `i-${String(index)}`);
  const instances = await instancesOfIDs(clientsOf(aws), { ids, tags: WANTED });
  expect(instances.map(({ id }) => id)).toEqual(['i-0', 'i-200']);
  expect(aws.asked).toHaveLength(2);
  expect(aws.asked[1]?.fields).toMatchObject({
    'Filter.1.Name': 'tag:berth.sh/cluster',
    'Filter.2.Name': 'instance-id',
    'Filter.2.Value.1': 'i-200',
  });
});
