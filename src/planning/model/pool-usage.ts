/** How much of each pool's limits is used, by existing nodes, claims in flight and claims of this plan. */
import { NODEPOOL } from '../../domain/values/labels.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { LimitShortage } from '../reason.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** The limit key that counts nodes rather than a resource. */
export const NODES = 'nodes';

export class PoolUsage {
  readonly #limits: readonly ReadonlyMap<string, number>[];
  /** What is used of what is limited; what is not is not counted. */
  readonly #used: readonly Map<string, number>[];

  constructor(snapshot: Snapshot) {
    this.#limits = snapshot.pools.map(({ pool }) => pool.limits);
    this.#used = snapshot.pools.map(({ inFlight }) => new Map(inFlight ?? []));
    const index = new Map(snapshot.pools.map(({ pool }, position) => [pool.name, position]));
    if (this.#limits.every((limits) => limits.size === 0)) return;
    for (const node of snapshot.nodes) {
      const pool = index.get(node.labels.get(NODEPOOL) ?? '');
      if (pool !== undefined) this.#add(pool, node.capacity, 1);
    }
  }

  #add(pool: number, capacity: ResourceList, sign: 1 | -1): void {
    const used = this.#used[pool];
    for (const name of this.#limits[pool]?.keys() ?? []) {
      const amount = this.charge(name, capacity);
      if (amount !== 0) used?.set(name, (used.get(name) ?? 0) + sign * amount);
    }
  }

  /** Whether a node of this capacity would break no limit; `shortages` says which it would. */
  hasRoom(pool: number, capacity: ResourceList): boolean {
    const limits = this.#limits[pool];
    if (limits === undefined || limits.size === 0) return true;
    const used = this.#used[pool];
    for (const [resource, limit] of limits) {
      const needed = this.charge(resource, capacity);
      if (needed > 0 && (used?.get(resource) ?? 0) + needed > limit) return false;
    }
    return true;
  }

  /** Every limit that a node of this capacity would break. */
  shortages(pool: number, capacity: ResourceList): readonly LimitShortage[] {
    return this.limited(pool).flatMap((resource) => this.#shortage(pool, capacity, resource) ?? []);
  }

  #shortage(pool: number, capacity: ResourceList, resource: string): LimitShortage | undefined {
    const limit = this.#limits[pool]?.get(resource) ?? Infinity;
    const needed = this.charge(resource, capacity);
    const inUse = this.#used[pool]?.get(resource) ?? 0;
    return needed > 0 && inUse + needed > limit ? { resource, limit, inUse, needed } : undefined;
  }

  /** Whether a node of this capacity takes no more of the pool's limits than one of the allowance. */
  within(pool: number, capacity: ResourceList, allowance: ResourceList): boolean {
    for (const resource of this.#limits[pool]?.keys() ?? []) {
      if ((capacity.get(resource) ?? 0) > (allowance.get(resource) ?? 0)) return false;
    }
    return true;
  }

  /** How many nodes of this capacity the limits leave room for. */
  room(pool: number, capacity: ResourceList): number {
    let most = Infinity;
    for (const resource of this.#limits[pool]?.keys() ?? []) {
      const needed = this.charge(resource, capacity);
      if (needed > 0) most = Math.min(most, Math.floor(this.left(pool, resource) / needed));
    }
    return Math.max(0, most);
  }

  /** The largest share that a node of this capacity takes of what a limit of the pool leaves; 0 without limits. */
  shareOfLeft(pool: number, capacity: ResourceList): number {
    let most = 0;
    for (const resource of this.#limits[pool]?.keys() ?? []) {
      const needed = this.charge(resource, capacity);
      if (needed > 0) most = Math.max(most, needed / Math.max(needed, this.left(pool, resource)));
    }
    return most;
  }

  /** Resources that the pool limits; `nodes` is among them where nodes are counted. */
  limited(pool: number): readonly string[] {
    return [...(this.#limits[pool]?.keys() ?? [])];
  }

  /** What the pool's limits leave of a resource; Infinity where none says. */
  left(pool: number, resource: string): number {
    const limit = this.#limits[pool]?.get(resource);
    return limit === undefined ? Infinity : limit - (this.#used[pool]?.get(resource) ?? 0);
  }

  /** What one node of this capacity takes of a limit. */
  charge(resource: string, capacity: ResourceList): number {
    return resource === NODES ? 1 : (capacity.get(resource) ?? 0);
  }

  /** Counts one more node of this capacity. */
  take(pool: number, capacity: ResourceList): void {
    this.#add(pool, capacity, 1);
  }

  /** Takes a node of this capacity back. */
  release(pool: number, capacity: ResourceList): void {
    this.#add(pool, capacity, -1);
  }
}
