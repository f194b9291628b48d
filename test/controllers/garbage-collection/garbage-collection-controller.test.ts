/** Garbage collection beside the life of claims. */
import { TERMINATION_FINALIZER } from '../../../src/domain/nodes/node-claim.js';
import { CLUSTER_TAG, NODECLAIM_TAG, type Cloud, type LaunchCall } from '../../../src/ports/cloud.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { ClaimWorld, cloudWith, CLUSTER_UID } from '../node-claim/claim-world.js';

function stray(clusterUID: string): LaunchCall {
  const [override] = launchStatus().request.overrides;
  return {
    token: `stray-${clusterUID}`,
    request: {
      capacityType: 'spot',
      size: 1,
      overrides: override ? [{ ...override, launchTemplate: undefined }] : [],
    },
    tags: new Map([[CLUSTER_TAG, clusterUID]]),
    labels: new Map(),
    taints: [],
  };
}

test('an instance of ours without a claim is ended within two and a half minutes, one of another cluster never', async () => {
  const world = new ClaimWorld({ consistencyMillis: 20_000 });
  world.start();
  await world.seconds(1);
  await world.cloud.launch(stray(CLUSTER_UID));
  await world.cloud.launch(stray('another'));
  await world.seconds(155);
  expect(world.liveInstances().map(({ tags }) => tags.get(CLUSTER_TAG))).toEqual(['another']);
  expect(world.reasons()).toContain('OrphanedInstance');
});

test('an instance is kept while its NodeClaim is there, however late the watch tells of it', async () => {
  const world = new ClaimWorld({ consistencyMillis: 20_000, watchLagMillis: 400_000 });
  world.start();
  await world.seconds(100);
  const call = stray(CLUSTER_UID);
  const tags = new Map([...call.tags, [NODECLAIM_TAG, 'adopted-1']]);
  const { instances } = await world.cloud.launch({ ...call, tags });
  const status = { providerID: instances[0]?.providerID };
  const adopted = world.kube.objects.put('NodeClaim', nodeClaim({ name: 'adopted-1', status }));
  await world.seconds(300);
  expect(world.liveInstances()).toHaveLength(1);
  world.kube.fail({ method: 'readNodeClaim', code: 'Unavailable', times: 2 });
  world.kube.objects.remove('NodeClaim', adopted.name);
  await world.seconds(50);
  expect(world.liveInstances()).toHaveLength(1);
  await world.seconds(60);
  expect(world.liveInstances()).toEqual([]);
});

test('a wall clock that is set forward makes no instance old: it has to be seen without a claim for a while', async () => {
  const world = new ClaimWorld({ consistencyMillis: 20_000 });
  const { garbageCollection } = world.start();
  await world.seconds(100);
  await world.cloud.launch(stray(CLUSTER_UID));
  world.clock.stepWall(3_600_000);
  const { signal } = new AbortController();
  await garbageCollection.collect(signal);
  expect(world.liveInstances()).toHaveLength(1);
  await world.seconds(10);
  await garbageCollection.collect(signal);
  expect(world.liveInstances()).toHaveLength(1);
  await world.seconds(40);
  await garbageCollection.collect(signal);
  expect(world.liveInstances()).toEqual([]);
});

test('a claim whose instance was ended by others goes, and its node too', async () => {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(30);
  await world.cloud.terminate(world.liveInstances().map(({ id }) => id));
  await world.seconds(130);
  expect(world.claims()).toEqual([]);
  expect(world.nodes()).toEqual([]);
  expect(world.reasons()).toContain('InstanceGone');
});

test('an instance that the cloud forgets to list for a moment is not missed', async () => {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(100);
  const instances = world.cloud.instances.bind(world.cloud);
  world.cloud.instances = () => Promise.resolve([]);
  await world.seconds(50);
  world.cloud.instances = instances;
  await world.seconds(300);
  expect(world.claims()).toHaveLength(1);
  world.cloud.instances = () => Promise.resolve([]);
  await world.seconds(300);
  expect(world.reasons()).toContain('InstanceGone');
});

test('a claim whose node was removed by force goes after a while', async () => {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(30);
  world.kube.objects.remove('Node', world.nodes()[0]?.name ?? '');
  await world.seconds(300);
  expect(world.claims()).toEqual([]);
  expect(world.liveInstances()).toEqual([]);
  expect(world.reasons()).toContain('NodeGone');
});

test('a node whose claim was removed by force is let go when its instance has ended', async () => {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(30);
  world.kube.objects.remove('NodeClaim', 'general-1');
  expect(world.nodes()[0]?.finalizers).toEqual([TERMINATION_FINALIZER]);
  await world.seconds(300);
  expect(world.liveInstances()).toEqual([]);
  expect(world.nodes()).toEqual([]);
});

test('nodes of others are not touched', async () => {
  const world = new ClaimWorld();
  const theirs = observedNode({ name: 'theirs', finalizers: ['karpenter.sh/termination'] });
  world.kube.objects.put('Node', theirs);
  world.start();
  await world.seconds(300);
  expect(world.nodes()).toMatchObject([{ name: 'theirs', finalizers: ['karpenter.sh/termination'] }]);
  expect(world.kube.writes).toEqual([]);
});

test('a tag that could not be set is set later', async () => {
  const world = new ClaimWorld();
  world.cloud.faults.next('tagInstances', { kind: 'unavailable' });
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(30);
  expect(world.cloud.fleet()[0]?.tags.has('berth.sh/nodeclaim')).toBe(false);
  await world.seconds(120);
  expect(world.cloud.fleet()[0]?.tags.get('berth.sh/nodeclaim')).toBe('general-1');
});

test('a tag that is set later leaves the name that the node class gives its instances', async () => {
  const world = new ClaimWorld();
  world.cloud.faults.next('tagInstances', { kind: 'unavailable' });
  const tags = new Map([['Name', 'mine']]);
  const prepareLaunch: Cloud['prepareLaunch'] = async (intent, signal) => ({
    ...(await world.cloud.prepareLaunch(intent, signal)),
    tags,
  });
  world.start({ cloud: cloudWith(world.cloud, { prepareLaunch }) });
  await world.launchGroup(['general-1']);
  await world.seconds(150);
  const [instance] = world.cloud.fleet();
  expect(instance?.tags.get('berth.sh/nodeclaim')).toBe('general-1');
  expect(instance?.tags.get('Name')).toBe('mine');
});
