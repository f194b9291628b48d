/** A pod that asks for it leaves its node only once its Deployment runs a replica more, which is taken back whatever happens. */
import { SURGES_ANNOTATION } from '../../../src/domain/pods/surge.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { Scale } from '../../../src/ports/kube-writer.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { ClaimWorld } from './claim-world.js';
import { Succession } from './succession.js';
import type { Death } from './mortal-ports.js';

const COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Claim general-1 whose node runs the only pod of Deployment web; further pods run elsewhere. */
class Scene {
  readonly world: ClaimWorld;
  readonly succession: Succession;
  /** Fewest Ready pods since the claim was deleted. */
  fewest = Infinity;
  readonly #readyMillis: number;
  #pods = 0;

  private constructor(deaths: readonly Death[], readyMillis: number) {
    this.world = new ClaimWorld();
    this.succession = new Succession(this.world, deaths);
    this.#readyMillis = readyMillis;
    this.world.kube.onScaled = (scale) => {
      this.#reconcile(scale);
    };
  }

  static async withPod(
    overrides: ObservedPodOverrides = {},
    { deaths = [], readyMillis = 20_000 }: { deaths?: readonly Death[]; readyMillis?: number } = {},
  ): Promise<Scene> {
    const scene = new Scene(deaths, readyMillis);
    const { kube } = scene.world;
    await scene.world.launchGroup(['general-1'], { terminationGracePeriodSeconds: undefined });
    await scene.succession.seconds(60);
    const deployment = 'default/web';
    const workload = { kind: 'ReplicaSet', namespace: 'default', name: 'web-7f', createdPods: 1 } as const;
    kube.objects.put('Workload', { ...workload, wantedPods: 1, deployment });
    kube.scales.set(deployment, { ...NAMED, uid: 'web', resourceVersion: '1', replicas: 1 });
    scene.#add(scene.world.nodeOf('general-1')?.name, true, overrides);
    kube.protectedPods.add('default/web-1');
    const claim = scene.world.claim('general-1');
    if (claim) await kube.deleteNodeClaim(claim);
    return scene;
  }

  async seconds(count: number): Promise<void> {
    for (let second = 0; second < count; second++) {
      await this.succession.seconds(1);
      this.fewest = Math.min(this.fewest, this.pods.filter(({ ready }) => ready).length);
    }
  }

  get pods(): readonly ObservedPod[] {
    return this.world.kube.objects.list('Pod');
  }

  get replicas(): number | undefined {
    return this.world.kube.scales.get('default/web')?.replicas;
  }

  written(method: string): number {
    return this.world.kube.writes.filter((write) => write.method === method).length;
  }

  #add(nodeName = 'elsewhere', ready = false, overrides: ObservedPodOverrides = {}): ObservedPod {
    this.#pods++;
    const name = `web-${String(this.#pods)}`;
    const owner = { kind: 'ReplicaSet', name: 'web-7f' };
    const annotations = { 'berth.sh/surge': 'true', ...overrides.annotations };
    const pod = { ...overrides, name, uid: name, owner, nodeName, ready, templateHash: '7f', annotations };
    return this.world.kube.objects.put('Pod', observedPod(pod));
  }

  /** As the ReplicaSet controller: of too many pods those that are not Ready go first, then those of the lowest cost. */
  #reconcile({ replicas }: Scale): void {
    const { objects } = this.world.kube;
    const { clock } = this.world;
    const rank = ({ ready, annotations }: ObservedPod): number =>
      ready ? Number(annotations.get(COST) ?? 0) : -Infinity;
    const [first] = [...this.pods].sort((left, right) => rank(left) - rank(right));
    if (this.pods.length > replicas && first !== undefined) objects.remove('Pod', `default/${first.name}`);
    if (this.pods.length >= replicas) return;
    const added = this.#add();
    clock.timer(this.#readyMillis, () => {
      const there = objects.get('Pod', `default/${added.name}`);
      if (there !== undefined) objects.put('Pod', { ...there, ready: true });
    });
  }
}

const NAMED = { namespace: 'default', name: 'web' };

test('the only pod of a Deployment leaves its node when another one is Ready, and no eviction is asked for', async () => {
  const scene = await Scene.withPod();
  await scene.seconds(15);
  expect([scene.replicas, scene.pods.length, scene.world.liveInstances().length]).toEqual([2, 2, 1]);
  await scene.seconds(60);
  expect(scene.world.claims()).toEqual([]);
  expect(scene.pods.map(({ name, nodeName }) => [name, nodeName])).toEqual([['web-2', 'elsewhere']]);
  expect([scene.replicas, scene.fewest, scene.written('setReplicas')]).toEqual([1, 1, 2]);
  expect(scene.written('evictPod')).toBe(0);
  expect(scene.world.reasons()).toContain('Surging');
});

test('killed at any call, the replica is taken back in the end, and the pod has moved', async () => {
  const whole = await Scene.withPod();
  const before = whole.succession.calls.length;
  await whole.seconds(75);
  const after = whole.succession.calls.length;
  expect(after - before).toBeGreaterThan(10);
  for (let call = before + 1; call <= after; call++) {
    for (const when of ['before', 'after'] as const) {
      const scene = await Scene.withPod({}, { deaths: [{ atCall: call, when }] });
      await scene.seconds(150);
      const seen = [scene.replicas, scene.pods.length, scene.fewest, scene.world.claims().length];
      expect([call, when, ...seen]).toEqual([call, when, 1, 1, 1, 0]);
    }
  }
});

test('a replica that does not become Ready within ten minutes is taken back, and the pod is evicted as any other', async () => {
  const scene = await Scene.withPod({}, { readyMillis: 3_600_000 });
  await scene.seconds(595);
  expect([scene.replicas, scene.written('evictPod')]).toEqual([2, 0]);
  await scene.seconds(30);
  expect([scene.replicas, scene.pods.length, scene.fewest]).toEqual([1, 1, 1]);
  expect(scene.world.reasons()).toContain('SurgeFailed');
  expect(scene.world.reasons()).toContain('FailedDraining');
  scene.world.kube.protectedPods.clear();
  await scene.seconds(30);
  expect(scene.world.claims()).toEqual([]);
});

test.each<[string, ObservedPodOverrides, string]>([
  ['with volumes', { volumes: [{ claim: 'default/data' }] }, 'its volumes may be in use on one node only'],
  ['with a deletion cost of its own', { annotations: { [COST]: '7' } }, `it has its own ${COST}`],
])('a pod %s is evicted as any other, and the reason is reported', async (_what, overrides, why) => {
  const scene = await Scene.withPod(overrides);
  await scene.seconds(20);
  expect([scene.replicas, scene.written('setReplicas')]).toEqual([1, 0]);
  const told = scene.world.told.decisions.filter(({ reason }) => reason === 'SurgeFailed');
  expect(told).toMatchObject([
    { message: `pod default/web-1 is evicted without a replica more before: ${why}` },
  ]);
});

test('what a HorizontalPodAutoscaler scales is left to it, and the reason is reported', async () => {
  const scene = await Scene.withPod();
  scene.world.kube.objects.put('HorizontalPodAutoscaler', { ...NAMED, deployment: 'default/web' });
  await scene.seconds(20);
  expect(scene.replicas).toBe(1);
  expect(scene.world.reasons()).toContain('SurgeFailed');
});

test('a Deployment that another client scales meanwhile keeps what that one asked for', async () => {
  const scene = await Scene.withPod();
  await scene.seconds(10);
  expect(scene.replicas).toBe(2);
  const scale = scene.world.kube.scales.get('default/web');
  scene.world.kube.objects.put('Workload', {
    ...{ kind: 'ReplicaSet', namespace: 'default', name: 'web-7f' },
    ...{ createdPods: 1, wantedPods: 7, deployment: 'default/web' },
  });
  if (scale) scene.world.kube.scales.set('default/web', { ...scale, replicas: 5, resourceVersion: '9' });
  await scene.seconds(30);
  expect(scene.replicas).toBe(5);
  expect(scene.world.claim('general-1')?.annotations.has(SURGES_ANNOTATION)).toBe(false);
});
