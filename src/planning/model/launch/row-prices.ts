/** Rows of launchables with their cheapest prices, and the roomiest of those that a constraint admits. */
import type { Launchables } from './launchables.js';
import { LEAST_PRICE, type PricedCapacity } from './resource-prices.js';
import { howManyFit, rowOf } from './room.js';

export class RowPrices {
  readonly #launchables: Launchables;
  readonly #width: number;
  /** Row → USD/h of its cheapest offering, at least LEAST_PRICE. */
  readonly #price: Float64Array;
  readonly #byTemplates = new Map<string, PricedCapacity>();
  readonly #roomiest = new WeakMap<Uint8Array, readonly (readonly Float64Array[])[]>();
  /** Whether some offering costs nothing (reserved capacity does). */
  readonly hasFree: boolean;

  constructor(launchables: Launchables, width: number) {
    this.#launchables = launchables;
    this.#width = width;
    const { price, rowColumns } = launchables;
    this.hasFree = price.some((each) => each < LEAST_PRICE);
    this.#price = Float64Array.from(rowColumns, (columns) => {
      let cheapest = Infinity;
      for (const column of columns) cheapest = Math.min(cheapest, price[column] ?? Infinity);
      return Math.max(LEAST_PRICE, cheapest);
    });
  }

  /** The rows of these templates. */
  of(templates: readonly number[]): PricedCapacity {
    const key = templates.join();
    const known = this.#byTemplates.get(key);
    if (known !== undefined) return known;
    const { templateRows, net } = this.#launchables;
    const rows = templates.flatMap((template) => templateRows[template] ?? []);
    const capacity = new Float64Array(rows.length * this.#width);
    rows.forEach((row, index) => {
      capacity.set(rowOf(net, this.#width, row), index * this.#width);
    });
    const made = { capacity, price: Float64Array.from(rows, (row) => this.#price[row] ?? Infinity) };
    this.#byTemplates.set(key, made);
    return made;
  }

  /** All rows. */
  get all(): PricedCapacity {
    return this.of([...this.#launchables.templates.keys()]);
  }

  /** Whether some row of the template that has one of the admitted columns holds one pod with these requests. */
  holds(template: number, admitted: Uint8Array, requests: Float64Array): boolean {
    const known = this.#roomiest.get(admitted);
    const roomiest = known ?? this.#findRoomiest(admitted);
    if (known === undefined) this.#roomiest.set(admitted, roomiest);
    return roomiest[template]?.some((net) => howManyFit(requests, net, 1) === 1) ?? false;
  }

  /** Template → rooms of its admitted rows, but for those that have no more of anything than another. */
  #findRoomiest(admitted: Uint8Array): readonly (readonly Float64Array[])[] {
    const { templateRows, rowColumns, net } = this.#launchables;
    return templateRows.map((rows) => {
      const kept: Float64Array[] = [];
      if (!hasAny(admitted, rowColumns[rows[0] ?? -1]?.[0], rowColumns[rows.at(-1) ?? -1]?.at(-1)))
        return kept;
      // Types are named by size: the last ones of a family, which are the largest, come first this way.
      for (const row of [...rows].reverse()) {
        if (!(rowColumns[row] ?? []).some((column) => admitted[column] === 1)) continue;
        const room = rowOf(net, this.#width, row);
        if (room.some((amount) => amount < 0) || kept.some((other) => covers(other, room))) continue;
        kept.push(room);
      }
      return kept.filter((room, index) => !kept.slice(index + 1).some((later) => covers(later, room)));
    });
  }
}

/** Whether one of the columns from `first` to `last` is admitted. */
function hasAny(admitted: Uint8Array, first: number | undefined, last: number | undefined): boolean {
  return first !== undefined && last !== undefined && admitted.subarray(first, last + 1).includes(1);
}

function covers(larger: Float64Array, room: Float64Array): boolean {
  for (let resource = 0; resource < room.length; resource++)
    if ((larger[resource] ?? 0) < (room[resource] ?? 0)) return false;
  return true;
}
