/** What comes back of policies that cannot work, and of a cloud that refuses: conditions, Events, Decisions, and what pods say. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import { expectCondition, expectEvent, expectPodsTold, expectTold } from '../told.js';
import type { Manifest, World } from '../world.js';

const NODE_CLASS = 'PolicyStatus/ec2nodeclass.default';
const CREATE_FLEET = 'ec2:CreateFleet';

export const BAD_INPUT: readonly ScenarioCase[] = [
  { name: 'a pool whose EC2NodeClass is missing says so, and so do its pods', run: withoutNodeClass },
  {
    name: 'a node class without a subnet says which term found none',
    run: (world) =>
      unresolved(world, {
        spec: { subnetSelectorTerms: [{ tags: { team: 'nobody' } }] },
        condition: 'SubnetsReady',
        why: 'spec.subnetSelectorTerms[0] (tags team=nobody): no subnet in eu-west-3 matches',
      }),
  },
  {
    name: 'an alias that AWS does not publish says so',
    run: (world) =>
      unresolved(world, {
        spec: { amiSelectorTerms: [{ alias: 'al2023@v20990101' }] },
        condition: 'AMIsReady',
        why: 'spec.amiSelectorTerms[0].alias al2023@v20990101: AWS publishes no such image',
      }),
  },
  {
    name: 'Amazon Linux 2 on a Kubernetes that it is not made for names Amazon Linux 2023',
    run: (world) =>
      unresolved(world, {
        spec: { amiSelectorTerms: [{ alias: 'al2@latest' }] },
        condition: 'AMIsReady',
        why: 'the last one is 1.32: use al2023@latest',
      }),
  },
  { name: 'a right that is missing is named', run: withoutRight },
  { name: 'CreateFleet refuses everything: the claim says why, and nothing is launched', run: refused },
  {
    name: 'CreateFleet is throttled: the claim says so, and is launched when it is not any more',
    run: throttled,
  },
  { name: 'nothing is in stock: the claims end, and the pods say which types are missing', run: outOfStock },
  { name: 'CreateFleet launches, and its answer is lost: as many instances as claims', run: answerLost },
  {
    name: 'messages that are none, of others, and twice: one replacement, and the queue is emptied',
    run: messages,
  },
];

async function withoutNodeClass(world: World): Promise<void> {
  const pool = new OwnPool('classless');
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'absent' };
  const scenario = await applied(world, pool, pool.manifest({ template: { nodeClassRef } }));
  const subject = `PolicyStatus/nodepool.${pool.name}`;
  await expectCondition(world, subject, [
    'NodeClassReady',
    'NodeClassNotFound',
    'no EC2NodeClass "absent" is accepted',
  ]);
  await expectTold(world, subject, ['Refuse', 'NodeClassNotFound', 'no EC2NodeClass "absent" is accepted']);
  const why = `NodePool ${pool.name}: EC2NodeClass absent does not exist; add it`;
  await expectPodsTold(world, pool, ['NodeClassNotFound', why]);
  await expectNothing(world, scenario, pool);
}

interface Unresolved {
  /** Of the node class. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly condition: string;
  readonly why: string;
}

async function unresolved(world: World, { spec, condition, why }: Unresolved): Promise<void> {
  const pool = new OwnPool('unresolved');
  const scenario = await applied(world, pool, nodeClass('default', spec), pool.manifest());
  await expectCondition(world, NODE_CLASS, [condition, 'NoneFound', 'nothing matches the selector terms']);
  await expectNotReady(world, pool, why);
  await expectNothing(world, scenario, pool);
}

async function withoutRight(world: World): Promise<void> {
  const pool = new OwnPool('rightless');
  const allow = world.cloud.deny(CREATE_FLEET);
  const scenario = await applied(world, pool, nodeClass(), pool.manifest());
  await expectNotReady(world, pool, `needs the permission ${CREATE_FLEET}`);
  await expectNothing(world, scenario, pool);
  allow();
}

async function refused(world: World): Promise<void> {
  const pool = new OwnPool('refused-fleet');
  const fault = { kind: 'error', code: 'InvalidParameterValue', message: 'no', status: 400 } as const;
  const scenario = await faulty(world, pool, { fault });
  const claim = await theClaim(world, pool);
  await expectTold(world, claim, [
    'Refuse',
    'LaunchFailed',
    'InvalidParameterValue: no; the launch will be retried',
  ]);
  await scenario.expectPending(pool.name, '');
  expect(pool.instances(world)).toEqual([]);
  world.cloud.faults.clear();
  await scenario.expectScheduled({ app: pool.name, pods: 1, whereFirstPlanned: false });
  await pool.expectSettled(world, 1);
}

async function throttled(world: World): Promise<void> {
  const pool = new OwnPool('throttled');
  const scenario = await faulty(world, pool, { fault: { kind: 'throttle' } });
  const claim = await theClaim(world, pool);
  await expectTold(world, claim, ['Refuse', 'LaunchDelayed', 'RequestLimitExceeded']);
  await scenario.expectPending(pool.name, '');
  world.cloud.faults.clear();
  await scenario.expectScheduled({ app: pool.name, pods: 1, whereFirstPlanned: false });
  await pool.expectSettled(world, 1);
}

async function outOfStock(world: World): Promise<void> {
  const pool = new OwnPool('sold-out');
  world.setStock({ instanceType: 'm5.large' }, 0);
  const scenario = await applied(world, pool, nodeClass(), pool.manifest());
  const why =
    'insufficient capacity: the instance types of the pool that fit are unavailable for now (m5.large)';
  await expectPodsTold(world, pool, ['OutOfStock', why]);
  const ended = await world.until(
    'a Decision that a claim ended without capacity',
    async () =>
      (await world.decisions()).find(
        ({ subject, reason }) =>
          subject.startsWith(`NodeClaim/${pool.name}-`) && reason === 'InsufficientCapacity',
      ),
    60,
  );
  await expectEvent(world, ended.subject, [
    'InsufficientCapacityError',
    'InsufficientInstanceCapacity (3 offerings)',
  ]);
  await expectNothing(world, scenario, pool);
  world.setStock({ instanceType: 'm5.large' }, Infinity);
}

async function answerLost(world: World): Promise<void> {
  const pool = new OwnPool('lost-answer');
  const scenario = await faulty(world, pool, { fault: { kind: 'lost-answer' }, times: 1, replicas: 3 });
  await scenario.expectScheduled({ app: pool.name, pods: 3, whereFirstPlanned: false });
  await pool.expectSettled(world, 3);
  await world.quietFor(120);
  await pool.expectSettled(world, 3);
  const launched = world.instances().filter(({ tags }) => tags.get('berth.sh/nodepool') === pool.name);
  expect(launched).toHaveLength(3);
}

async function messages(world: World): Promise<void> {
  const pool = new OwnPool('messages');
  const spot = { 'karpenter.sh/capacity-type': ['spot'] };
  const scenario = await applied(world, pool, nodeClass(), pool.manifest({ requirements: spot }));
  await scenario.expectScheduled({ app: pool.name, pods: 1 });
  const [first] = await pool.expectSettled(world, 1);
  const [instance] = pool.instances(world);
  const before = deletedMessages(world);
  for (const body of ['', 'no JSON', '{"version":"0"}', '[]', warning('i-00000000000000000')])
    world.cloud.sendMessage(body);
  world.cloud.sendMessage(
    JSON.stringify({ version: '0', source: 'aws.s3', 'detail-type': 'Object Created' }),
  );
  await world.until('they are deleted', () => Promise.resolve(deletedMessages(world) - before >= 6), 60);
  await scenario.expectQuiet(60, { pools: [pool.name], namespaces: [] });
  for (let copy = 0; copy < 3; copy++) world.cloud.sendMessage(warning(instance?.id ?? ''));
  world.cloud.interrupt(instance?.id ?? '');
  await world.until(
    'its node is replaced',
    async () => (await pool.claims(world)).every(({ name }) => name !== first?.name),
    180,
  );
  await pool.expectSettled(world, 1);
  await scenario.expectScheduled({ app: pool.name, pods: 1, whereFirstPlanned: false });
  const launched = world.instances().filter(({ tags }) => tags.get('berth.sh/nodepool') === pool.name);
  expect(launched.map(({ id }) => id)).toHaveLength(2);
  await world.until('all are deleted', () => Promise.resolve(deletedMessages(world) - before >= 10), 60);
}

/** The manifests, then one pod that wants the pool. */
async function applied(world: World, pool: OwnPool, ...manifests: readonly Manifest[]): Promise<Scenario> {
  const scenario = new Scenario(world);
  await scenario.given(...manifests);
  await scenario.whenApplied(deployment({ name: pool.name, pod: pool.wanted() }));
  return scenario;
}

interface Faulty {
  readonly fault: Parameters<World['cloud']['faults']['add']>[0]['fault'];
  readonly times?: number;
  /** Pods, each with an instance of its own. */
  readonly replicas?: number;
}

/** CreateFleet goes wrong from the launch on, not when the node class is looked into. */
async function faulty(
  world: World,
  pool: OwnPool,
  { fault, times, replicas = 1 }: Faulty,
): Promise<Scenario> {
  const scenario = new Scenario(world);
  await scenario.given(nodeClass(), pool.manifest());
  await world.until(
    'the node class is ready',
    async () =>
      (await world.policies()).some(
        ({ name, conditions }) =>
          name === 'ec2nodeclass.default' &&
          conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
      ),
    60,
  );
  world.cloud.faults.add({ action: CREATE_FLEET, times, fault });
  const requests = { cpu: '1500m' };
  await scenario.whenApplied(deployment({ name: pool.name, replicas, requests, pod: pool.wanted() }));
  return scenario;
}

/** `NodeClaim/<name>` of the pool's only claim. */
async function theClaim(world: World, pool: OwnPool): Promise<string> {
  const [claim] = await world.until(
    `pool ${pool.name} has a claim`,
    async () => {
      const claims = await pool.claims(world);
      return claims.length > 0 && claims;
    },
    60,
  );
  return `NodeClaim/${claim?.name ?? ''}`;
}

/** Node class, pool and pods say why. */
async function expectNotReady(world: World, pool: OwnPool, why: string): Promise<void> {
  await expectCondition(world, NODE_CLASS, ['Ready', 'NotResolved', why]);
  await expectTold(world, NODE_CLASS, ['Refuse', 'NotResolved', why]);
  const subject = `PolicyStatus/nodepool.${pool.name}`;
  await expectCondition(world, subject, ['NodeClassReady', 'NodeClassNotReady', why]);
  await expectPodsTold(world, pool, ['NodeClassNotReady', why]);
}

/** Neither claim nor instance, and the pods wait. */
async function expectNothing(world: World, scenario: Scenario, pool: OwnPool): Promise<void> {
  await scenario.expectPending(pool.name, '');
  expect(await pool.claims(world)).toEqual([]);
  expect(pool.instances(world)).toEqual([]);
}

/** The event that EC2 sends two minutes before it takes a spot instance back. */
function warning(id: string): string {
  return JSON.stringify({
    version: '0',
    id: '00000000-0000-4000-8000-000000000000',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    account: '000000000000',
    time: '2026-01-01T00:00:00Z',
    region: 'eu-west-3',
    resources: [`arn:aws:ec2:eu-west-3a:instance/${id}`],
    detail: { 'instance-id': id, 'instance-action': 'terminate' },
  });
}

/** How many messages the queue's reader has deleted. */
function deletedMessages({ cloud }: World): number {
  return cloud.log
    .recent('sqs:DeleteMessageBatch')
    .map(({ body }) => (JSON.parse(body) as { readonly Entries: readonly unknown[] }).Entries.length)
    .reduce((sum, each) => sum + each, 0);
}
