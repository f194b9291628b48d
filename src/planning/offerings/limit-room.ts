/** What is left of a pool's limits while its claims list types: every claim keeps room for its largest one. */
import { NO_RESOURCES } from '../../domain/values/resources.js';
import { rowCapacity, type Launchables } from '../model/launch/launchables.js';
import { NODES, type PoolUsage } from '../model/pool-usage.js';

export class LimitRoom {
  readonly #pool: number;
  readonly #names: readonly string[];
  /** rows × limits. */
  readonly #capacity: Float64Array;
  readonly #left: Float64Array;

  private constructor(usage: PoolUsage, launchables: Launchables, pool: number, names: readonly string[]) {
    this.#pool = pool;
    this.#names = names;
    this.#left = Float64Array.from(names, (name) => usage.left(pool, name));
    this.#capacity = new Float64Array(launchables.rowType.length * names.length);
    launchables.rowPool.forEach((each, row) => {
      if (each !== pool) return;
      const capacity = rowCapacity(launchables, row);
      names.forEach((name, index) => {
        this.#capacity[row * names.length + index] = usage.charge(name, capacity);
      });
    });
  }

  /** Undefined for a pool that limits nothing in which types differ. */
  static of(usage: PoolUsage, launchables: Launchables, pool: number): LimitRoom | undefined {
    // A claim is one node whatever it lists.
    const names = usage.limited(pool).filter((name) => name !== NODES);
    return names.length === 0 ? undefined : new LimitRoom(usage, launchables, pool, names);
  }

  /** What a node of this row counts against each limit. */
  chargeOf(row: number): Float64Array {
    const width = this.#names.length;
    return this.#capacity.slice(row * width, (row + 1) * width);
  }

  /** Whether a node of this row takes no more of any limit than the charge. */
  isWithin(row: number, charge: Float64Array): boolean {
    return this.#isCovered(row, charge);
  }

  /** Whether the limits leave room for one more node of this row. */
  hasRoom(row: number): boolean {
    return this.#isCovered(row, this.#left);
  }

  #isCovered(row: number, by: Float64Array): boolean {
    const first = row * by.length;
    for (let index = 0; index < by.length; index++) {
      const amount = this.#capacity[first + index] ?? 0;
      if (amount > 0 && amount > (by[index] ?? 0)) return false;
    }
    return true;
  }

  /** Raises the charge to what a node of this row takes. */
  include(row: number, charge: Float64Array): void {
    const first = row * charge.length;
    for (let index = 0; index < charge.length; index++)
      charge[index] = Math.max(charge[index] ?? 0, this.#capacity[first + index] ?? 0);
  }

  take(charge: Float64Array): void {
    for (let index = 0; index < charge.length; index++)
      this.#left[index] = (this.#left[index] ?? 0) - (charge[index] ?? 0);
  }

  release(charge: Float64Array): void {
    for (let index = 0; index < charge.length; index++)
      this.#left[index] = (this.#left[index] ?? 0) + (charge[index] ?? 0);
  }

  /** Tells the usage that the room was read from what is left of it; the number of nodes stays as it is. */
  settle(usage: PoolUsage): void {
    const taken = this.#names.map(
      (name, index) => [name, usage.left(this.#pool, name) - (this.#left[index] ?? 0)] as const,
    );
    usage.take(this.#pool, new Map(taken));
    usage.release(this.#pool, NO_RESOURCES);
  }
}
