/** The end of a claim whose node has volumes: its instance ends once they are detached, or once the grace period is over. */
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { ClaimWorld, type Berth } from './claim-world.js';

class Scene {
  readonly world = new ClaimWorld();
  berth: Berth = this.world.start();

  /** Claim general-1 with a ready node. */
  static async withNode(terminationGracePeriodSeconds?: number): Promise<Scene> {
    const scene = new Scene();
    await scene.world.launchGroup(['general-1'], { terminationGracePeriodSeconds });
    await scene.world.seconds(15);
    return scene;
  }

  get node(): string {
    return this.world.nodeOf('general-1')?.name ?? '';
  }

  attach(volumeName: string | undefined, nodeName = this.node): void {
    const name = `csi-${volumeName ?? 'inline'}`;
    this.world.kube.objects.put('VolumeAttachment', { name, nodeName, volumeName });
  }

  detach(volumeName: string): void {
    this.world.kube.objects.remove('VolumeAttachment', `csi-${volumeName}`);
  }

  /** A pod of the node that uses this volume by a claim of its name. */
  podWith(volumeName: string, overrides: ObservedPodOverrides = {}): void {
    const claim = `default/${volumeName}`;
    const readWriteOncePod = false;
    const storageClassName = undefined;
    const { objects } = this.world.kube;
    objects.put('PersistentVolumeClaim', { name: claim, volumeName, storageClassName, readWriteOncePod });
    const name = `uses-${volumeName}`;
    const pod = { name, uid: name, nodeName: this.node, volumes: [{ claim }] };
    objects.put('Pod', observedPod({ ...pod, ...overrides }));
  }

  async delete(): Promise<void> {
    const claim = this.world.claim('general-1');
    if (claim) await this.world.kube.deleteNodeClaim(claim);
  }

  get conditions(): readonly unknown[] {
    const shown = ['Drained', 'VolumesDetached', 'InstanceTerminating'];
    return (this.world.claim('general-1')?.status.conditions ?? []).flatMap(({ type, status, reason }) =>
      shown.includes(type) ? [[type, status, reason]] : [],
    );
  }

  get instances(): number {
    return this.world.liveInstances().length;
  }
}

test('an instance ends once the volumes of the pods that left are detached, and no later', async () => {
  const scene = await Scene.withNode();
  scene.podWith('data');
  scene.attach('data');
  scene.attach('elsewhere', 'another-node');
  scene.attach(undefined);
  await scene.delete();
  await scene.world.seconds(120);
  expect(scene.instances).toBe(1);
  expect(scene.conditions).toEqual([
    ['Drained', 'True', 'Drained'],
    ['VolumesDetached', 'Unknown', 'AwaitingVolumeDetachment'],
  ]);
  const told = scene.world.told.decisions.filter(({ reason }) => reason === 'AwaitingVolumeDetachment');
  expect(told).toMatchObject([{ message: 'waiting until 1 volume is detached: data' }]);
  scene.detach('data');
  await scene.world.seconds(1);
  expect(scene.conditions.slice(1)).toEqual([
    ['VolumesDetached', 'True', 'VolumesDetached'],
    ['InstanceTerminating', 'True', 'InstanceTerminating'],
  ]);
  await scene.world.seconds(15);
  expect(scene.world.claims()).toEqual([]);
});

test('volumes of pods that stay on the node are not waited for', async () => {
  const scene = await Scene.withNode();
  const tolerations = [{ key: '', operator: 'Exists', value: '', effect: undefined }] as const;
  scene.podWith('cache', { tolerations });
  scene.attach('cache');
  await scene.delete();
  await scene.world.seconds(20);
  expect(scene.world.claims()).toEqual([]);
});

test('volumes are waited for until the termination grace period ends', async () => {
  const scene = await Scene.withNode(60);
  scene.attach('stuck');
  await scene.delete();
  await scene.world.seconds(58);
  expect(scene.instances).toBe(1);
  await scene.world.seconds(3);
  expect(scene.conditions).toEqual([
    ['Drained', 'True', 'Drained'],
    ['VolumesDetached', 'False', 'TerminationGracePeriodElapsed'],
    ['InstanceTerminating', 'True', 'InstanceTerminating'],
  ]);
  await scene.world.seconds(15);
  expect(scene.world.claims()).toEqual([]);
});

test('a process that starts while volumes are detached waits for them as the one before', async () => {
  const scene = await Scene.withNode();
  scene.attach('data');
  await scene.delete();
  await scene.world.seconds(10);
  scene.berth.kill();
  scene.berth = scene.world.start();
  await scene.world.seconds(30);
  expect(scene.instances).toBe(1);
  scene.detach('data');
  await scene.world.seconds(20);
  expect(scene.world.claims()).toEqual([]);
});

test('a node that is gone, or whose instance is, has no volumes to wait for', async () => {
  const scene = await Scene.withNode();
  scene.attach('data');
  await scene.world.cloud.terminate(scene.world.liveInstances().map(({ id }) => id));
  await scene.world.seconds(5);
  await scene.delete();
  await scene.world.seconds(10);
  expect(scene.world.claims()).toEqual([]);
});
