/** A replacement that may only be launched where it saves: of a claim's offerings, those that cost less than a price. */
import {
  placeLabels,
  type CapacityType,
  type InstanceType,
  type Offering,
} from '../../../domain/nodes/instance-type.js';
import { labelledTenancy } from '../../../domain/nodes/tenancy.js';
import { minValuesShortfall } from '../../../domain/values/min-values.js';
import { requirementsOf } from '../../../domain/values/requirements.js';
import type { PlannedClaim } from '../../plan.js';
import { typesOffered, type PoolOffer } from '../../snapshot/cluster-input.js';

/** A type that may be listed, with what it is offered as. */
interface Choice {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
  /** USD/h. */
  readonly cheapest: number;
  readonly highest: number;
}

export interface Narrowing {
  /** USD/h that no listed offering costs more than. */
  readonly most: number;
  /** Most types listed: only so many of the cheapest that minValues still hold. */
  readonly types: number;
}

/**
 * The claim with the capacity type of its cheapest offering only: should spot be out of stock, a launch that fails is
 * better than one on-demand that costs more (Karpenter: consolidation to spot). undefined when nothing is left, or
 * less than the pool's minValues ask for.
 */
export function narrowClaim(
  claim: PlannedClaim,
  offer: PoolOffer,
  { most, types }: Narrowing,
): PlannedClaim | undefined {
  const all = choicesOf(claim, offer, claim.capacityTypes);
  const capacityType = cheapestCapacityType(all);
  if (capacityType === undefined) return undefined;
  const chosen = claim.capacityTypes.length === 1 ? all : choicesOf(claim, offer, [capacityType]);
  const affordable = chosen.filter(({ highest }) => highest <= most);
  const choices = shortest(affordable, offer, types);
  if (choices === undefined) return undefined;
  const offered = choices.flatMap(({ offerings }) => offerings);
  const zones = new Set(offered.map(({ zone }) => zone));
  return {
    ...claim,
    instanceTypes: choices.map(({ type }) => type.name),
    zones: claim.zones.filter((zone) => zones.has(zone)),
    capacityTypes: [capacityType],
    allocatable: choices[0]?.type.allocatable ?? claim.allocatable,
    hourlyPrice: Math.min(...choices.map(({ cheapest }) => cheapest)),
    hourlyPriceMax: Math.max(...choices.map(({ highest }) => highest)),
    estimated: offered.some(({ estimated }) => estimated),
  };
}

/** The offerings at which a claim is cheapest: `type zone capacityType tenancy`. */
export function cheapestOfferings(claim: PlannedClaim, offer: PoolOffer): ReadonlySet<string> {
  const choices = choicesOf(claim, offer, claim.capacityTypes);
  const [best] = choices;
  return new Set(
    choices
      .filter(({ cheapest }) => cheapest === best?.cheapest)
      .flatMap(({ type, offerings, cheapest }) =>
        offerings
          .filter(({ price }) => price === cheapest)
          .map(
            ({ zone, capacityType }) =>
              `${type.name} ${zone} ${capacityType} ${labelledTenancy(type.labels)}`,
          ),
      ),
  );
}

function cheapestCapacityType([best]: readonly Choice[]): CapacityType | undefined {
  return best?.offerings.find(({ price }) => price === best.cheapest)?.capacityType;
}

/** Cheapest first. */
function choicesOf(
  claim: PlannedClaim,
  offer: PoolOffer,
  capacityTypes: readonly CapacityType[],
): readonly Choice[] {
  const listed = new Set(claim.instanceTypes);
  return typesOffered(offer, claim.chosenLabels)
    .filter(({ name }) => listed.has(name))
    .flatMap((type): readonly Choice[] => {
      const offerings = type.offerings.filter(
        ({ available, zone, capacityType }) =>
          available && claim.zones.includes(zone) && capacityTypes.includes(capacityType),
      );
      const prices = offerings.map(({ price }) => price);
      if (offerings.length === 0) return [];
      return [{ type, offerings, cheapest: Math.min(...prices), highest: Math.max(...prices) }];
    })
    .sort((left, right) => left.cheapest - right.cheapest || (left.type.name < right.type.name ? -1 : 1));
}

/** As many as asked for, and as many more as the pool's minValues need. */
function shortest(
  choices: readonly Choice[],
  { pool }: PoolOffer,
  types: number,
): readonly Choice[] | undefined {
  if (pool.template.requirements.every(({ minValues }) => minValues <= 0))
    return choices.length === 0 || types < 1 ? undefined : choices.slice(0, types);
  const required = requirementsOf(pool.template.requirements);
  for (let count = Math.min(types, choices.length); count <= choices.length && count > 0; count++) {
    const listed = choices.slice(0, count);
    if (minValuesShortfall(required, listed.flatMap(labelsOf)) === undefined) return listed;
  }
  return undefined;
}

function labelsOf({ type, offerings }: Choice): readonly ReadonlyMap<string, string>[] {
  return offerings.map((offering) => new Map([...type.labels, ...placeLabels(offering)]));
}
