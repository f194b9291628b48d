/** The fake cloud in process: the contract, and what is its own. */
import type { CloudInstance } from '../../../src/ports/cloud.js';
import type { InstanceEvent } from './fake-cloud.js';
import { CLOUD_LAWS } from '../../contract/cloud.js';
import { DEFAULT_NODE_CLASS } from '../../../src/clouds/aws/catalogue/default-node-class.js';
import { launchCall, TEST_ZONES, testCloud } from './test-cloud.js';

test.each(CLOUD_LAWS)('FakeCloud $behaviour', async ({ expectOf }) => {
  const { cloud, clock } = testCloud({ consistencyMillis: 3000 });
  await expectOf({
    cloud,
    source: DEFAULT_NODE_CLASS,
    providerID: ({ id, zone }) => `aws:///${zone}/${id}`,
    hasNetwork: true,
    zones: TEST_ZONES,
    instanceType: 'm5.large',
    leave: (zone, instances) => {
      cloud.stock.set({ zone, instanceType: 'm5.large' }, instances);
    },
    breakNodeClass: () => {
      cloud.faults.next('launch', { kind: 'forbidden' });
    },
    settle: () => clock.advance(10_000),
  });
});

function offeringsOf(instances: readonly CloudInstance[]): readonly string[] {
  return instances.map(({ instanceType, zone }) => `${instanceType} ${zone.slice(-1)}`);
}

describe('states', () => {
  test('an instance is pending, running, shutting-down, terminated, and forgotten after an hour', async () => {
    const { cloud, clock } = testCloud();
    const { instances } = await cloud.launch(launchCall(['m5.large eu-west-3a']));
    const states = (): readonly string[] => cloud.fleet().map(({ state }) => state);
    expect(states()).toEqual(['pending']);
    await clock.advance(2000);
    expect(states()).toEqual(['running']);
    await cloud.terminate(instances.map(({ id }) => id));
    expect(states()).toEqual(['shutting-down']);
    await clock.advance(2000);
    expect(states()).toEqual(['terminated']);
    await clock.advance(3_600_000);
    expect(states()).toEqual([]);
  });

  test('instances and tags are seen as late as the cloud is consistent', async () => {
    const { cloud, clock } = testCloud({ consistencyMillis: 20_000 });
    const { instances } = await cloud.launch(launchCall(['m5.large eu-west-3a']));
    const tags = new Map([['berth.sh/nodeclaim', 'general-1']]);
    await clock.advance(5000);
    await cloud.tagInstances(
      instances.map(({ id }) => id),
      tags,
    );
    await clock.advance(14_999);
    expect(await cloud.instances(new Map())).toEqual([]);
    await clock.advance(1);
    expect(await cloud.instances(new Map())).toMatchObject([{ state: 'pending' }]);
    expect(await cloud.instances(tags)).toEqual([]);
    await clock.advance(5000);
    expect(await cloud.instances(tags)).toMatchObject([{ state: 'running' }]);
  });
});

describe('allocation', () => {
  const EVERY = ['m6i.large', 'm5.large', 'm6a.large'].flatMap((type) =>
    TEST_ZONES.map((zone) => `${type} ${zone}`),
  );

  test('on-demand takes the cheapest pool until it is empty, then the next', async () => {
    const { cloud } = testCloud();
    cloud.stock.set({ instanceType: 'm6a.large' }, 1);
    const { instances, failures } = await cloud.launch(launchCall(EVERY, { size: 5 }));
    expect(offeringsOf(instances)).toEqual([
      'm6a.large a',
      'm6a.large b',
      'm6a.large c',
      'm6i.large a',
      'm6i.large a',
    ]);
    expect(failures.map(({ instanceType }) => instanceType)).toEqual(['m6a.large', 'm6a.large', 'm6a.large']);
  });

  test('spot takes the cheapest pool that is deep enough for all of it', async () => {
    const { cloud } = testCloud();
    cloud.stock.set({ capacityType: 'spot' }, 2);
    cloud.stock.set({ instanceType: 'm6i.large', zone: 'eu-west-3b', capacityType: 'spot' }, 7);
    const deep = await cloud.launch(launchCall(EVERY, { size: 5, capacityType: 'spot' }));
    expect(new Set(offeringsOf(deep.instances))).toEqual(new Set(['m6i.large b']));
    expect(deep.failures).toEqual([]);
    const shallow = await cloud.launch(
      launchCall(EVERY, { size: 2, capacityType: 'spot', token: 'another' }),
    );
    expect(new Set(offeringsOf(shallow.instances))).toEqual(new Set(['m6a.large a']));
  });

  test('spot goes from the deepest pool on when none is deep enough', async () => {
    const { cloud } = testCloud({ stock: 0 });
    cloud.stock.set({ instanceType: 'm5.large', zone: 'eu-west-3a' }, 2);
    cloud.stock.set({ instanceType: 'm6i.large', zone: 'eu-west-3b' }, 3);
    const { instances, failures } = await cloud.launch(launchCall(EVERY, { size: 6, capacityType: 'spot' }));
    expect(offeringsOf(instances)).toEqual([
      ...['m6i.large b', 'm6i.large b', 'm6i.large b'],
      ...['m5.large a', 'm5.large a'],
    ]);
    expect(failures).toHaveLength(9);
  });

  test('what is not sold in a zone is a failure, not an error', async () => {
    const { cloud } = testCloud({ zones: ['eu-west-3a'] });
    const { instances, failures } = await cloud.launch(
      launchCall(['m5.large eu-west-3b', 'no.type eu-west-3a', 'm5.large eu-west-3a']),
    );
    expect(instances).toHaveLength(1);
    expect(failures.map(({ code }) => code)).toEqual([
      'InvalidFleetConfiguration',
      'InvalidFleetConfiguration',
    ]);
  });
});

describe('kubelets', () => {
  test('hear of instances that come up and go down, with what nodes register with and have', async () => {
    const { cloud, clock } = testCloud();
    const events: InstanceEvent[] = [];
    const stop = cloud.onInstance((event) => events.push(event));
    const labels = new Map([['team', 'web']]);
    const call = launchCall(['m5.large eu-west-3a'], {
      labels,
      taints: [{ key: 'a', value: '', effect: 'NoExecute' }],
    });
    const { instances } = await cloud.launch(call);
    await clock.advance(1999);
    expect(events).toEqual([]);
    await clock.advance(1);
    await cloud.terminate(instances.map(({ id }) => id));
    expect(events.map(({ kind, instance }) => `${kind} ${instance.state}`)).toEqual([
      'running running',
      'ended shutting-down',
    ]);
    expect(events[0]).toMatchObject({ labels, taints: call.taints });
    expect(events[0]?.capacity.get('cpu')).toBe(2000);
    stop();
    await cloud.launch(launchCall(['m6i.large eu-west-3a']));
    await clock.advance(5000);
    expect(events).toHaveLength(2);
  });

  test('hear nothing of an instance that ended before it ran', async () => {
    const { cloud, clock } = testCloud();
    const events: InstanceEvent[] = [];
    cloud.onInstance((event) => events.push(event));
    const { instances } = await cloud.launch(launchCall(['m5.large eu-west-3a']));
    await cloud.terminate(instances.map(({ id }) => id));
    await clock.advance(60_000);
    expect(events).toEqual([]);
  });

  test('have what the launch’s node class leaves them', async () => {
    const { cloud, clock } = testCloud();
    const events: InstanceEvent[] = [];
    cloud.onInstance((event) => events.push(event));
    const kubelet = { ...DEFAULT_NODE_CLASS.kubelet, maxPods: 11 };
    const request = await cloud.prepareLaunch({
      nodeClass: { ...DEFAULT_NODE_CLASS, kubelet } as typeof DEFAULT_NODE_CLASS,
      capacityType: 'spot',
      offerings: [{ instanceType: 'm5.large', zone: 'eu-west-3a', price: 0.1 }],
      size: 1,
      labels: new Map(),
      taints: [],
    });
    await cloud.launch({ ...launchCall([]), request });
    await clock.advance(2000);
    expect(events[0]?.allocatable.get('pods')).toBe(11);
  });

  test('a launch template that was never prepared is refused', async () => {
    const { cloud } = testCloud();
    const call = launchCall(['m5.large eu-west-3a']);
    const [override] = call.request.overrides;
    const overrides = override ? [{ ...override, launchTemplate: { id: 'lt-unknown', version: '1' } }] : [];
    await expect(cloud.launch({ ...call, request: { ...call.request, overrides } })).rejects.toMatchObject({
      code: 'Invalid',
    });
  });
});

describe('faults', () => {
  test.each([
    ['answer-lost', 'TimedOut', 1],
    ['timed-out', 'TimedOut', 0],
    ['unavailable', 'Unavailable', 0],
    ['throttled', 'RateLimited', 0],
  ] as const)('%s is %s and leaves %i instance', async (kind, code, left) => {
    const { cloud } = testCloud();
    cloud.faults.next('launch', { kind });
    const call = launchCall(['m5.large eu-west-3a']);
    await expect(cloud.launch(call)).rejects.toMatchObject({ code, retryable: true });
    expect(cloud.fleet()).toHaveLength(left);
    await cloud.launch(call);
    expect(cloud.fleet()).toHaveLength(1);
  });

  test('a call that stalls lasts until its caller gives up', async () => {
    const { cloud } = testCloud();
    cloud.faults.next('instances', { kind: 'stalled' });
    const patience = new AbortController();
    const answer = cloud.instances(new Map(), patience.signal);
    patience.abort();
    await expect(answer).rejects.toMatchObject({ code: 'Cancelled' });
  });
});
