/** The placement group of a node class, from the selector to the launch, over the simulated AWS. */
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchIntent, outcomeOf, simulatedWorld, ZONES } from '../simulated-world.js';

const SPREAD = { id: 'pg-0a1b2c3d', name: 'apart', strategy: 'spread' } as const;

function resolve(selector: Readonly<Record<string, string>>, world = simulatedWorld()) {
  const nodeClass = ec2NodeClass({ placementGroupSelector: selector });
  return outcomeOf(world.clock, world.cloud.resolveNodeClass(nodeClass));
}

test.each([{ name: 'apart' }, { id: 'pg-0a1b2c3d' }])(
  'the group that %j selects is looked up, and stands in the status',
  async (selector) => {
    const world = simulatedWorld();
    world.aws.addPlacementGroup(SPREAD);
    expect(await resolve(selector, world)).toMatchObject({
      problems: [],
      placementGroup: { ...SPREAD, spreadLevel: 'rack', partitions: 0, others: new Map() },
      objects: { placementGroups: [{ ...SPREAD, spreadLevel: 'rack', partitionCount: undefined }] },
    });
  },
);

test('a class without a selector asks for no group, and has none', async () => {
  const world = simulatedWorld();
  const resolved = await outcomeOf(world.clock, world.cloud.resolveNodeClass(ec2NodeClass()));
  expect(resolved).not.toHaveProperty('placementGroup');
  expect(resolved).not.toHaveProperty('objects.placementGroups');
});

test('a group that does not exist, or is being deleted, is a problem of the class that says what to do', async () => {
  expect(await resolve({ name: 'nowhere' })).toMatchObject({
    problems: [
      'spec.placementGroupSelector.name nowhere: there is no such placement group in eu-west-3: create it, or correct the selector',
    ],
    objects: { placementGroups: [] },
  });
  const world = simulatedWorld();
  world.aws.addPlacementGroup({ ...SPREAD, state: 'deleting' });
  expect(await resolve({ id: SPREAD.id }, world)).toMatchObject({
    problems: [
      `spec.placementGroupSelector.id ${SPREAD.id}: the placement group is deleting, and has to be available`,
    ],
  });
});

test('instances start in the partition that their labels name, and others in one of the choice of EC2, which is told', async () => {
  const world = simulatedWorld();
  world.aws.addPlacementGroup({ id: 'pg-1', name: 'parted', strategy: 'partition', partitions: 3 });
  const nodeClass = ec2NodeClass({ placementGroupSelector: { name: 'parted' } });
  const launch = async (token: string, labels: ReadonlyMap<string, string>) => {
    const intent = launchIntent({ nodeClass, labels });
    const request = await outcomeOf(world.clock, world.cloud.prepareLaunch(intent));
    if (request instanceof Error) throw request;
    const tags = new Map([['launch', token]]);
    const { taints } = intent;
    await outcomeOf(world.clock, world.cloud.launch({ token, request, tags, labels, taints }));
    await world.clock.advance(10_000);
    const found = await outcomeOf(world.clock, world.cloud.instances(tags));
    if (found instanceof Error) throw found;
    return found.map(({ partition }) => partition);
  };
  expect(await launch('a', new Map([['karpenter.k8s.aws/placement-group-partition', '2']]))).toEqual([2]);
  expect(await launch('b', new Map())).toEqual([1]);
});

test('instances in the group that are not of the cluster are counted by zone', async () => {
  const world = simulatedWorld();
  world.aws.addPlacementGroup(SPREAD);
  const intent = launchIntent({ nodeClass: ec2NodeClass({ placementGroupSelector: { name: 'apart' } }) });
  const request = await outcomeOf(world.clock, world.cloud.prepareLaunch(intent));
  if (request instanceof Error) throw request;
  const call = {
    token: 'other',
    request,
    tags: new Map([['berth.sh/cluster', 'another']]),
    labels: new Map(),
    taints: [],
  };
  await outcomeOf(world.clock, world.cloud.launch(call));
  await world.clock.advance(70_000);
  const resolved = await resolve({ name: 'apart' }, world);
  expect(resolved).toHaveProperty('placementGroup.others', new Map([[ZONES[0], 1]]));
});
