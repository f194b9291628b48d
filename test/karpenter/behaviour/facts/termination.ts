/** The end of a NodeClaim: in which order its pods leave, and what is waited for. */
import { DISRUPTED_TAINT } from '../../../../src/domain/nodes/node-claim.js';
import { drainStep } from '../../../../src/controllers/node-claim/termination/drain.js';
import { DrainScene, NOTHING } from '../../../controllers/node-claim/drain-scene.js';
import { observedPod } from '../../../support/builders/observed-pod.js';
import type { Suite } from '../fact.js';

const AGENT = { owner: { kind: 'DaemonSet', name: 'agent' } } as const;
const NODE_CRITICAL = { priorityClassName: 'system-node-critical' } as const;
const CLUSTER_CRITICAL = { priorityClassName: 'system-cluster-critical' } as const;
const PROTECTED = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } as const;
const NO_LOAD_BALANCER = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Names of the pods that are evicted so many seconds after the claim was deleted. */
async function evictedAfter(scene: DrainScene, seconds: number): Promise<readonly string[]> {
  await scene.deleteClaim();
  await scene.world.seconds(seconds);
  return scene.called('evictPod');
}

function toleration(
  key: string,
  operator: 'Exists' | 'Equal',
): {
  readonly key: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value: string;
  readonly effect: 'NoSchedule';
} {
  return { key, operator, value: '', effect: 'NoSchedule' };
}

/** A volume that is attached to the node, or to another. */
function attach(scene: DrainScene, volumeName: string, nodeName = nameOfNode(scene)): void {
  scene.world.kube.objects.put('VolumeAttachment', { name: `csi-${volumeName}`, nodeName, volumeName });
}

function detach(scene: DrainScene, volumeName: string): void {
  scene.world.kube.objects.remove('VolumeAttachment', `csi-${volumeName}`);
}

function nameOfNode(scene: DrainScene): string {
  return scene.world.nodeOf('general-1')?.name ?? '';
}

/** `status reason` of the claim's condition. */
function condition(scene: DrainScene, type: 'Drained' | 'VolumesDetached' | 'InstanceTerminating'): string {
  const found = scene.world.claim('general-1')?.status.conditions.find((each) => each.type === type);
  return found === undefined ? '' : `${found.status} ${found.reason}`;
}

/** As another client of the cloud does; their kubelets notice. */
async function endInstances({ world }: DrainScene): Promise<void> {
  await world.cloud.terminate(world.liveInstances().map(({ id }) => id));
  await world.seconds(5);
}

/** The instances whose end the cloud is asked for from now on. */
function terminations({ world }: DrainScene): readonly string[] {
  const asked: string[] = [];
  const terminate = world.cloud.terminate.bind(world.cloud);
  world.cloud.terminate = (ids, signal) => {
    asked.push(...ids);
    return terminate(ids, signal);
  };
  return asked;
}

function states({ world }: DrainScene): readonly string[] {
  return world.cloud.fleet().map(({ state }) => state);
}

/** The claim's node as ready as said, whatever its instance is. */
function markReady(scene: DrainScene, ready: boolean): void {
  const node = scene.world.nodeOf('general-1');
  if (node !== undefined) scene.world.kube.objects.put('Node', { ...node, ready });
}

export const DRAINING: Suite = {
  name: 'Termination, draining',
  facts: [
    {
      fact: 'taints the node karpenter.sh/disrupted:NoSchedule and takes it out of load balancers before it evicts',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web' });
        scene.world.kube.protectedPods.add('default/web');
        expect(scene.world.nodeOf('general-1')?.taints).toEqual([]);
        await scene.deleteClaim();
        await scene.world.seconds(5);
        const node = scene.world.nodeOf('general-1');
        expect(node?.taints).toEqual([DISRUPTED_TAINT]);
        expect(node?.labels.has(NO_LOAD_BALANCER)).toBe(true);
      },
    },
    {
      fact: 'evicts pods of DaemonSets after the others, and critical pods after all that are not, in four tiers',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'critical-agent', ...AGENT, ...NODE_CRITICAL });
        scene.pod({ name: 'critical', ...CLUSTER_CRITICAL });
        scene.pod({ name: 'agent', ...AGENT });
        scene.pod({ name: 'web' });
        expect(await evictedAfter(scene, 20)).toEqual(['web', 'agent', 'critical', 'critical-agent']);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'evicts no pod of the next tier until the pods of this one have ended',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ podsLinger: true });
        scene.pod({ name: 'agent', ...AGENT, terminationGracePeriodSeconds: 1 });
        const web = scene.pod({ name: 'web', terminationGracePeriodSeconds: 600 });
        expect(await evictedAfter(scene, 60)).toEqual(['web']);
        scene.world.kube.objects.remove('Pod', `default/${web.name}`);
        await scene.world.seconds(2);
        expect(scene.called('evictPod')).toEqual(['web', 'agent']);
      },
    },
    {
      fact: 'never evicts static pods, and does not wait for them',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'static', mirror: true });
        scene.pod({ name: 'web' });
        expect(await evictedAfter(scene, 20)).toEqual(['web']);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'leaves pods alone that tolerate karpenter.sh/disrupted, by Exists or by Equal',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'exists', tolerations: [toleration(DISRUPTED_TAINT.key, 'Exists')] });
        scene.pod({ name: 'equal', tolerations: [toleration(DISRUPTED_TAINT.key, 'Equal')] });
        scene.pod({ name: 'web' });
        expect(await evictedAfter(scene, 20)).toEqual(['web']);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'evicts pods that tolerate the taint of cordoned nodes',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web', tolerations: [toleration('node.kubernetes.io/unschedulable', 'Exists')] });
        expect(await evictedAfter(scene, 20)).toEqual(['web']);
      },
    },
    {
      fact: 'evicts pods without an owner',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'bare', owner: undefined });
        expect(await evictedAfter(scene, 20)).toEqual(['bare']);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'does not wait for pods that have succeeded or failed',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'done', phase: 'Succeeded' });
        scene.pod({ name: 'broken', phase: 'Failed' });
        expect(await evictedAfter(scene, 20)).toEqual([]);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'asks again for an eviction that a PodDisruptionBudget forbids, and keeps the instance until then',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web' });
        scene.world.kube.protectedPods.add('default/web');
        expect(await evictedAfter(scene, 120)).toEqual([]);
        expect([scene.left.instances, scene.called('deletePod')]).toEqual([1, []]);
        scene.world.kube.protectedPods.clear();
        await scene.world.seconds(60);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'keeps the node until the last of its pods has ended',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ podsLinger: true });
        scene.pod({ name: 'first', terminationGracePeriodSeconds: 600 });
        scene.pod({ name: 'second', terminationGracePeriodSeconds: 600 });
        await evictedAfter(scene, 10);
        scene.world.kube.objects.remove('Pod', 'default/second');
        await scene.world.seconds(10);
        expect(scene.left.instances).toBe(1);
        scene.world.kube.objects.remove('Pod', 'default/first');
        await scene.world.seconds(20);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'leaves a pod behind that is still there a minute after its grace period ended',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ podsLinger: true });
        scene.pod({ name: 'stuck', terminationGracePeriodSeconds: 30 });
        await evictedAfter(scene, 85);
        expect(scene.left.instances).toBe(1);
        await scene.world.seconds(20);
        expect(scene.left).toEqual(NOTHING);
        expect(scene.pods).toEqual(['stuck']);
      },
    },
    {
      fact: 'never evicts a pod annotated do-not-disrupt without a termination grace period, and evicts it once it is not',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        const batch = scene.pod({ name: 'batch', ...PROTECTED });
        expect(await evictedAfter(scene, 600)).toEqual([]);
        expect([scene.left.instances, scene.called('deletePod')]).toEqual([1, []]);
        scene.world.kube.objects.put('Pod', { ...batch, annotations: new Map() });
        await scene.world.seconds(30);
        expect([scene.called('evictPod'), scene.left]).toEqual([['batch'], NOTHING]);
      },
    },
    {
      fact: 'deletes pods whatever protects them, early enough before the termination grace period ends for their own',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 300 });
        scene.pod({ name: 'batch', ...PROTECTED, terminationGracePeriodSeconds: 60 });
        scene.pod({ name: 'web', terminationGracePeriodSeconds: 60 });
        scene.world.kube.protectedPods.add('default/web');
        await scene.deleteClaim();
        await scene.world.seconds(238);
        expect(scene.called('deletePod')).toEqual([]);
        await scene.world.seconds(4);
        expect([...scene.called('deletePod')].sort()).toEqual(['batch', 'web']);
      },
    },
    {
      fact: 'deletes a pod at once whose own grace period is as long as that of the node',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 300 });
        scene.pod({ name: 'batch', ...PROTECTED, terminationGracePeriodSeconds: 300 });
        await scene.deleteClaim();
        await scene.world.seconds(5);
        expect(scene.called('deletePod')).toEqual(['batch']);
      },
    },
    {
      fact: 'shortens the grace period of a pod that would end after the node',
      run: (): void => {
        const now = Date.UTC(2026, 0, 1);
        const slow = observedPod({
          terminating: true,
          deletionTimestamp: now + 6_000_000,
          terminationGracePeriodSeconds: 6000,
        });
        const { remove } = drainStep({ pods: [slow], now, deadline: now + 300_000 });
        expect(remove).toEqual([{ pod: slow, gracePeriodSeconds: 300 }]);
        expect(drainStep({ pods: [slow], now, deadline: now + 6_000_000 }).remove).toEqual([]);
      },
    },
  ],
};

export const TERMINATION: Suite = {
  name: 'Termination',
  facts: [
    {
      fact: 'deletes the NodeClaim of a Node that is deleted, and the instance with it',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        const node = scene.world.nodeOf('general-1');
        if (node !== undefined) await scene.world.kube.deleteNode(node);
        await scene.world.seconds(20);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'keeps the finalizers of Node and NodeClaim until the instance has ended',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        await scene.deleteClaim();
        await scene.world.clock.advance(6500);
        expect(states(scene)).toEqual(['shutting-down']);
        expect(condition(scene, 'InstanceTerminating')).toMatch(/^True/);
        expect(scene.left).toEqual({ claims: 1, nodes: 1, instances: 0 });
        await scene.world.seconds(10);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'says in the condition Drained that a node is being drained',
      differs:
        'the condition is set once all pods have left; Decisions and the event FailedDraining say what keeps a node before, without a write for each',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web' });
        scene.world.kube.protectedPods.add('default/web');
        await evictedAfter(scene, 30);
        expect(condition(scene, 'Drained')).toBe('');
        expect(scene.world.reasons()).toContain('FailedDraining');
      },
    },
    {
      fact: 'does not drain a node that is not ready and whose instance is gone',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web' });
        scene.world.kube.protectedPods.add('default/web');
        await endInstances(scene);
        expect(await evictedAfter(scene, 10)).toEqual([]);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'drains a node that is ready though the cloud says that its instance is gone',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.pod({ name: 'web' });
        scene.world.kube.protectedPods.add('default/web');
        await endInstances(scene);
        markReady(scene, true);
        await evictedAfter(scene, 60);
        expect(scene.left).toEqual({ claims: 1, nodes: 1, instances: 0 });
        markReady(scene, false);
        await scene.world.seconds(30);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'waits until the volumes of the node are detached before its instance ends',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        attach(scene, 'data');
        attach(scene, 'elsewhere', 'another-node');
        await evictedAfter(scene, 120);
        expect(scene.left.instances).toBe(1);
        expect(condition(scene, 'VolumesDetached')).toBe('Unknown AwaitingVolumeDetachment');
        detach(scene, 'data');
        await scene.world.seconds(1);
        expect(condition(scene, 'VolumesDetached')).toBe('True VolumesDetached');
        await scene.world.seconds(20);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'does not wait for volumes of pods that stay on the node',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        const claim = { name: 'default/cache', volumeName: 'cache', storageClassName: undefined };
        scene.world.kube.objects.put('PersistentVolumeClaim', { ...claim, readWriteOncePod: false });
        const tolerations = [toleration(DISRUPTED_TAINT.key, 'Exists')];
        scene.pod({ name: 'cache', tolerations, volumes: ['default/cache'] });
        attach(scene, 'cache');
        attach(scene, 'data');
        await evictedAfter(scene, 30);
        expect(scene.left.instances).toBe(1);
        detach(scene, 'data');
        await scene.world.seconds(20);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'waits for volumes no longer than the termination grace period',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode({ terminationGracePeriodSeconds: 60 });
        attach(scene, 'stuck');
        await evictedAfter(scene, 58);
        expect(scene.left.instances).toBe(1);
        await scene.world.seconds(3);
        expect(condition(scene, 'VolumesDetached')).toBe('False TerminationGracePeriodElapsed');
        await scene.world.seconds(15);
        expect(scene.left).toEqual(NOTHING);
      },
    },
    {
      fact: 'removes a NodeClaim that has not been launched without a request to the cloud, and no Node',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        const asked = terminations(scene);
        scene.world.cloud.faults.next('launch', { kind: 'throttled' }, 100);
        await scene.world.createClaim('unlaunched');
        await scene.world.seconds(5);
        const claim = scene.world.claim('unlaunched');
        if (claim !== undefined) await scene.world.kube.deleteNodeClaim(claim);
        await scene.world.seconds(120);
        expect(scene.world.claim('unlaunched')).toBeUndefined();
        expect(asked).toEqual([]);
        expect(scene.left).toEqual({ claims: 1, nodes: 1, instances: 1 });
        await scene.deleteClaim();
        await scene.world.seconds(20);
        expect(asked).toHaveLength(1);
      },
    },
    {
      fact: 'ends the instance of a NodeClaim whose Node never registered',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        for (const type of ['m6i.large', 'm5.large', 'm6a.large']) scene.world.deaf.add(type);
        await scene.world.launchGroup(['silent'], {}, 'group-2');
        await scene.world.seconds(30);
        expect(scene.left).toEqual({ claims: 2, nodes: 1, instances: 2 });
        const claim = scene.world.claim('silent');
        if (claim !== undefined) await scene.world.kube.deleteNodeClaim(claim);
        await scene.world.seconds(20);
        expect(scene.left).toEqual({ claims: 1, nodes: 1, instances: 1 });
      },
    },
    {
      fact: 'asks the cloud again where a termination fails',
      run: async (): Promise<void> => {
        const scene = await DrainScene.withNode();
        scene.world.cloud.faults.next('terminate', { kind: 'unavailable' }, 2);
        await scene.deleteClaim();
        await scene.world.seconds(30);
        expect(scene.left).toEqual(NOTHING);
      },
    },
  ],
};
