/** Amounts of resources as columns of numbers, so that adding and comparing them is arithmetic on arrays. */
import type { ResourceList } from '../../domain/values/resources.js';

/** A ResourceList by column: `values[i]` of the resource with number `columns[i]`. */
export interface Amounts {
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

/** Numbers resources in the order in which they are first seen. */
export class ResourceColumns {
  readonly #columns = new Map<string, number>();
  /** Lists are shared between pods of one template. */
  readonly #known = new WeakMap<ResourceList, Amounts>();

  column(resource: string): number {
    const known = this.#columns.get(resource);
    if (known !== undefined) return known;
    const next = this.#columns.size;
    this.#columns.set(resource, next);
    return next;
  }

  /** Amounts of zero are left out: they fit anywhere. */
  amounts(list: ResourceList): Amounts {
    const known = this.#known.get(list);
    if (known !== undefined) return known;
    const asked = [...list].filter(([, amount]) => amount !== 0);
    const amounts = {
      columns: asked.map(([resource]) => this.column(resource)),
      values: asked.map(([, amount]) => amount),
    };
    this.#known.set(list, amounts);
    return amounts;
  }
}

/** A running sum per column. */
export class Tally {
  #sums = new Float64Array(8);

  at(column: number): number {
    return this.#sums[column] ?? 0;
  }

  /** Adds the amounts so many times; a negative number takes them away. */
  add({ columns, values }: Amounts, times = 1): void {
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] ?? 0;
      if (column >= this.#sums.length) this.#grow(column);
      this.#sums[column] = this.at(column) + times * (values[index] ?? 0);
    }
  }

  #grow(column: number): void {
    const longer = new Float64Array(Math.max(column + 1, 2 * this.#sums.length));
    longer.set(this.#sums);
    this.#sums = longer;
  }
}
