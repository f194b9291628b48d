/** Instance types with the offerings that can be bought now. */
import type { InstanceType, Offering } from '../../domain/nodes/instance-type.js';
import type { ResolvedReservation } from '../../ports/cloud.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import { withReservedOfferings } from '../reserved-offerings.js';

/** What a node class can be launched with. */
export interface OfferTerms {
  readonly zones: readonly string[];
  /** undefined: any. */
  readonly architectures: readonly string[] | undefined;
  readonly reservations: readonly ResolvedReservation[];
}

/** What was last made of a list of types. */
interface Made {
  readonly terms: string;
  /** By what they were made of. */
  readonly types: ReadonlyMap<InstanceType, InstanceType>;
  readonly list: readonly InstanceType[];
}

/**
 * The planner's thread is sent each type that is not an object of the last question, and there are more than a thousand types: what
 * has not changed is the same object as before.
 */
export class OfferedTypes {
  readonly #unavailable: UnavailableOfferings;
  /** List of types → node class → what was made of it. */
  readonly #made = new WeakMap<readonly InstanceType[], Map<string, Made>>();

  constructor(unavailable: UnavailableOfferings) {
    this.#unavailable = unavailable;
  }

  /** The types under a node class, whose name tells it from others. `now` in milliseconds since 1970. */
  of(
    types: readonly InstanceType[],
    nodeClass: string,
    terms: OfferTerms,
    now: number,
  ): readonly InstanceType[] {
    const byClass = this.#made.get(types) ?? new Map<string, Made>();
    this.#made.set(types, byClass);
    const text = JSON.stringify([terms, this.#unavailable.version(now)]);
    const before = byClass.get(nodeClass);
    if (before?.terms === text) return before.list;
    const made = this.#make(types, terms, before, now);
    byClass.set(nodeClass, { terms: text, types: made, list: [...made.values()] });
    return byClass.get(nodeClass)?.list ?? [];
  }

  #make(
    types: readonly InstanceType[],
    { zones, architectures, reservations }: OfferTerms,
    before: Made | undefined,
    now: number,
  ): ReadonlyMap<InstanceType, InstanceType> {
    const served = new Set(zones);
    const launchable = types.filter(({ arch }) => architectures?.includes(arch) ?? true);
    const all = withReservedOfferings(launchable, reservations);
    return new Map(
      launchable.map((source, index) => {
        const type = all[index] ?? source;
        const offerings = type.offerings
          .filter(({ zone }) => served.has(zone))
          .map((offering) => this.#asAvailable(type.name, offering, now));
        const known = [source, before?.types.get(source)].find((each) => each && sells(each, offerings));
        return [source, known ?? { ...type, offerings }];
      }),
    );
  }

  #asAvailable(type: string, offering: Offering, now: number): Offering {
    const isOut = this.#unavailable.isUnavailable(type, offering.zone, offering.capacityType, now);
    return isOut ? { ...offering, available: false } : offering;
  }
}

/** Whether the type has exactly these offerings. */
function sells(type: InstanceType, offerings: readonly Offering[]): boolean {
  return (
    type.offerings.length === offerings.length &&
    type.offerings.every((offering, index) => isSame(offering, offerings[index]))
  );
}

/** Of one type and so of one catalogue: what can differ is whether EC2 has them, and how much of a reservation is left. */
function isSame(offering: Offering, other: Offering | undefined): boolean {
  return (
    offering === other ||
    (offering.zone === other?.zone &&
      offering.capacityType === other.capacityType &&
      offering.price === other.price &&
      offering.available === other.available &&
      offering.reservation?.id === other.reservation?.id &&
      offering.reservation?.count === other.reservation?.count)
  );
}
