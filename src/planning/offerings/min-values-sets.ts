/** The zones and capacity types that a claim may list without losing what its pool's minValues count. */
import { CAPACITY_TYPES } from '../../domain/nodes/instance-type.js';
import type { Reason } from '../reason.js';
import type { Launchables } from '../model/launch/launchables.js';
import { launchTables, type LaunchTables, type UsableColumns } from './launch-tables.js';
import { SeenLabels, type CountedLabel } from './min-values-count.js';
import type { Need } from './need.js';
import { offeringSetChoice, type OfferingSets } from './offering-sets.js';
import { listedColumns, listingOf, type TypeListing } from './type-listing.js';

export interface MinValuesQuestion {
  readonly usable: UsableColumns;
  readonly need: Need;
  readonly labels: readonly CountedLabel[];
  /** Whether the limits let the type of a row be listed. */
  readonly isWithin: (row: number) => boolean;
}

const OF_LAUNCHABLES = new WeakMap<Launchables, MinValuesSets>();

/** One for as long as the launchables last. */
export function minValuesSets(launchables: Launchables, width: number): MinValuesSets {
  const known = OF_LAUNCHABLES.get(launchables) ?? new MinValuesSets(launchables, width);
  OF_LAUNCHABLES.set(launchables, known);
  return known;
}

export class MinValuesSets {
  readonly #launchables: Launchables;
  readonly #tables: LaunchTables;
  readonly #width: number;
  readonly #known = new WeakMap<UsableColumns, readonly OfferingSets[]>();

  /** `width`: number of resources. */
  constructor(launchables: Launchables, width: number) {
    this.#launchables = launchables;
    this.#tables = launchTables(launchables);
    this.#width = width;
  }

  /**
   * Sets that may keep minValues, whatever is asked: first all zones and capacity types in which anything is allowed, then
   * fewer of them. A type is listed only where each of its offerings in the sets is allowed, so
   * that fewer zones or capacity types may list more types.
   */
  of(usable: UsableColumns): readonly OfferingSets[] {
    const known = this.#known.get(usable) ?? this.#make(usable);
    this.#known.set(usable, known);
    return known;
  }

  /** Whether every type is wholly allowed in the first of the sets, so that none of the others lists more. */
  isWhole(usable: UsableColumns): boolean {
    const [all] = this.of(usable);
    return all === undefined || !this.listing(usable, all).isPartial;
  }

  /** What minValues count too few of in the sets; undefined where they are kept. */
  tooFew({ usable, need, labels, isWithin }: MinValuesQuestion, sets: OfferingSets): Reason | undefined {
    const { types, room } = this.listing(usable, sets);
    const seen = new SeenLabels(labels);
    for (let at = need.next(room, 0, types.length); at < types.length;) {
      const type = types[at] ?? -1;
      if (isWithin(type)) {
        seen.add(listedColumns(this.#launchables, this.#tables, { type, sets }));
        if (seen.areEnough) return undefined;
      }
      at = need.next(room, at + 1, types.length);
    }
    return seen.reason;
  }

  /** Whether some sets keep minValues. */
  areKept(question: MinValuesQuestion): boolean {
    return this.of(question.usable).some((sets) => this.tooFew(question, sets) === undefined);
  }

  /** Of the sets that keep minValues the one with the cheapest offering; undefined where none keeps them. */
  cheapest(question: MinValuesQuestion): OfferingSets | undefined {
    let best: OfferingSets | undefined;
    let bestPrice = Infinity;
    for (const sets of this.of(question.usable)) {
      const price = this.listing(question.usable, sets).price[this.first(question, sets)] ?? Infinity;
      if (price >= bestPrice || this.tooFew(question, sets) !== undefined) continue;
      [best, bestPrice] = [sets, price];
    }
    return best;
  }

  /** Position in the listing of the sets of the cheapest type that holds the claim within limits; -1 where none does. */
  first({ usable, need, isWithin }: Omit<MinValuesQuestion, 'labels'>, sets: OfferingSets): number {
    const { types, room } = this.listing(usable, sets);
    for (let at = need.next(room, 0, types.length); at < types.length;) {
      if (isWithin(types[at] ?? -1)) return at;
      at = need.next(room, at + 1, types.length);
    }
    return -1;
  }

  listing(usable: UsableColumns, sets: OfferingSets): TypeListing {
    const [launchables, tables, width] = [this.#launchables, this.#tables, this.#width];
    return listingOf({ launchables, tables, usable, sets, width });
  }

  #make(usable: UsableColumns): readonly OfferingSets[] {
    const { zones, zone, capacityType, byPrice } = this.#tables;
    const isZone = new Uint8Array(zones.length);
    const isCapacityType = new Uint8Array(CAPACITY_TYPES.length);
    for (const column of byPrice(usable.template)) {
      if (usable.allowed[column] !== 1) continue;
      isZone[zone[column] ?? 0] = 1;
      isCapacityType[capacityType[column] ?? 0] = 1;
    }
    const zoneSets = subsets(isZone);
    const choice = offeringSetChoice(this.#launchables);
    const typeSets = subsets(isCapacityType);
    const sets = zoneSets.flatMap((each) => typeSets.map((types) => choice.of(each, types)));
    return [...new Set(sets)];
  }
}

/** Of so many zones or capacity types every subset is tried. */
const FEW = 4;

/** Every subset that is not empty, the largest first; of many only all and each alone. */
function subsets(all: Uint8Array): readonly Uint8Array[] {
  const members = [...all.keys()].filter((at) => all[at] === 1);
  const nothing = new Uint8Array(all.length);
  if (members.length > FEW) return [all, ...members.map((at) => nothing.with(at, 1))];
  let found: readonly Uint8Array[] = [nothing];
  for (const at of members) found = found.flatMap((each) => [each.with(at, 1), each]);
  const size = (each: Uint8Array): number => each.reduce((sum, one) => sum + one, 0);
  return found.filter((each) => size(each) > 0).sort((left, right) => size(right) - size(left));
}
