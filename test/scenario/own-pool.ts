/** The pool of one scenario, which only its pods want, and what is there of it. */
import { nodePool, type NodePoolParts } from './objects.js';
import type { Manifest, SeenClaim, SeenInstance, SeenPod, World } from './world.js';

const ALIVE = ['pending', 'running'];

export class OwnPool {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** On m5.large unless it says otherwise: 1930m of cpu, so that two pods of a whole one do not fit. */
  manifest({ requirements, ...parts }: Omit<NodePoolParts, 'name'> = {}): Manifest {
    return nodePool({
      name: this.name,
      labels: { scenario: this.name },
      requirements: { 'node.kubernetes.io/instance-type': ['m5.large'], ...requirements },
      ...parts,
    });
  }

  /** For the spec of its pods. */
  wanted(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, unknown>> {
    return { nodeSelector: { scenario: this.name, ...labels } };
  }

  async claims(world: World): Promise<readonly SeenClaim[]> {
    return (await world.claims()).filter(({ nodePool: pool }) => pool === this.name);
  }

  /** Those that have not ended. */
  instances(world: World): readonly SeenInstance[] {
    return world
      .instances()
      .filter(({ state, tags }) => ALIVE.includes(state) && tags.get('berth.sh/nodepool') === this.name);
  }

  async podsOf(world: World, app: string): Promise<readonly SeenPod[]> {
    return (await world.pods()).filter(({ labels }) => labels['app'] === app);
  }

  /** Answers the claims once there are so many, all Ready, none going, each with an instance, and no instance without. */
  expectSettled(world: World, count: number, seconds = 60): Promise<readonly SeenClaim[]> {
    return world.until(
      `pool ${this.name} has ${String(count)} Ready claims, and instances for these only`,
      async () => {
        const claims = await this.claims(world);
        const isSettled = claims.every(
          ({ conditions, deleting, disruption }) =>
            conditions.includes('Ready') && !deleting && disruption === undefined,
        );
        return claims.length === count && isSettled && this.instances(world).length === count && claims;
      },
      seconds,
    );
  }

  /** Publishes a new image; once its so many nodes are on it, answers how few of them were Ready at the least. */
  async expectOnNewImage(world: World, count: number, seconds: number): Promise<number> {
    const newest = world.cloud.publishImage({ family: 'AL2023' }).map(({ id }) => id);
    let fewest = count;
    await world.until(
      `the nodes of pool ${this.name} are on the new image`,
      async () => {
        const claims = await this.claims(world);
        const ready = claims.filter(({ conditions, deleting }) => conditions.includes('Ready') && !deleting);
        fewest = Math.min(fewest, ready.length);
        return claims.length === count && claims.every(({ imageID = '' }) => newest.includes(imageID));
      },
      seconds,
    );
    return fewest;
  }
}

/** Whether it is on its way out. */
export function isGoing({ deleting, disruption }: SeenClaim): boolean {
  return deleting || disruption !== undefined;
}
