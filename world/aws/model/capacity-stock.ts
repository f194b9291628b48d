/** How many instances each capacity pool still has: a pool is an instance type in a zone under a capacity type. */
import type { CapacityType } from '../../../src/domain/nodes/instance-type.js';

export interface CapacityPool {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
}

/** Pools by what is named of them; what is undefined may be anything. */
export type PoolPattern = { readonly [K in keyof CapacityPool]?: CapacityPool[K] | undefined };

export class CapacityStock {
  readonly #initial: number;
  readonly #rules: { readonly pattern: PoolPattern; readonly instances: number }[] = [];
  readonly #left = new Map<string, number>();

  /** Every pool has so many to begin with; Infinity never runs out. */
  constructor(initial: number) {
    this.#initial = initial;
  }

  /** Each of these pools has so many instances from now on. */
  set(pattern: PoolPattern, instances: number): void {
    this.#rules.unshift({ pattern, instances });
    for (const key of this.#left.keys()) {
      const [instanceType, zone, capacityType] = key.split(' ') as [string, string, CapacityType];
      if (matches(pattern, { instanceType, zone, capacityType })) this.#left.set(key, instances);
    }
  }

  free(pool: CapacityPool): number {
    const known = this.#left.get(keyOf(pool));
    return known ?? this.#rules.find(({ pattern }) => matches(pattern, pool))?.instances ?? this.#initial;
  }

  /** One instance less. What ends is not given back: it goes to other customers. */
  take(pool: CapacityPool): void {
    this.#left.set(keyOf(pool), this.free(pool) - 1);
  }
}

function keyOf({ instanceType, zone, capacityType }: CapacityPool): string {
  return `${instanceType} ${zone} ${capacityType}`;
}

function matches(pattern: PoolPattern, pool: CapacityPool): boolean {
  return (
    (pattern.instanceType ?? pool.instanceType) === pool.instanceType &&
    (pattern.zone ?? pool.zone) === pool.zone &&
    (pattern.capacityType ?? pool.capacityType) === pool.capacityType
  );
}
