/** The end of a claim: drain, instance, node, claim, in this order and by this time. */
import { DISRUPTED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import { DrainScene, NOTHING } from './drain-scene.js';

test('a deleted claim takes its pods, instance and node with it', async () => {
  const scene = await DrainScene.withNode();
  scene.pod();
  await scene.deleteClaim();
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  expect(scene.pods).toEqual([]);
  expect(scene.world.reasons().slice(-4)).toEqual(['Deleted', 'Evicted', 'Drained', 'Terminated']);
  expect(await scene.berth.metrics.nodesTerminated.get()).toMatchObject({
    values: [{ value: 1, labels: { nodepool: 'general' } }],
  });
  const { metrics } = scene.berth;
  const labels = { reason: 'deleted', nodepool: 'general', termination_mode: 'graceful' };
  expect(await metrics.nodeClaimsDisrupted.get()).toMatchObject({ values: [{ value: 1, labels }] });
  expect(await metrics.podsDisrupted.get()).toMatchObject({ values: [{ value: 1, labels }] });
  expect(await metrics.podsDrained.get()).toMatchObject({
    values: [{ value: 1, labels: { reason: 'Deleted' } }],
  });
  expect(await metrics.evictionRequests.get()).toMatchObject({
    values: [{ value: 1, labels: { code: '200' } }],
  });
});

test('while an instance ends the cloud is asked about it alone, not about all of the cluster', async () => {
  const scene = await DrainScene.withNode();
  const { cloud } = scene.world;
  const asked: (readonly string[] | undefined)[] = [];
  const instances = cloud.instances.bind(cloud);
  cloud.instances = (tags, signal, ids?: readonly string[]) => {
    asked.push(ids);
    return instances(tags, signal);
  };
  const id = scene.world.liveInstances()[0]?.id;
  await scene.deleteClaim();
  await scene.world.seconds(60);
  expect(scene.left).toEqual(NOTHING);
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked.flatMap((ids) => ids ?? ['all']))).toEqual(new Set([id]));
});

test('kubectl delete node deletes the claim and ends the instance', async () => {
  const scene = await DrainScene.withNode();
  scene.pod();
  const node = scene.world.nodeOf('general-1');
  if (node) await scene.world.kube.deleteNode(node);
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  expect(scene.called('evictPod')).toEqual(['pod-1']);
});

test('what a late watch has not told yet is neither done nor told again', async () => {
  const scene = await DrainScene.withNode({ watchLagMillis: 400 });
  const { world } = scene;
  const asked: string[] = [];
  const evict = world.kube.evictPod.bind(world.kube);
  world.kube.evictPod = (pod, signal) => {
    asked.push(pod.name);
    return evict(pod, signal);
  };
  for (let index = 0; index < 3; index++) scene.pod();
  await world.seconds(1);
  const node = world.nodeOf('general-1');
  if (node) await world.kube.deleteNode(node);
  await world.seconds(30);
  expect(scene.left).toEqual(NOTHING);
  expect(asked.sort()).toEqual(['pod-1', 'pod-2', 'pod-3']);
  expect(world.reasons()).toEqual([
    ...['Launched', 'Registered', 'Initialized', 'Deleted'],
    ...['Evicted', 'Evicted', 'Evicted', 'Drained', 'Terminated'],
  ]);
  const claimGone = world.log.lines.filter(({ message }) => message === 'Removed NodeClaim');
  expect(claimGone).toHaveLength(1);
  expect(await scene.berth.metrics.nodesTerminated.get()).toMatchObject({ values: [{ value: 1 }] });
  expect(await scene.berth.metrics.nodeClaimsDisrupted.get()).toMatchObject({ values: [{ value: 1 }] });
});

test('the outcome of each decision is reported', async () => {
  const scene = await DrainScene.withNode();
  scene.pod();
  await scene.deleteClaim();
  await scene.world.seconds(20);
  const told = scene.world.told.outcomes.map(({ subject, action, outcome }) => [
    subject.kind,
    action,
    outcome.replace(/i-\w+$/, 'i-x'),
  ]);
  expect(told).toEqual([
    ['NodeClaim', 'Place', 'launched as m6a.large in eu-west-3a, spot: i-x'],
    ['NodeClaim', 'Launch', expect.stringMatching(/^node \S+ was initialized after \d+ s$/)],
    ['Pod', 'Drain', 'it is gone'],
    ['NodeClaim', 'Drain', 'all pods of the node terminated'],
    ['NodeClaim', 'Disrupt', expect.stringMatching(/^terminated instance and removed node after \d+ s$/)],
    ['NodeClaim', 'Terminate', expect.stringMatching(/^terminated instance and removed node after \d+ s$/)],
  ]);
});

test('extenders hear of it before the node is tainted, and the node before the first eviction', async () => {
  const scene = await DrainScene.withNode();
  scene.pod();
  const before = scene.world.kube.writes.length;
  await scene.deleteClaim();
  await scene.world.clock.settle();
  await scene.world.clock.advance(100);
  const steps = scene.world.kube.writes.slice(before + 1).map(({ method }) => method);
  expect(steps.slice(0, 3)).toEqual(['putNodeClaimStatus', 'patchNode', 'evictPod']);
  expect(scene.world.claim('general-1')?.status.disruption?.reason).toBe('Deleted');
  expect(scene.world.nodeOf('general-1')?.taints).toEqual([DISRUPTED_TAINT]);
});

test('pods go in four tiers, each once the one before is gone: DaemonSet pods after others, critical ones last', async () => {
  const scene = await DrainScene.withNode({ podsLinger: true });
  const { objects } = scene.world.kube;
  const critical = 'system-cluster-critical';
  const owner = { kind: 'DaemonSet', name: 'agent' };
  scene.pod({ name: 'storage', priorityClassName: 'system-node-critical', owner });
  scene.pod({ name: 'dns', priorityClassName: critical });
  scene.pod({ name: 'logs', owner });
  scene.pod({ name: 'web' });
  await scene.deleteClaim();
  const order: string[] = [];
  for (const name of ['web', 'logs', 'dns', 'storage']) {
    await scene.world.seconds(7);
    order.push(name);
    expect(scene.called('evictPod')).toEqual(order);
    expect(scene.world.liveInstances()).toHaveLength(1);
    objects.remove('Pod', `default/${name}`);
  }
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
});

test('mirror pods, finished ones and those that tolerate the taint stay, DaemonSet pods among them', async () => {
  const scene = await DrainScene.withNode();
  scene.pod({ name: 'static', mirror: true });
  scene.pod({ name: 'job', phase: 'Succeeded' });
  const tolerations = [{ key: '', operator: 'Exists', value: '', effect: undefined }] as const;
  scene.pod({ name: 'stubborn', tolerations });
  scene.pod({ name: 'proxy', tolerations, owner: { kind: 'DaemonSet', name: 'proxy' } });
  await scene.deleteClaim();
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  expect(scene.called('evictPod')).toEqual([]);
  expect(scene.pods).toEqual(['static', 'job', 'stubborn', 'proxy']);
});

test('a budget that forbids an eviction is asked less and less often, and named', async () => {
  const scene = await DrainScene.withNode();
  scene.pod({ name: 'quorum' });
  scene.world.kube.protectedPods.add('default/quorum');
  let asked = 0;
  const evict = scene.world.kube.evictPod.bind(scene.world.kube);
  scene.world.kube.evictPod = (...args) => {
    asked++;
    return evict(...args);
  };
  await scene.deleteClaim();
  await scene.world.seconds(60);
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThan(20);
  expect(scene.world.liveInstances()).toHaveLength(1);
  expect(scene.world.told.decisions.filter(({ reason }) => reason === 'FailedDraining')).toMatchObject([
    {
      message: 'PodDisruptionBudgets do not allow to evict default/quorum',
      event: { type: 'Warning', reason: 'FailedDraining' },
    },
  ]);
  scene.world.kube.protectedPods.clear();
  await scene.world.seconds(30);
  expect(scene.left).toEqual(NOTHING);
});

test.each(['Forbidden', 'Invalid', 'Conflict'] as const)(
  'a pod whose eviction is refused (%s) is asked about less and less often, with the reason, while others go in turn',
  async (code) => {
    const scene = await DrainScene.withNode();
    const { world } = scene;
    scene.pod({ name: 'guarded' });
    scene.pod({ name: 'quorum' });
    world.kube.protectedPods.add('default/quorum');
    world.kube.fail({ method: 'evictPod', name: 'default/guarded', code, times: 10_000 });
    const asked: string[] = [];
    const evict = world.kube.evictPod.bind(world.kube);
    world.kube.evictPod = (pod, ...rest) => {
      asked.push(pod.name);
      return evict(pod, ...rest);
    };
    await scene.deleteClaim();
    await world.seconds(60);
    const guarded = asked.filter((name) => name === 'guarded').length;
    expect(guarded).toBeGreaterThan(5);
    expect(guarded).toBeLessThan(20);
    const told = world.told.decisions.filter(({ reason }) => reason === 'FailedDraining');
    expect(told.map(({ message }) => message)).toEqual([
      'PodDisruptionBudgets do not allow to evict default/quorum; the API server refuses: evictPod default/guarded: planted by the test',
    ]);
    // As soon as its own turn comes, whatever becomes of the other one.
    world.kube.protectedPods.clear();
    await world.seconds(11);
    expect(scene.called('evictPod')).toEqual(['quorum']);
    world.kube.mend();
    await world.seconds(40);
    expect(scene.left).toEqual(NOTHING);
  },
);

test('what keeps pods is told also when the API server cannot be reached about another', async () => {
  const scene = await DrainScene.withNode();
  scene.pod({ name: 'lost' });
  scene.pod({ name: 'quorum' });
  scene.world.kube.protectedPods.add('default/quorum');
  scene.world.kube.fail({ method: 'evictPod', name: 'default/lost', code: 'Unavailable', times: 10_000 });
  await scene.deleteClaim();
  await scene.world.seconds(20);
  const told = scene.world.told.decisions.filter(({ reason }) => reason === 'FailedDraining');
  expect(told.map(({ message }) => message)).toEqual([
    'PodDisruptionBudgets do not allow to evict default/quorum',
  ]);
});

test('at the hard stop pods are deleted whatever budgets say, early enough for their own grace period', async () => {
  const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 120 });
  scene.pod({ name: 'slow', terminationGracePeriodSeconds: 90 });
  scene.pod({ name: 'quick', terminationGracePeriodSeconds: 10 });
  scene.world.kube.protectedPods.add('default/slow').add('default/quick');
  await scene.deleteClaim();
  await scene.world.seconds(29);
  expect(scene.called('deletePod')).toEqual([]);
  await scene.world.seconds(2);
  expect(scene.called('deletePod')).toEqual(['slow']);
  await scene.world.seconds(78);
  expect(scene.called('deletePod')).toEqual(['slow']);
  await scene.world.seconds(2);
  expect(scene.called('deletePod')).toEqual(['slow', 'quick']);
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  expect(scene.world.reasons()).toContain('TerminationGracePeriodExpiring');
});

test('the hard stop does not wait for pods that do not end', async () => {
  const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 60, podsLinger: true });
  scene.pod({ terminationGracePeriodSeconds: 3600 });
  await scene.deleteClaim();
  await scene.world.seconds(59);
  expect(scene.world.liveInstances()).toHaveLength(1);
  await scene.world.seconds(15);
  expect(scene.left).toEqual(NOTHING);
});

test('a pod that asks not to be disrupted keeps its node until the hard stop, and no longer', async () => {
  const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 100 });
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  scene.pod({ name: 'batch', annotations, terminationGracePeriodSeconds: 30 });
  await scene.deleteClaim();
  await scene.world.seconds(65);
  expect(scene.called('evictPod')).toEqual([]);
  expect(scene.world.reasons()).toContain('FailedDraining');
  await scene.world.seconds(10);
  expect(scene.called('deletePod')).toEqual(['batch']);
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
});

test('a pod that is stuck for a minute after its grace period is left behind', async () => {
  const scene = await DrainScene.withNode({ podsLinger: true });
  scene.pod({ terminationGracePeriodSeconds: 30 });
  await scene.deleteClaim();
  await scene.world.seconds(85);
  expect(scene.world.liveInstances()).toHaveLength(1);
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  expect(scene.pods).toHaveLength(1);
});

test('an instance that died takes no time to drain', async () => {
  const scene = await DrainScene.withNode();
  scene.pod({ name: 'quorum' });
  scene.world.kube.protectedPods.add('default/quorum');
  await scene.world.cloud.terminate(scene.world.liveInstances().map(({ id }) => id));
  await scene.world.seconds(5);
  await scene.deleteClaim();
  await scene.world.seconds(10);
  expect(scene.left).toEqual(NOTHING);
});

test('what was told about a drain is forgotten with its claim, also when the instance ends first', async () => {
  const scene = await DrainScene.withNode();
  const { cluster } = scene.berth;
  scene.pod({ name: 'quorum', annotations: { 'berth.sh/surge': 'true' } });
  scene.world.kube.protectedPods.add('default/quorum');
  await scene.deleteClaim();
  await scene.world.seconds(20);
  const claim = scene.world.claim('general-1');
  const node = scene.world.nodeOf('general-1');
  if (claim === undefined || node === undefined) throw new Error('they are gone already');
  const told = (): readonly string[] =>
    scene.world.reasons().filter((reason) => ['SurgeFailed', 'FailedDraining'].includes(reason));
  expect(told()).toEqual(['SurgeFailed', 'FailedDraining']);
  await scene.world.cloud.terminate(scene.world.liveInstances().map(({ id }) => id));
  await scene.world.seconds(20);
  expect(scene.left).toEqual(NOTHING);
  // As when etcd is restored from a backup, after so long that nobody knows these uids any more.
  scene.world.kube.objects.put('Node', node);
  scene.world.kube.objects.put('NodeClaim', claim);
  cluster.nodes.adopt(node.name, node);
  cluster.nodeClaims.adopt(claim.name, claim);
  await scene.world.seconds(20);
  expect(told()).toEqual(['SurgeFailed', 'FailedDraining', 'SurgeFailed', 'FailedDraining']);
});

test.each(['throttled', 'answer-lost', 'timed-out', 'unavailable'] as const)(
  'a termination that is %s is asked for again',
  async (kind) => {
    const scene = await DrainScene.withNode();
    scene.world.cloud.faults.next('terminate', { kind }, 2);
    await scene.deleteClaim();
    await scene.world.seconds(30);
    expect(scene.left).toEqual(NOTHING);
  },
);

test('a node is let go only after its instance has ended', async () => {
  const scene = await DrainScene.withNode();
  await scene.deleteClaim();
  await scene.world.clock.advance(6500);
  expect(scene.world.cloud.fleet().map(({ state }) => state)).toEqual(['shutting-down']);
  expect(scene.world.nodes()).toHaveLength(1);
  expect(scene.world.claim('general-1')?.status.conditions.slice(-3)).toMatchObject([
    { type: 'Drained', status: 'True' },
    { type: 'VolumesDetached', status: 'True', reason: 'VolumesDetached' },
    { type: 'InstanceTerminating', status: 'True' },
  ]);
  await scene.world.seconds(10);
  expect(scene.left).toEqual(NOTHING);
});

test('a pod that is bound to an empty node before kube-scheduler knows its taint is evicted before the instance ends', async () => {
  const scene = await DrainScene.withNode();
  await scene.deleteClaim();
  await scene.world.clock.advance(1000);
  scene.pod({ name: 'late' });
  await scene.world.seconds(20);
  expect(scene.called('evictPod')).toEqual(['late']);
  expect(scene.left).toEqual(NOTHING);
});
