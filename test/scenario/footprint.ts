/** What of a world would change if anything happened in it. */
import type { World } from './world.js';

/** The part of a world that a scenario looks at: others may have used it before. */
export interface Scope {
  readonly pools: readonly string[];
  readonly namespaces: readonly string[];
}

/** A line for every pod with its node, every claim, and every instance with its state. */
export async function footprint(world: World, { pools, namespaces }: Scope): Promise<readonly string[]> {
  const pods = (await world.pods()).filter(({ namespace }) => namespaces.includes(namespace));
  const claims = (await world.claims()).filter(({ nodePool }) => pools.includes(nodePool));
  const instances = world
    .instances()
    .filter(({ tags }) => pools.includes(tags.get('berth.sh/nodepool') ?? ''));
  return [
    ...pods.map(({ namespace, name, nodeName = 'no node' }) => `${namespace}/${name} on ${nodeName}`),
    ...claims.map(({ name, disruption = 'stays' }) => `${name} ${disruption}`),
    // What was going may be gone.
    ...instances.filter(({ state }) => isAlive(state)).map(({ id, state }) => `${id} ${state}`),
  ];
}

function isAlive(state: string): boolean {
  return state === 'pending' || state === 'running';
}
