/** A node that is being drained: its claim is deleted, and pods are put on it first. */
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { ClaimWorld, type Berth, type WorldOptions } from './claim-world.js';

/** What is left once a claim is gone. */
export const NOTHING = { claims: 0, nodes: 0, instances: 0 };

export class DrainScene {
  readonly world: ClaimWorld;
  readonly berth: Berth;
  #pods = 0;

  private constructor(options: WorldOptions) {
    this.world = new ClaimWorld(options);
    this.berth = this.world.start();
  }

  /** Claim general-1 with a ready node. */
  static async withNode(
    options: WorldOptions & { readonly terminationGracePeriodSeconds?: number } = {},
  ): Promise<DrainScene> {
    const scene = new DrainScene(options);
    const { terminationGracePeriodSeconds } = options;
    await scene.world.launchGroup(['general-1'], { terminationGracePeriodSeconds });
    await scene.world.seconds(15);
    return scene;
  }

  pod(overrides: ObservedPodOverrides = {}): ObservedPod {
    this.#pods++;
    const name = overrides.name ?? `pod-${String(this.#pods)}`;
    const nodeName = this.world.nodeOf('general-1')?.name;
    return this.world.kube.objects.put('Pod', observedPod({ ...overrides, name, uid: name, nodeName }));
  }

  async deleteClaim(): Promise<void> {
    const claim = this.world.claim('general-1');
    if (claim) await this.world.kube.deleteNodeClaim(claim);
  }

  get pods(): readonly string[] {
    return this.world.kube.objects.list('Pod').map(({ name }) => name);
  }

  /** Names of pods in the order in which the method was called for them. */
  called(method: 'evictPod' | 'deletePod'): readonly string[] {
    return this.world.kube.writes
      .filter((write) => write.method === method)
      .map(({ name }) => name.replace('default/', ''));
  }

  /** What there still is. */
  get left(): { readonly claims: number; readonly nodes: number; readonly instances: number } {
    const { world } = this;
    return {
      claims: world.claims().length,
      nodes: world.nodes().length,
      instances: world.liveInstances().length,
    };
  }
}
