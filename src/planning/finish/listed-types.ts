/** Picks from a listing the types that a claim lists; equal picks are one object. */
import { CAPACITY_TYPES, type CapacityType, type InstanceType } from '../../domain/nodes/instance-type.js';
import type { Launchables } from '../model/launch/launchables.js';
import type { ClaimChoice } from './claim-choice.js';
import { launchTables } from '../offerings/launch-tables.js';
import type { Need } from '../offerings/need.js';
import { listedColumns, type TypeListing } from '../offerings/type-listing.js';

/** What a claim lists. */
export interface ListedTypes {
  /** Cheapest first. */
  readonly types: readonly InstanceType[];
  /** Those in which one of the types is offered: limits and the most types that are listed may leave out the others. */
  readonly zones: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
  /** USD/h of the cheapest and of the most expensive offering listed. */
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
  /** Whether the price of an offering listed is an estimate. */
  readonly estimated: boolean;
}

/** Whether the type at a position of the listing may be listed, apart from the room it has. */
export type Accepts = (position: number) => boolean;

export interface PickInput {
  readonly choice: ClaimChoice;
  readonly need: Need;
  readonly most: number;
  /** Undefined: all are accepted. */
  readonly accepts: Accepts | undefined;
}

interface KnownList {
  readonly positions: Int32Array;
  readonly listed: ListedTypes;
}

export class TypePicker {
  readonly #launchables: Launchables;
  readonly #known = new Map<TypeListing, Map<number, KnownList[]>>();
  readonly #picked: Int32Array;

  constructor(launchables: Launchables) {
    this.#launchables = launchables;
    this.#picked = new Int32Array(launchables.rowType.length);
  }

  /**
   * Positions of the first `most` types that are accepted and have the room needed: the cheapest first, and among equally
   * cheap ones the claim's own. To be read before the next call.
   */
  pick({ choice: { listing, own, firstAsCheap }, need, most, accepts }: PickInput): Int32Array {
    const end = listing.types.length;
    let count = 0;
    const span = (from: number, to: number): void => {
      for (let at = need.next(listing.room, from, to); at < to && count < most;) {
        if (at !== own && accepts?.(at) !== false) this.#picked[count++] = at;
        at = need.next(listing.room, at + 1, to);
      }
    };
    // Where all are accepted, nothing that is cheaper than the claim's own type has the room.
    if (accepts !== undefined) span(0, firstAsCheap);
    if (own >= 0 && count < most && accepts?.(own) !== false) this.#picked[count++] = own;
    span(firstAsCheap, end);
    return this.#picked.subarray(0, count);
  }

  /** What listing the types at these positions comes to. */
  list(choice: Pick<ClaimChoice, 'listing' | 'sets'>, positions: Int32Array): ListedTypes {
    const { listing } = choice;
    const ofListing = this.#known.get(listing) ?? new Map<number, KnownList[]>();
    this.#known.set(listing, ofListing);
    let hash = positions.length;
    for (const at of positions) hash = Math.imul(hash ^ at, 0x9e3779b1);
    const alike = ofListing.get(hash);
    const known = alike?.find((each) => areEqual(each.positions, positions));
    if (known !== undefined) return known.listed;
    const listed = this.#make(choice, positions);
    const made = { positions: positions.slice(), listed };
    if (alike === undefined) ofListing.set(hash, [made]);
    else alike.push(made);
    return listed;
  }

  #make(choice: Pick<ClaimChoice, 'listing' | 'sets'>, positions: Int32Array): ListedTypes {
    const { types, price, highestPrice, estimated } = choice.listing;
    const { rowType } = this.#launchables;
    const listed: InstanceType[] = [];
    let hourlyPriceMax = 0;
    let isEstimated = false;
    for (const at of positions) {
      const type = rowType[types[at] ?? -1];
      if (type !== undefined) listed.push(type);
      hourlyPriceMax = Math.max(hourlyPriceMax, highestPrice[at] ?? 0);
      isEstimated ||= estimated[at] === 1;
    }
    const hourlyPrice = price[positions[0] ?? -1] ?? Infinity;
    const places = this.#offeredIn(choice, positions);
    return { types: listed, ...places, hourlyPrice, hourlyPriceMax, estimated: isEstimated };
  }

  /** The zones and capacity types of the sets in which one of the types is offered. */
  #offeredIn(
    { listing, sets }: Pick<ClaimChoice, 'listing' | 'sets'>,
    positions: Int32Array,
  ): Pick<ListedTypes, 'zones' | 'capacityTypes'> {
    const tables = launchTables(this.#launchables);
    const zones = new Set<string>();
    const capacityTypes = new Set<CapacityType>();
    for (const at of positions) {
      if (zones.size === sets.zones.length && capacityTypes.size === sets.capacityTypes.length) return sets;
      for (const column of listedColumns(this.#launchables, tables, {
        type: listing.types[at] ?? -1,
        sets,
      })) {
        zones.add(tables.zones[tables.zone[column] ?? -1] ?? '');
        capacityTypes.add(CAPACITY_TYPES[tables.capacityType[column] ?? -1] ?? 'on-demand');
      }
    }
    return {
      zones: sets.zones.filter((zone) => zones.has(zone)),
      capacityTypes: sets.capacityTypes.filter((type) => capacityTypes.has(type)),
    };
  }
}

function areEqual(left: Int32Array, right: Int32Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
