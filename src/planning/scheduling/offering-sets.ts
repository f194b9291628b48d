/** The zones and capacity types that a claim lists: such that whatever is launched in them holds its pods. */
import { CAPACITY_TYPES, type CapacityType } from '../../domain/instance-type.js';
import type { Launchables } from './launchables.js';

export interface OfferingSets {
  /** Sorted. */
  readonly zones: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
}

export interface OfferingSetsInput {
  readonly launchables: Launchables;
  /** What the claim would be launched as first; one of `possible`. */
  readonly column: number;
  /** Columns that hold the claim. */
  readonly possible: ReadonlySet<number>;
  /** Rows of the types that have such columns, one row per type. */
  readonly rows: readonly number[];
  /** Whether capacity types are listed for the sake of other types too: minValues may need them. */
  readonly isWide: boolean;
}

/**
 * Capacity types, then zones, in which the first choice holds the claim wherever it is offered. Zones in which it is not
 * offered are listed for the sake of other types, unless one of these is offered there and does not hold the claim.
 */
export function offeringSets(input: OfferingSetsInput): OfferingSets {
  const { launchables, column, rows, isWide } = input;
  const own = offered(input, [launchables.columnRow[column] ?? 0]);
  const all = offered(input, rows);
  const inZone = ({ zone }: Offered): boolean => zone === launchables.offerings[column]?.zone;
  const held = (list: readonly Offered[]): readonly CapacityType[] =>
    list.filter(({ holds }) => holds).map(({ capacityType }) => capacityType);
  const refused = new Set(all.filter((each) => inZone(each) && !each.holds).map((each) => each.capacityType));
  const wide = isWide ? held(all).filter((type) => !refused.has(type)) : [];
  const types = new Set([...held(own.filter(inZone)), ...wide]);
  return {
    capacityTypes: CAPACITY_TYPES.filter((type) => types.has(type)),
    zones: [...new Set([...zonesHeld(own, types), ...zonesHeld(all, types)])].sort(),
  };
}

/** A zone × capacity type in which some of the types are offered. */
interface Offered {
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** Whether everything offered there holds the claim. */
  holds: boolean;
}

function offered({ launchables, possible }: OfferingSetsInput, rows: readonly number[]): readonly Offered[] {
  const byPlace = new Map<number, Offered>();
  for (const row of rows) {
    for (const column of launchables.typeColumns[row] ?? []) {
      const place = launchables.columnPlace[column] ?? 0;
      const known = byPlace.get(place);
      const offering = launchables.offerings[column];
      if (known !== undefined) known.holds &&= possible.has(column);
      else if (offering !== undefined)
        byPlace.set(place, {
          zone: offering.zone,
          capacityType: offering.capacityType,
          holds: possible.has(column),
        });
    }
  }
  return [...byPlace.values()];
}

/** Zones in which something is offered under these capacity types, and all of it holds the claim. */
function zonesHeld(list: readonly Offered[], types: ReadonlySet<CapacityType>): readonly string[] {
  const relevant = list.filter(({ capacityType }) => types.has(capacityType));
  const refused = new Set(relevant.filter(({ holds }) => !holds).map(({ zone }) => zone));
  return relevant.map(({ zone }) => zone).filter((zone) => !refused.has(zone));
}
