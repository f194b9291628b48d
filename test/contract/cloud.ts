/** What every adapter of the Cloud port promises: laws that a test file runs against its adapter. */
import type { NodeClass } from '../../src/domain/policies/node-class.js';
import { UNREGISTERED_TAINT } from '../../src/domain/nodes/node-claim.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  NODECLAIM_TAG,
  type Cloud,
  type LaunchCall,
  type LaunchIntent,
} from '../../src/ports/cloud.js';
import { hasCode } from '../../src/ports/port-error.js';

/** A cloud as the laws need it; a new one for each. */
export interface CloudUnderTest {
  readonly cloud: Cloud;
  /** Zones in which there are subnets, and a type that is sold in them on spot and on demand. */
  readonly zones: readonly string[];
  readonly instanceType: string;
  /** What is launched from. */
  readonly source: NodeClass;
  /** What the Node of an instance has as spec.providerID. */
  readonly providerID: (instance: { readonly id: string; readonly zone: string }) => string;
  /** Whether instances have subnets and images. */
  readonly hasNetwork: boolean;
  /** So many instances of the type are left in the zone. */
  readonly leave: (zone: string, instances: number) => void;
  /** What all launches from `source` need is gone: its security groups, or the permission to create nodes. */
  readonly breakNodeClass: () => void;
  /** Lets the cloud's time pass until all is settled and seen. */
  readonly settle: () => Promise<void>;
}

export interface CloudLaw {
  /** The end of a sentence that begins with the adapter's name. */
  readonly behaviour: string;
  readonly expectOf: (world: CloudUnderTest) => Promise<void>;
}

export const CLOUD_LAWS: readonly CloudLaw[] = [
  { behaviour: 'resolves a node class to zones, subnets and images', expectOf: expectResolved },
  { behaviour: 'prepares what will be asked without starting anything', expectOf: expectPrepared },
  { behaviour: 'launches as many as asked for, and shows them by their tags', expectOf: expectLaunched },
  { behaviour: 'answers the same call with the same instances', expectOf: expectSame },
  { behaviour: 'launches once for one token, however many ask at once', expectOf: expectOnce },
  { behaviour: 'refuses a token that was used with other words', expectOf: expectMismatch },
  { behaviour: 'refuses a token that is empty, too long or not ASCII', expectOf: expectShortToken },
  { behaviour: 'takes another zone where one is out of stock', expectOf: expectOtherZone },
  { behaviour: 'answers fewer instances where there are fewer, and says why', expectOf: expectPartial },
  { behaviour: 'answers no instance where there is none: that is no error', expectOf: expectNone },
  { behaviour: 'blames no offering for what the whole node class lacks', expectOf: expectPoolBlamed },
  { behaviour: 'tags instances, keeping the tags they have', expectOf: expectTags },
  { behaviour: 'reboots an instance that there is, which runs on as it is', expectOf: expectRebooted },
  { behaviour: 'ends instances, and does not mind being asked again', expectOf: expectEnded },
  { behaviour: 'does nothing for a caller that gave up already', expectOf: expectNothing },
];

const TAGS = new Map([
  [CLUSTER_TAG, 'cluster-1'],
  [LAUNCH_GROUP_TAG, 'group-1'],
]);

function intentOf(world: CloudUnderTest, overrides: Partial<LaunchIntent> = {}): LaunchIntent {
  return {
    nodeClass: world.source,
    capacityType: 'on-demand',
    offerings: world.zones.map((zone) => ({ instanceType: world.instanceType, zone, price: 0.1 })),
    size: 1,
    labels: new Map([['karpenter.sh/nodepool', 'general']]),
    taints: [UNREGISTERED_TAINT],
    ...overrides,
  };
}

async function callOf(world: CloudUnderTest, overrides: Partial<LaunchIntent> = {}): Promise<LaunchCall> {
  const intent = intentOf(world, overrides);
  const request = await world.cloud.prepareLaunch(intent);
  const { labels, taints } = intent;
  return { token: 'token-1', request, tags: TAGS, labels, taints };
}

async function expectResolved({ cloud, zones, source, hasNetwork }: CloudUnderTest): Promise<void> {
  const resolved = await cloud.resolveNodeClass(source);
  expect(resolved.problems).toEqual([]);
  expect(resolved.zones).toEqual(zones);
  for (const ids of [resolved.subnetIDs, resolved.imageIDs]) expect((ids ?? []).length > 0).toBe(hasNetwork);
}

async function expectPrepared(world: CloudUnderTest): Promise<void> {
  const { cloud, zones, instanceType, settle } = world;
  const first = await cloud.prepareLaunch(intentOf(world, { size: 2 }));
  const second = await cloud.prepareLaunch(intentOf(world, { size: 2 }));
  expect(second).toEqual(first);
  expect(first).toMatchObject({ capacityType: 'on-demand', size: 2 });
  const asked = first.overrides.map((override) => `${override.instanceType} ${override.zone}`);
  expect(asked).toEqual(zones.map((zone) => `${instanceType} ${zone}`));
  await settle();
  expect(await cloud.instances(TAGS)).toEqual([]);
}

async function expectLaunched(world: CloudUnderTest): Promise<void> {
  const { instances, failures } = await world.cloud.launch(await callOf(world, { size: 3 }));
  expect(failures).toEqual([]);
  expect(new Set(instances.map(({ id }) => id)).size).toBe(3);
  for (const instance of instances) {
    const { providerID, instanceType, capacityType } = instance;
    expect(providerID).toBe(world.providerID(instance));
    expect([instanceType, capacityType]).toEqual([world.instanceType, 'on-demand']);
  }
  await world.settle();
  const shown = await world.cloud.instances(TAGS);
  expect(shown.map(({ id }) => id).sort()).toEqual(instances.map(({ id }) => id).sort());
  expect(shown.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
}

async function expectSame(world: CloudUnderTest): Promise<void> {
  const { cloud, settle } = world;
  const call = await callOf(world, { size: 2 });
  const first = await cloud.launch(call);
  // Read back from elsewhere, keys come in another order.
  const request = Object.fromEntries(
    Object.entries(call.request).reverse(),
  ) as unknown as typeof call.request;
  const second = await cloud.launch({ ...call, request, tags: new Map([...TAGS].reverse()) });
  expect(second.instances.map(({ id }) => id)).toEqual(first.instances.map(({ id }) => id));
  await settle();
  expect(await cloud.instances(TAGS)).toHaveLength(2);
}

async function expectOnce(world: CloudUnderTest): Promise<void> {
  const call = await callOf(world);
  const answers = await Promise.all(Array.from({ length: 5 }, () => world.cloud.launch(call)));
  const ids = answers.flatMap(({ instances }) => instances.map(({ id }) => id));
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(1);
}

async function expectMismatch(world: CloudUnderTest): Promise<void> {
  const call = await callOf(world);
  await world.cloud.launch(call);
  const other = new Map([['other', 'value']]);
  const changes: readonly Partial<LaunchCall>[] = [
    { request: { ...call.request, size: 2 } },
    { request: { ...call.request, capacityType: 'spot' } },
    { request: { ...call.request, overrides: call.request.overrides.slice(1) } },
    { tags: other },
  ];
  for (const change of changes)
    await expect(world.cloud.launch({ ...call, ...change })).rejects.toMatchObject({ code: 'TokenMismatch' });
}

async function expectShortToken(world: CloudUnderTest): Promise<void> {
  const call = await callOf(world);
  for (const token of ['x'.repeat(65), '', 'é'])
    await expect(world.cloud.launch({ ...call, token })).rejects.toMatchObject({ code: 'Invalid' });
}

async function expectOtherZone(world: CloudUnderTest): Promise<void> {
  const [first = '', ...others] = world.zones;
  world.leave(first, 0);
  const { instances } = await world.cloud.launch(await callOf(world, { size: 2 }));
  expect(instances).toHaveLength(2);
  for (const { zone } of instances) expect(others).toContain(zone);
}

async function expectPartial(world: CloudUnderTest): Promise<void> {
  for (const [index, zone] of world.zones.entries()) world.leave(zone, index === 0 ? 1 : 0);
  const call = await callOf(world, { size: 3 });
  const { instances, failures } = await world.cloud.launch(call);
  expect(instances.map(({ zone }) => zone)).toEqual([world.zones[0]]);
  const complaints = failures.map(({ zone, code }) => `${zone} ${code}`);
  expect(complaints).toEqual(world.zones.map((zone) => `${zone} InsufficientInstanceCapacity`));
  expect((await world.cloud.launch(call)).failures).toEqual(failures);
}

async function expectNone(world: CloudUnderTest): Promise<void> {
  for (const zone of world.zones) world.leave(zone, 0);
  const { instances, failures } = await world.cloud.launch(await callOf(world, { capacityType: 'spot' }));
  expect(instances).toEqual([]);
  expect(failures).toHaveLength(world.zones.length);
}

/** Refused as a whole, or with a failure for each offering: both reach the NodePool. */
async function expectPoolBlamed(world: CloudUnderTest): Promise<void> {
  const call = await callOf(world, { size: 2 });
  world.breakNodeClass();
  const reaches = await world.cloud.launch(call).then(
    ({ failures }) => failures.map(({ reach }) => reach),
    (error: unknown) => (hasCode(error, 'Invalid', 'Forbidden', 'NotFound') ? ['pool'] : [error]),
  );
  expect(new Set(reaches)).toEqual(new Set(['pool']));
  await world.settle();
  expect(await world.cloud.instances(TAGS)).toEqual([]);
}

async function expectTags(world: CloudUnderTest): Promise<void> {
  const { cloud, settle } = world;
  const { instances } = await cloud.launch(await callOf(world, { size: 2 }));
  const [first] = instances;
  const claim = new Map([[NODECLAIM_TAG, 'general-1']]);
  await cloud.tagInstances([first?.id ?? ''], claim);
  await settle();
  const tagged = await cloud.instances(new Map([...TAGS, ...claim]));
  expect(tagged.map(({ id }) => id)).toEqual([first?.id]);
  expect(await cloud.instances(TAGS)).toHaveLength(2);
  expect(await cloud.instances(new Map([[CLUSTER_TAG, 'another']]))).toEqual([]);
}

async function expectRebooted(world: CloudUnderTest): Promise<void> {
  const { cloud, settle } = world;
  const [instance] = (await cloud.launch(await callOf(world))).instances;
  await settle();
  const before = await cloud.instances(TAGS);
  await cloud.reboot(instance?.id ?? '', 'reboot-1');
  await settle();
  expect(await cloud.instances(TAGS)).toEqual(before);
  const unknown = cloud.reboot('i-00000000000000000', 'reboot-2');
  expect(hasCode(await unknown.catch((error: unknown) => error), 'NotFound')).toBe(true);
}

async function expectEnded(world: CloudUnderTest): Promise<void> {
  const { cloud, settle } = world;
  const { instances } = await cloud.launch(await callOf(world, { size: 2 }));
  const ids = instances.map(({ id }) => id);
  await cloud.terminate(ids);
  await cloud.terminate(ids);
  await cloud.terminate(['i-00000000000000000']);
  await settle();
  const states = (await cloud.instances(TAGS)).map(({ state }) => state);
  expect(states.filter((state) => state !== 'terminated')).toEqual([]);
}

async function expectNothing(world: CloudUnderTest): Promise<void> {
  const call = await callOf(world);
  const cancelled = { code: 'Cancelled' };
  await expect(world.cloud.launch(call, AbortSignal.abort())).rejects.toMatchObject(cancelled);
  await world.settle();
  expect(await world.cloud.instances(TAGS)).toEqual([]);
}
